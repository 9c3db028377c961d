# The page that people read: report.html, one file without a network. R computes everything that is on it, the
# numbers and the sentences; analysis/page draws them in the browser. The same facts are page.json, from which `weir
# show` prints.

page_schema <- 1L
most_points_on_page <- 4000L
most_values_of_point <- 40L

# Write page.json and a report.html without figures first, so that the answer does not wait for them.
write_page <- function(folder, records, inputs) {
  model <- page_model(records, known_facts(inputs), inputs, folder)
  write_whole(page_text(model), file.path(folder, "report.html"))
  write_whole(page_json(model), file.path(folder, "page.json"))
  model
}

complete_page <- function(model, folder, inputs) {
  parts <- figure_parts(known_facts(inputs))
  model$figures <- page_figures(folder, parts)
  model$absent <- absent_figures(folder, parts)
  model["drawing"] <- FALSE
  write_whole(page_text(model), file.path(folder, "report.html"))
}

page_json <- function(model) {
  jsonlite::toJSON(model, auto_unbox = TRUE, null = "null", na = "null", digits = NA)
}

# A concurrent reader gets the old text or the new one.
write_whole <- function(text, path) {
  unfinished <- paste0(path, ".unfinished")
  writeLines(text, unfinished, useBytes = TRUE)
  file.rename(unfinished, path)
}

page_text <- function(model, home = file.path(analysis_home(), "page")) {
  read_whole <- function(name) paste(readLines(file.path(home, name), encoding = "UTF-8"), collapse = "\n")
  page <- read_whole("page.html")
  for (part in c("page.css", "page.js")) {
    page <- sub(sprintf("{{%s}}", part), read_whole(part), page, fixed = TRUE)
  }
  # Text must not close the script element that contains it.
  json <- gsub("</", "<\\/", page_json(model), fixed = TRUE)
  pieces <- strsplit(page, "{{page.json}}", fixed = TRUE)[[1]]
  paste0(pieces[1], json, pieces[2])
}

# Input of the page, of the first page of the PDF and of the advice; computed once per study.
page_evidence <- local({
  known <- list(key = "", evidence = NULL)
  function(records, facts) {
    # As a list: a selection leaves an index in a data.table, which its hash would see.
    key <- rlang::hash(list(as.list(records), facts))
    if (key != known$key) {
      records <- name_storage(records)
      evidence <- list(records = records, points = page_points(records), effects = effects_of_settings(records),
        facts = facts)
      known <<- list(key = key, evidence = evidence)
    }
    known$evidence
  }
})

# Logs do not name their storage: logs of several directories are treated as several systems.
name_storage <- function(records) {
  if (!anyNA(records$target) || is.null(records$source)) {
    return(records)
  }
  unnamed <- which(is.na(records$target))
  directory_of <- basename(dirname(ifelse(is.na(records$source), "unknown storage/log", records$source)))
  records <- data.table::copy(records)
  data.table::set(records, i = unnamed, j = "target", value = directory_of[unnamed])
  records[]
}

page_model <- function(records, facts, inputs, folder) {
  evidence <- page_evidence(records, facts)
  records <- evidence$records
  points <- evidence$points
  list(
    schema = page_schema, study = page_study(facts, folder), verdicts = page_verdicts(records),
    interval_level = gsub("~\\%", " %", level_words(real_points(points)), fixed = TRUE),
    attained_level = attained_words,
    doubted = page_doubted(records, facts), targets = page_targets(records, facts), answers = page_answers(points),
    effects = page_effects(evidence$effects), doubts = page_doubts(evidence), advice = page_advice(evidence),
    following = page_following(facts, folder), points = point_rows(points, folder),
    points_total = nrow(points), figures = list(), absent = list(), drawing = TRUE,
    claims = page_claims(inputs, facts),
    excluded = page_excluded(inputs), machine = if (length(facts$site) > 0) rows_of(machine_facts(facts)) else list()
  )
}

rows_of <- function(table) {
  if (is.null(table) || nrow(table) == 0) list() else unname(split(table, seq_len(nrow(table)))) |> lapply(as.list)
}

# ---- what was measured ----------------------------------------------------------------------------------------------

page_study <- function(facts, folder) {
  machine <- if (length(facts$machines) > 0) facts$machines[[1]]
  list(
    name = basename(normalizePath(folder)), site = text_of(facts$site$site, ""),
    description = text_of(facts$site$description, ""),
    title = text_of(facts$about$title, ""), citation = text_of(facts$about$citation, ""),
    system = text_of(facts$about$system, ""), archived = is.null(facts$site),
    question = text_of(if (length(facts$suites) > 0) facts$suites[[1]]$question, ""),
    suites = suite_names(facts), scale = text_of(facts$scale, ""),
    host = text_of(machine$node, ""), processor = text_of(machine$processor, ""), cores = count_of(machine$cores),
    memory = if (is.null(machine$memory_bytes)) "" else bytes_words(machine$memory_bytes),
    kernel = text_of(machine$kernel, ""), nodes = length(facts$machines),
    began = text_of(facts$began, ""), weir = text_of(facts$weir_version, ""),
      executions = count_of(facts$finished_executions),
    failed = count_of(facts$failed_executions), digest = text_of(facts$digest, "")
  )
}

# Of real storage; that of emulated storage stands beside.
page_verdicts <- function(records) {
  counted_verdicts <- function(rows) {
    as.list(setNames(vapply(verdicts, function(verdict) sum(rows$verdict == verdict), 1L), verdicts))
  }
  real <- records[emulated == FALSE]
  list(real = counted_verdicts(real), emulated = counted_verdicts(records[emulated == TRUE]))
}

real_points <- function(points) if (nrow(points) > 0 && any(!points$emulated)) points[emulated == FALSE] else points

# Why records are not VALID, commonest on real storage first.
page_doubted <- function(records, facts) {
  found <- Filter(function(reason) any(names(reason$verdicts) != "NOTE"), facts$reasons)
  rows <- lapply(found, function(reason) {
    of <- records[has_finding(records, reason$rule)]
    list(rule = reason$rule, real = sum(!of$emulated), emulated = sum(of$emulated), verdicts = reason$verdicts,
      explanation = reason$explanation, hint = reason$hint)
  })
  rows[order(-vapply(rows, function(row) row$real, 1L))]
}

page_targets <- function(records, facts) {
  known <- as.list(facts$targets)
  names(known) <- vapply(known, function(target) text_of(target$target, ""), "")
  found <- unique(records[, .(target, emulated)])
  # The node's memory is a ceiling and not the question; emulated storage comes last.
  of_memory <- vapply(found$target, function(name) identical(known[[if (is.na(name)) "" else name]]$kind, "memory"),
    TRUE)
  found <- found[order(emulated, of_memory)]
  lapply(seq_len(nrow(found)), function(i) {
    name <- found$target[i]
    about <- known[[if (is.na(name)) "" else name]]
    list(
      name = text_of(name, "storage"), emulated = found$emulated[i], kind = text_of(about$kind, ""),
      file_system = text_of(about$file_system, ""), device = text_of(about$device, ""),
      description = text_of(about$description, "")
    )
  })
}

# ---- the answers ----------------------------------------------------------------------------------------------------

# One point for each cell and access: the median of its runs with the interval.
page_points <- function(records) {
  data <- records[access %in% c("write", "read") & is.na(item)]
  by <- c("target", "emulated", "access", "cell")
  points <- if (nrow(data) == 0) data.table::data.table() else summarise_records(data, bandwidth_all(data), by, "MiB/s")
  if (nrow(points) == 0) {
    return(points)
  }
  first <- data[, .SD[1], by = by, .SDcols = intersect(page_columns, names(data))]
  # A percentile of few operations is their maximum.
  usable <- data.table::copy(data[verdict %in% usable_verdicts])
  usable[, `:=`(sync_share = sync_s / total_s, known_ops = data.table::fifelse(is.na(ops), 0, as.numeric(ops)))]
  # Of no rows the maximum is a warning and no group.
  tails <- suppressWarnings(usable[, .(
    iops = median(ops_s), most_ops = max(known_ops), p99_us = median(lat_p99_us), seconds = median(total_s),
    bytes = median(moved_bytes), sync_share = median(sync_share)
  ), by = by])
  tails[most_ops < 100, p99_us := NA_real_][, most_ops := NULL]
  verdict_counts <- counts_of_verdicts(data, by)
  evidence <- doubts_of_points(data, by)
  points <- first[points, on = by]
  points <- verdict_counts[tails[evidence[points, on = by], on = by], on = by]
  points[, setting := describe_uniquely(points, intersect(setting_columns(points), names(points)))]
  points[order(emulated, -median)]
}

counts_of_verdicts <- function(data, by) {
  flags <- data[, by, with = FALSE]
  flags[, (verdicts) := lapply(verdicts, function(verdict) data$verdict == verdict)]
  flags[, lapply(.SD, sum), by = by, .SDcols = verdicts]
}

# Most points have no doubts; only the others are evaluated one by one.
doubts_of_points <- function(data, by) {
  columns <- intersect(c("missing", "verdict", "reasons", "evidence"), names(data))
  rows <- unique(data[, c(by, columns), with = FALSE])
  lacking <- if (is.null(rows$missing)) FALSE else !is.na(rows$missing) & nzchar(rows$missing)
  rows[, doubtful := nzchar(rows$reasons) | lacking]
  seen <- rows[order(verdict == "VALID"), .(seen = evidence[1]), by = by]
  doubts <- rows[doubtful == TRUE, .(
    doubts = paste(unique(c(reasons[nzchar(reasons)], missing_words(.SD))), collapse = "; ")
  ), by = by, .SDcols = intersect(c("missing", "verdict"), columns)]
  doubts[seen, on = by][is.na(doubts), doubts := ""][]
}

page_columns <- c("api", "layout", "order", "xfer_bytes", "block_bytes", "nn", "ppn", "collective", "chunking",
  "stack", "site",
  "tool", "program", "label", "suite", "experiment", "source", "direct", "sync", "stripe_count")

# What a reader needs to tell the points of a study apart.
setting_columns <- function(points) {
  always <- c("api", "layout", "order", "xfer_bytes")
  unique(c(always, varying_columns(points, setdiff(page_columns, c(always, "label", "source", "block_bytes",
    "experiment",
    "suite", "tool", "purpose", "program")))))
}

missing_words <- function(rows) {
  if (is.null(rows$missing)) {
    return(character())
  }
  absent <- unique(unlist(strsplit(rows$missing[!is.na(rows$missing)], ";", fixed = TRUE)))
  if (length(absent) > 0) sprintf("no evidence: %s", absent) else character()
}

# For each target and access: the best point, small random transfers, the tail of their latency.
page_answers <- function(points) {
  if (nrow(points) == 0) {
    return(list())
  }
  used <- points[n > 0 & verdict %in% usable_verdicts]
  combinations <- unique(used[, .(target, emulated, access)])
  lapply(seq_len(nrow(combinations)), function(i) {
    of <- combinations[i]
    mine <- used[target %in% of$target & access == of$access]
    best <- mine[which.max(median)]
    small <- mine[order %in% "random" & xfer_bytes <= 65536][which.max(median)]
    list(
      target = text_of(of$target, "storage"), emulated = of$emulated, access = of$access,
      best = answer_row(best, "median", alternatives = nrow(mine), tied = sum(mine$hi >= best$lo, na.rm = TRUE) - 1L),
      small = if (nrow(small) == 1) answer_row(small, "median"),
      tail = if (nrow(small) == 1 && !is.na(small$p99_us)) list(value = small$p99_us, unit = "us",
        setting = small$setting, cell = small$cell),
      others = sort(mine$median), interfaces = interface_rows(mine)
    )
  })
}

answer_row <- function(point, column, alternatives = NULL, tied = NULL) {
  list(
    value = point[[column]], lo = point$lo, hi = point$hi, n = point$n, values = utils::head(unlist(point$values), 20),
    unit = "MiB/s", setting = point$setting, iops = point$iops, verdict = point$verdict, alternatives = alternatives,
    tied = tied, cell = point$cell
  )
}

# The best point of each interface, with the medians of its other settings.
interface_rows <- function(points) {
  lapply(unique(points$api), function(interface) {
    mine <- points[api %in% interface]
    top <- mine[which.max(median)]
    list(api = api_words(interface), value = top$median, lo = top$lo, hi = top$hi, n = top$n, setting = top$setting,
      verdict = top$verdict, values = unlist(top$values), others = mine[cell != top$cell]$median, cell = top$cell)
  })
}

page_effects <- function(effects, most = 9L) {
  if (nrow(effects) == 0) {
    return(list())
  }
  # Without an interval there is no conclusion.
  known <- effects[emulated == FALSE & is.finite(ratio) & is.finite(lo)]
  shown <- utils::head(known[order(!clear, -abs(log(ratio)))], most)
  rows_of(shown[, .(target, access, setting, instead_of, ratio, lo, hi, clear, pairs, rounds, also_differs)])
}

# ---- the browser of records, and what stands below ------------------------------------------------------------------

point_rows <- function(points, folder) {
  if (nrow(points) == 0) {
    return(list())
  }
  shown <- utils::head(points, most_points_on_page)
  lapply(seq_len(nrow(shown)), function(i) {
    point <- shown[i]
    list(
      cell = point$cell, target = text_of(point$target, "storage"), emulated = point$emulated, access = point$access,
      api = api_words(point$api), setting = point$setting, size = bytes_words(point$xfer_bytes),
        xfer = point$xfer_bytes,
      n = point$n, median = point$median, lo = point$lo, hi = point$hi, iops = point$iops, p99 = point$p99_us,
      seconds = point$seconds, verdict = point$verdict, counts = unlist(point[, verdicts, with = FALSE]),
      doubts = text_of(point$doubts, ""), seen = text_of(point$seen, ""), values = utils::head(unlist(point$values),
        most_values_of_point),
      command = command_of(point$source, folder), source = text_of(point$source, "")
    )
  })
}

# The exact command line, from the run file beside the output that the record was read from.
command_of <- function(source, folder) {
  if (is.na(source)) {
    return("")
  }
  file <- file.path(dirname(normalizePath(folder)), dirname(source), "run.json")
  if (!file.exists(file)) "" else paste(unlist(jsonlite::fromJSON(file)$command), collapse = " ")
}

# Figures that the study has, as SVG; one of many megabytes stays a file.
most_svg_bytes <- 250000L

page_figures <- function(folder, parts) {
  drawn <- Filter(function(part) file.exists(svg_of(part, folder)), parts)
  drawn <- Filter(function(part) file.size(svg_of(part, folder)) <= most_svg_bytes, drawn)
  lapply(drawn, function(part) {
    svg <- paste(readLines(svg_of(part, folder), warn = FALSE, encoding = "UTF-8"), collapse = "\n")
    list(name = part$name, title = part$title, svg = sub("^<[?]xml[^>]*>\\s*", "", svg), caption = part$caption)
  })
}

# Figures that do not apply have no SVG; their .rst ends with the reason.
absent_figures <- function(folder, parts) {
  absent <- Filter(function(part) {
    !file.exists(svg_of(part, folder)) && file.exists(sub("svg$", "rst", svg_of(part, folder)))
  }, parts)
  lapply(absent, function(part) {
    lines <- readLines(sub("svg$", "rst", svg_of(part, folder)), warn = FALSE)
    list(title = part$title, reason = utils::tail(lines[nzchar(lines)], 1))
  })
}

svg_of <- function(part, folder) file.path(folder, "figures", paste0(part$name, ".svg"))

# Figures of claims only if the suite requests claims.
figure_parts <- function(facts) {
  wanted <- length(wanted_claims(facts)) > 0
  Filter(function(part) wanted || !identical(section_of(part), "claims"), chosen_parts("figure", "all"))
}

# Claims stand on the page of a study whose suite asks for them.
page_claims <- function(inputs, facts) {
  wanted <- wanted_claims(facts)
  if (is.null(inputs$claims) || length(wanted) == 0 || !file.exists(inputs$claims)) {
    return(list())
  }
  claims <- data.table::fread(inputs$claims, colClasses = "character")
  rows_of(claims[paper %in% wanted, intersect(c("paper", "claim", "verdict", "sentence", "effect"), names(claims)),
    with = FALSE])
}

page_excluded <- function(inputs) {
  if (is.null(inputs$excluded) || !file.exists(inputs$excluded)) {
    return(list())
  }
  rows_of(data.table::fread(inputs$excluded, colClasses = "character"))
}
