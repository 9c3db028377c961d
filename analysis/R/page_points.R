# The points of the page, one for each cell and access: what the answers of the first screen are chosen from, and the
# rows of the browser of records.

# One point for each cell and access: the median of its runs with the interval.
page_points <- function(records) {
  data <- records[access %in% c("write", "read") & is.na(item)]
  by <- c("target", "emulated", "access", "cell")
  points <- summarise_records(data, bandwidth_all(data), by, "MiB/s")
  first <- data[, .SD[1], by = by, .SDcols = setdiff(c(page_columns, dimensions()), by)]
  # A percentile of few operations is their maximum.
  usable <- data.table::copy(data[verdict %in% usable_verdicts])
  usable[, sync_share := sync_s / total_s][!(ops >= 100) %in% TRUE, lat_p99_us := NA_real_]
  # What one record lacks the others have.
  tails <- usable[, .(
    iops = median(ops_s, na.rm = TRUE), p99_us = median(lat_p99_us, na.rm = TRUE),
    seconds = median(total_s, na.rm = TRUE), bytes = median(moved_bytes, na.rm = TRUE),
    sync_share = median(sync_share, na.rm = TRUE)
  ), by = by]
  verdict_counts <- counts_of_verdicts(data, by)
  evidence <- doubts_of_points(data, by)
  points <- first[points, on = by]
  points <- verdict_counts[tails[evidence[points, on = by], on = by], on = by]
  points[, setting := describe_uniquely(points, intersect(setting_columns(points), names(points)))]
  points <- with_options(points)
  # Equal ones as in print, so that both name the same setting.
  points[order(emulated, -median, api, layout, order, nn, ppn, xfer_bytes)]
}

# Hints, and the offsets and cache of single operations, are in the label alone.
with_options <- function(points) {
  hinted <- nzchar(hints_of_labels(points$label))
  plain <- !hinted & points$experiment %in% points$experiment[hinted]
  options <- paste0(option_words(points$label), ifelse(plain, "no hints", ""))
  points[, setting := paste0(setting, ifelse(nzchar(options), paste0(", ", options), ""))][]
}

counts_of_verdicts <- function(data, by) {
  flags <- data[, by, with = FALSE]
  flags[, (verdicts) := lapply(verdicts, function(verdict) data$verdict == verdict)]
  flags[, lapply(.SD, sum), by = by, .SDcols = verdicts]
}

# Most points have no doubts; only the others are evaluated one by one.
doubts_of_points <- function(data, by) {
  rows <- unique(data[, c(by, "missing", "verdict", "reasons", "evidence"), with = FALSE])
  rows[, doubtful := nzchar(reasons) | (!is.na(missing) & nzchar(missing))]
  seen <- rows[order(verdict == "VALID"), .(seen = evidence[1]), by = by]
  doubts <- rows[doubtful == TRUE, .(
    doubts = paste(unique(c(reasons[nzchar(reasons)], missing_words(missing))), collapse = "; ")
  ), by = by]
  doubts[seen, on = by][is.na(doubts), doubts := ""][]
}

page_columns <- c("api", "layout", "order", "xfer_bytes", "block_bytes", "nn", "ppn", "collective", "chunking",
  "stack", "site", "tool", "purpose", "program", "label", "suite", "experiment", "source", "direct", "sync",
  "stripe_count")

# What a reader needs to tell the points of a study apart; of other axes those without which cells look alike.
setting_columns <- function(points) {
  always <- c("api", "layout", "order", "xfer_bytes")
  # How much is moved, and for how long, tells how it was measured.
  untold <- c("block_bytes", "segments", "stonewall_s", "label", "source", "experiment", "suite", "tool", "purpose",
    "program", "tool_version")
  # A failed program may report other settings than those of the study; they count only where all runs failed.
  drawn <- if (any(points$n > 0)) points[n > 0] else points
  told <- unique(c(always, varying_settings(drawn, setdiff(page_columns, c(always, untold))),
    if (programs_differ(drawn)) "program"))
  alike <- split(points, by = intersect(c("target", "access", told), names(points)), drop = TRUE)
  further <- setdiff(dimensions(), c(page_columns, untold, "target"))
  c(told, unique(unlist(lapply(alike[vapply(alike, nrow, 1L) > 1], varying_settings, further))))
}

# Where a cell is measured by weir-io in place of IOR, whose number it is stands beside it.
programs_differ <- function(points) {
  any(points[!is.na(program), .(programs = data.table::uniqueN(program)), by = tool]$programs > 1)
}

# Settings in which points differ. A program without an option ran with its usual value, so that a study of several
# programs does not differ in all options of one of them; where nothing is usual, what is unknown tells nothing apart.
varying_settings <- function(points, columns) {
  Filter(function(column) {
    values <- points[[column]]
    usual <- if (column %in% record_columns()$name) usual_value(column)
    if (!is.null(usual)) values[is.na(values)] <- usual
    data.table::uniqueN(stats::na.omit(values)) > 1
  }, intersect(columns, names(points)))
}

missing_words <- function(missing) {
  absent <- unique(unlist(strsplit(missing[!is.na(missing)], ";", fixed = TRUE)))
  if (length(absent) > 0) sprintf("no evidence: %s", absent)
}

# For each target and access: the best point, small random transfers, the tail of their latency.
page_answers <- function(points) {
  used <- points[n > 0 & verdict %in% usable_verdicts & of_storage(points)]
  of_each_access(used, function(mine) {
    best <- mine[which.max(median)]
    small <- mine[order %in% "random" & xfer_bytes <= 65536][which.max(median)]
    list(
      best = answer_row(best, alternatives = nrow(mine), tied = ties_of(mine[order(-median)])),
      small = if (nrow(small) == 1) answer_row(small),
      tail = if (nrow(small) == 1 && !is.na(small$p99_us)) list(value = small$p99_us, unit = "us",
        setting = small$setting, cell = small$cell, note = note_of_tail(small)),
      others = sort(mine$median), interfaces = interface_rows(mine),
      unusable = as.list(api_words(unusable_interfaces(points, mine)))
    )
  })
}

# For each target and access what `make` makes of its points.
of_each_access <- function(points, make) {
  each_row(unique(points[, .(target, emulated, access)]), function(of) {
    c(
      list(target = text_of(of$target, "storage"), emulated = of$emulated, access = of$access),
      make(points[target %in% of$target & access == of$access])
    )
  })
}

# The rate of operations is over the time of the transfers, of which a synchronisation at their end is a part.
note_of_tail <- function(point) {
  if (point$access == "write" && isTRUE(point$sync)) "the rate includes the final synchronisation, this time does not"
}

# Interfaces that were measured and have degraded or invalid results only, which a chart omits.
unusable_interfaces <- function(points, used) {
  measured <- points[target %in% used$target & access %in% used$access & of_storage(points), unique(api)]
  sort(setdiff(measured, c(used$api, NA)))
}

# The null back end moves no bytes: it is the cost of the program. Times of single operations, of a warm cache too where
# the suite asks for them, are no bandwidth of the storage, and writes without sync beside others are none.
of_storage <- function(points) {
  !points$api %in% "NULL" & !single_operations_beside(points) & ended_in_storage(points)
}

answer_row <- function(point, alternatives = NULL, tied = NULL) {
  list(
    value = point$median, lo = point$lo, hi = point$hi, n = point$n,
    values = I(utils::head(as.numeric(unlist(point$values)), 20)),
    unit = "MiB/s", setting = point$setting, iops = point$iops, verdict = point$verdict, alternatives = alternatives,
    tied = tied, cell = point$cell, short = short_setting(point),
    size = if (is.na(point$xfer_bytes)) "" else bytes_words(point$xfer_bytes)
  )
}

# What fits a row of many systems: "POSIX, 1 MiB, 10×16".
short_setting <- function(point) {
  shape <- if (!is.na(point$nn) && !is.na(point$ppn)) sprintf("%g\u00d7%g", point$nn, point$ppn)
  paste(c(describe_columns(point, c("api", "xfer_bytes")), shape), collapse = ", ")
}

# The best point of each interface, with the medians of its other settings.
interface_rows <- function(points) {
  lapply(unique(points$api), function(interface) {
    mine <- points[api %in% interface]
    top <- mine[which.max(median)]
    list(api = api_words(interface), value = top$median, lo = top$lo, hi = top$hi, n = top$n, setting = top$setting,
      verdict = top$verdict, values = I(as.numeric(unlist(top$values))), others = I(mine[cell != top$cell]$median),
      cell = top$cell)
  })
}

most_unclear <- 4L

page_effects <- function(effects, most = 9L) {
  if (nrow(effects) == 0) {
    return(list())
  }
  # Without an interval there is no conclusion.
  known <- effects[emulated == FALSE & is.finite(ratio) & is.finite(lo)][order(!clear, -abs(log(ratio)))]
  # Few of the unclear effects, and none whose interval is too wide to tell anything.
  open <- utils::head(known[clear == FALSE & !is_too_wide(lo, hi)], most_unclear)
  shown <- utils::head(rbind(known[clear == TRUE], open), most)
  each_row(shown[, .(
    target, access, setting, instead_of, ratio, lo, hi, clear, pairs_agree, pairs, rounds, also_differs
  )], as.list)
}

# ---- the browser of records -----------------------------------------------------------------------------------------

# As JSON, column by column: a list for each of 4,000 rows takes longer than the statistics of 100,000 records.
point_rows <- function(points, records, folder) {
  shown <- utils::head(points, most_points_on_page)
  if (nrow(shown) == 0) {
    return(list())
  }
  columns <- as.list(shown[, list(
    cell, target = known_text(target, "storage"), emulated, access, api = api_words(api), setting,
    size = bytes_words(xfer_bytes), xfer = xfer_bytes, n, median, lo, hi, iops, p99 = p99_us, seconds, verdict,
    bandwidth = of_storage(points)[seq_len(.N)],
    doubts = known_text(doubts), seen = known_text(seen), source = known_text(source),
    command = vapply(source, command_of, "", folder = folder, USE.NAMES = FALSE), alike = conditions_of(shown)
  )])
  columns$counts <- as.matrix(shown[, verdicts, with = FALSE])
  columns$values <- lapply(shown$values, values_of_point)
  columns$latency <- latencies_of_points(shown, records)
  # A data frame by hand: as.data.frame would spread the matrix over columns of its own.
  to_json(structure(columns, class = "data.frame", row.names = seq_len(nrow(shown))))
}

# The latencies of the records that the median is made of.
latencies_of_points <- function(points, records) {
  by <- c("target", "emulated", "access", "cell")
  number_of <- points[, by, with = FALSE][, number := .I]
  used <- records[verdict %in% usable_verdicts & is.na(item), c(by, "lat_histogram"), with = FALSE]
  used <- number_of[used, on = by, nomatch = NULL]
  histogram_arrays(used$lat_histogram, used$number, number_of$number)
}

# As compare.js writes those of the rows of another records.csv.
conditions_of <- function(points) {
  texts <- lapply(compared_conditions, function(name) {
    values <- points[[name]]
    text <- if (is.numeric(values)) format_plain(values) else tolower(as.character(values))
    if (is.null(values)) rep("", nrow(points)) else ifelse(is.na(text), "", text)
  })
  do.call(paste, c(texts, sep = "|"))
}

compared_conditions <- c("access", "api", "layout", "order", "xfer_bytes", "block_bytes", "nn", "ppn", "collective",
  "sync", "direct", "stripe_count")

# An array, also of one value.
values_of_point <- function(values) I(utils::head(as.numeric(unlist(values)), most_values_of_point))

known_text <- function(texts, unknown = "") {
  texts <- trimws(texts)
  texts[is.na(texts) | !nzchar(texts)] <- unknown
  texts
}

# The exact command line, from the run file beside the output that the record was read from; a source that leads out of
# the results has none.
command_of <- function(source, folder) {
  if (is.na(source) || nchar(source) > 1000 || grepl("(^|/)[.][.](/|$)", source)) {
    return("")
  }
  file <- file.path(dirname(normalizePath(folder)), dirname(source), "run.json")
  if (!file.exists(file)) "" else paste(unlist(jsonlite::fromJSON(file)$command), collapse = " ")
}

# What is JSON already, as the points are, stays as it is.
to_json <- function(value) {
  jsonlite::toJSON(value, auto_unbox = TRUE, null = "null", na = "null", digits = NA, json_verbatim = TRUE)
}
