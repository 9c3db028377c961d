# From records to points: medians of runs with their intervals, and no two unlike cells in one point.

# One row for each combination of `by`. A point is made of valid and unproven records; where a cell has degraded ones
# alone the point is made of them and is degraded. Invalid records are counted and give no number. No records are no
# rows, with the columns that others have.
summarise_records <- function(records, value, by, unit) {
  valued <- with_values(records, value, c(by, "cell", "until"))
  valued[, used := used_records(valued, by)]
  counts <- count_records(valued, by)
  runs <- valued[used == TRUE, .(value = median(value_of_record)), by = c(by, "cell", "round")]
  points <- order_statistics(runs, by, with_added_rounds(valued, by))[counts, on = by]
  points <- widened_by_drift(points, records)
  points <- with_uneven_tasks(points, records, by)
  points[is.na(n), n := 0L]
  points[, `:=`(
    verdict = point_verdict(any_used, degraded, n_unproven), unit = unit, degraded = NULL, any_used = NULL,
    best = ifelse(is.finite(best), best, NA_real_), least = ifelse(is.finite(least), least, NA_real_)
  )]
  data.table::setorderv(points, by)[]
}

# The number of tasks of each point, where it does not follow from its nodes: tasks_of() takes it.
with_uneven_tasks <- function(points, records, by) {
  if (is.null(records$uneven_tasks) || !all(c("nn", "ppn") %in% by)) {
    return(points)
  }
  numbers <- records[, .(tasks = tasks[1]), by = by]
  numbers[points, on = by]
}

# Usable records; the degraded ones of a group without usable records.
used_records <- function(records, by) {
  known <- is.finite(records$value_of_record) & records$verdict != "INVALID"
  usable <- known & records$verdict %in% usable_verdicts
  group <- records[, .GRP, by = by][records, on = by]$GRP
  ifelse(group %in% group[usable], usable, known)
}

# Sums and extremes of columns are found for all groups at once; expressions would be evaluated for each of them.
count_records <- function(records, by) {
  flags <- records[, c(by, "value_of_record", "cell", "used", "emulated"), with = FALSE]
  known <- is.finite(records$value_of_record)
  flags[, `:=`(
    value = data.table::fifelse(used, value_of_record, NA_real_),
    most = data.table::fifelse(used, value_of_record, -Inf), fewest = data.table::fifelse(used, value_of_record, Inf),
    unproven = used & records$verdict == "UNPROVEN", degraded = used & records$verdict == "DEGRADED",
    is_degraded = records$verdict == "DEGRADED", is_invalid = records$verdict == "INVALID",
    unknown = !known & records$verdict != "INVALID"
  )]
  # Without a record there are no extremes.
  counts <- suppressWarnings(flags[, .(
    n_records = sum(used), mean = mean(value, na.rm = TRUE), best = max(most), least = min(fewest),
    n_unproven = sum(unproven), n_degraded = sum(is_degraded), n_invalid = sum(is_invalid), n_unknown = sum(unknown),
    emulated = sum(emulated), degraded = sum(degraded), one_cell = cell[1]
  ), by = by])
  cells <- unique(flags[!is.na(cell), c(by, "cell"), with = FALSE])[, .(cells = .N), by = by]
  counts[, cells := 0L]
  counts[cells, cells := i.cells, on = by]
  counts[, `:=`(emulated = emulated > 0, degraded = degraded > 0, any_used = n_records > 0)][]
}

point_verdict <- function(any_used, degraded, n_unproven) {
  ifelse(!any_used, "INVALID", ifelse(degraded, "DEGRADED", ifelse(n_unproven > 0, "UNPROVEN", "VALID")))
}

# Median, interval and the values themselves, of all groups at once: a study of 25,000 points takes a second.
order_statistics <- function(runs, by, added = NULL) {
  data.table::setorderv(runs, c(by, "round"))
  in_rounds <- runs[, .(values = list(setNames(value, round))), by = by]
  data.table::setorderv(runs, c(by, "value"))
  groups <- runs[, .(n = .N, first = .I[1]), by = by]
  groups[, values := in_rounds$values]
  groups[, rounds := "fixed"]
  if (NROW(added) > 0) groups[added, on = by, rounds := "added"]
  if (nrow(groups) == 0) {
    return(groups[, `:=`(median = numeric(), lo = numeric(), hi = numeric(), level = numeric(), first = NULL,
      rounds = NULL)])
  }
  groups[, c("k", "share", "level") := ranks_of(n, rounds[1]), by = rounds]
  at <- function(rank) runs$value[groups$first + rank - 1L]
  inner <- pmin(groups$k + 1L, groups$n)
  groups[, `:=`(
    median = (at((n + 1L) %/% 2L) + at(n %/% 2L + 1L)) / 2,
    lo = (1 - share) * at(k) + share * at(inner), hi = (1 - share) * at(n + 1L - k) + share * at(n + 1L - inner)
  )]
  groups[, `:=`(k = NULL, share = NULL, first = NULL, rounds = NULL)][]
}

# The groups with a cell to which rounds were added until its interval was narrow.
with_added_rounds <- function(valued, by) unique(valued[used & !is.na(until), by, with = FALSE])

# What else tells cells apart. A figure maps some of the dimensions to axes, colours and panels; the rest must not be
# pooled. The smallest explanation of what still differs within a group of `by`: column after column, the one that
# leaves fewest designs together; of equal ones the one with fewest values, so that a campaign is told by its name and
# not by all its lengths and limits. At the end the label and the cell itself tell apart what no column does. Systems
# are never joined by a line or a comparison, so that they are always told.
hidden_columns <- function(records, by) {
  designs <- designs_of(records, by)
  candidates <- setdiff(intersect(dimensions(records), names(designs)), by)
  found <- intersect("site", varying_columns(designs, setdiff("site", by)))
  for (columns in list(candidates, setdiff("label", by), setdiff("cell", by))) {
    columns <- varying_columns(designs, columns)
    repeat {
      apart <- unique(designs[, unique(c(by, found, columns)), with = FALSE])
      together <- vapply(columns, function(column) designs_together(apart, c(by, found, column)), numeric(1))
      if (length(columns) == 0 || min(together) >= designs_together(apart, c(by, found))) break
      values <- vapply(columns, function(column) data.table::uniqueN(apart[[column]]), numeric(1))
      found <- c(found, columns[order(together, values)][1])
    }
  }
  found
}

# One row a cell and what it was set to. What differs among the runs of one cell was observed there and not set: this
# cell has no value of it, the others keep theirs.
designs_of <- function(records, by) {
  columns <- unique(c(intersect(c(by, dimensions(records), "label", "cell"), names(records))))
  designs <- unique(records[, columns, with = FALSE])
  observed <- setdiff(columns, c(by, "cell"))
  keys <- intersect(c("cell", by), names(designs))
  repeated <- designs[!is.na(cell) & (duplicated(designs, by = keys) | duplicated(designs, by = keys, fromLast = TRUE))]
  if (nrow(repeated) == 0) {
    return(designs)
  }
  for (column in observed) {
    varying <- repeated[, .(values = data.table::uniqueN(get(column))), by = keys][values > 1]
    if (nrow(varying) > 0) designs[varying, on = keys, (column) := NA]
  }
  unique(designs)
}

designs_together <- function(designs, by) {
  nrow(designs) - data.table::uniqueN(designs, by = by)
}

# Adds `variant`: as text, what differs beyond `by`; empty text where nothing does. Different values never get the same
# text.
add_variant <- function(records, by) {
  records <- name_chunks(records)
  designs <- designs_of(records, by)
  hidden <- hidden_columns(records, by)
  if (length(hidden) == 0) {
    return(records[, variant := ""][])
  }
  keys <- intersect(unique(c("cell", by)), names(designs))
  told <- records[, unique(c(keys, hidden, "api", "collective")), with = FALSE]
  told[!api %in% collective_apis, collective := NA]
  observed <- varying_in_cells(told, keys, hidden)
  if (length(observed) > 0) {
    settled <- designs[, .SD[1], by = keys, .SDcols = observed]
    told[, (observed) := settled[told, on = keys][, observed, with = FALSE]]
  }
  records[, variant := describe_uniquely(told, hidden)][]
}

varying_in_cells <- function(records, keys, columns) {
  named <- records[!is.na(cell)]
  Filter(function(column) {
    data.table::uniqueN(named, by = unique(c(keys, column))) > data.table::uniqueN(named, by = keys)
  }, setdiff(columns, keys))
}

# Sizes are rounded where the rounded texts differ.
describe_uniquely <- function(table, columns) {
  if (length(columns) == 0) {
    return(rep("", nrow(table)))
  }
  of_unique(table[, columns, with = FALSE], function(different) {
    words <- describe_columns(different, columns)
    rounded <- words[duplicated(words)]
    plain <- do.call(paste, c(lapply(columns, function(column) {
      paste(gsub("_", " ", column), ifelse(is.na(different[[column]]), "unknown", as.character(different[[column]])))
    }), sep = ", "))
    ifelse(words %in% rounded, plain, words)
  })
}

# No call of the other interfaces is collective, which is not worth a word.
collective_apis <- c("MPIIO", "HDF5", "NETCDF4", "PNETCDF")

# Chunks that follow the block are one setting, whatever their shape for each size; only where one size of block had
# several shapes do the shapes tell.
name_chunks <- function(records) {
  records <- data.table::copy(records)
  chunked <- which(!is.na(records$chunking) & records$chunking != "contiguous")
  shapes <- unique(records[chunked, .(tool, nn, ppn, xfer_bytes, chunking)])
  if (!anyDuplicated(shapes, by = c("tool", "nn", "ppn", "xfer_bytes"))) {
    data.table::set(records, i = chunked, j = "chunking", value = "chunked")
  }
  records
}

# The columns with more than one value: what a panel's title has to say.
varying_columns <- function(table, columns) {
  Filter(function(column) data.table::uniqueN(table[[column]]) > 1, columns)
}

add_note <- function(table, note) {
  # Some rows of tables that were bound have a note.
  before <- if (is.null(table$note)) "" else data.table::fcoalesce(as.character(table$note), "")
  data.table::copy(table)[, note := trimws(paste(before, ..note))][]
}
