# From records to points: medians with bootstrap intervals, one verdict for each point, no unlike cells in one point.

resamples <- 10000L
bootstrap_seed <- 20181020L
fewest_for_interval <- 3L

# Percentile bootstrap of the median. The median of a resample of n sorted values is one of them (n odd) or the mean of
# two neighbours in rank (n even), so it is enough to draw the ranks: order statistics of n uniform numbers are Beta
# distributed, which costs the same for three repetitions and for ten thousand operations.
bootstrap_ranks <- local({
  known <- new.env()
  function(n) {
    key <- as.character(n)
    if (is.null(known[[key]])) {
      known[[key]] <- with_seed(bootstrap_seed + n, draw_median_ranks(n))
    }
    known[[key]]
  }
})

draw_median_ranks <- function(n) {
  lower <- (n + 1) %/% 2
  first <- stats::rbeta(resamples, lower, n - lower + 1)
  second <- if (n %% 2 == 1) first else first + (1 - first) * stats::rbeta(resamples, 1, n - lower)
  cbind(pmax(1, ceiling(first * n)), pmin(n, pmax(1, ceiling(second * n))))
}

# The caller's own random numbers go on as if nothing had happened.
with_seed <- function(seed, expression) {
  before <- globalenv()$.Random.seed
  on.exit(if (is.null(before)) rm(".Random.seed", envir = globalenv()) else assign(".Random.seed", before, globalenv()))
  set.seed(seed, kind = "Mersenne-Twister", normal.kind = "Inversion", sample.kind = "Rejection")
  expression
}

median_interval <- function(values, level = 0.95) {
  values <- sort(values[!is.na(values)])
  n <- length(values)
  if (n == 0) {
    return(list(n = 0L, median = NA_real_, lo = NA_real_, hi = NA_real_))
  }
  interval <- c(NA_real_, NA_real_)
  if (n >= fewest_for_interval) {
    ranks <- bootstrap_ranks(n)
    medians <- (values[ranks[, 1]] + values[ranks[, 2]]) / 2
    interval <- stats::quantile(medians, c((1 - level) / 2, (1 + level) / 2), names = FALSE)
  }
  list(n = n, median = stats::median(values), lo = interval[1], hi = interval[2])
}

# No interval between the extremes of n independent values covers the median more often than this.
coverage_limit <- function(n) {
  1 - 2^(1 - n)
}

# One row for each combination of `by`. VALID and DEGRADED records are usable and go into the same median, so that no
# repetition is picked by how it went; one degraded record makes the point degraded. INVALID ones are only counted.
summarise_records <- function(records, value, by, unit) {
  if (nrow(records) == 0) {
    return(data.table::data.table())
  }
  points <- data.table::copy(records)[, value_of_record := value]
  points <- points[, summarise_point(value_of_record, verdict, emulated), by = by]
  data.table::setorderv(points, by)
  points[, unit := unit][]
}

summarise_point <- function(values, verdict, emulated) {
  used <- verdict != "INVALID" & !is.na(values)
  c(
    median_interval(values[used]),
    list(
      mean = if (any(used)) mean(values[used]) else NA_real_,
      best = if (any(used)) max(values[used]) else NA_real_,
      verdict = point_verdict(verdict[used]),
      n_degraded = sum(verdict[used] == "DEGRADED"),
      n_invalid = sum(verdict == "INVALID"),
      n_unknown = sum(!used & verdict != "INVALID"),
      emulated = any(emulated)
    )
  )
}

point_verdict <- function(used) {
  if (length(used) == 0) "INVALID" else if (any(used == "DEGRADED")) "DEGRADED" else "VALID"
}

# What else tells cells apart. A figure maps some of these to axes, colours and panels; the rest must not be pooled. The
# label stands for what has no column of its own.
design_columns <- c(
  "site", "target", "stack", "tool", "api", "nn", "ppn", "xfer_bytes", "layout", "order", "collective", "direct",
  "chunking", "fill", "unlimited", "deflate_level", "sync", "segments", "stonewall_s", "block_bytes", "stripe_count",
  "program", "experiment", "suite"
)

# The smallest explanation of what still differs within a group of `by`: column after column, the one that leaves fewest
# designs together; of equal ones the one with fewest values, so that a campaign is told by its name and not by all its
# lengths and limits. What differs among the repetitions of one cell was observed there, not designed.
hidden_columns <- function(records, by) {
  candidates <- setdiff(design_columns, by)
  named <- records[!is.na(cell)]
  observed <- Filter(function(column) any(differs_within(named, c("cell", "access", by), column)), candidates)
  found <- character()
  for (columns in list(setdiff(candidates, observed), setdiff("label", by))) {
    designs <- unique(records[, unique(c(by, found, columns)), with = FALSE])
    repeat {
      together <- vapply(columns, function(column) designs_together(designs, c(by, found, column)), numeric(1))
      if (length(columns) == 0 || min(together) >= designs_together(designs, c(by, found))) break
      values <- vapply(columns, function(column) data.table::uniqueN(designs[[column]]), numeric(1))
      found <- c(found, columns[order(together, values)][1])
    }
  }
  found
}

differs_within <- function(records, groups, column) {
  records[, .(differs = data.table::uniqueN(.SD[[1]]) > 1), by = c(groups), .SDcols = column]$differs
}

designs_together <- function(designs, by) {
  sum(designs[, .(others = .N - 1), by = c(by)]$others)
}

# Adds `variant`: in words, what differs beyond `by`; empty text where nothing does.
add_variant <- function(records, by) {
  hidden <- hidden_columns(records, by)
  records <- data.table::copy(records)
  records[, variant := describe_columns(.SD, hidden)][]
}

# Of the columns, those with more than one value: what a panel's title has to say.
varying_columns <- function(table, columns) {
  Filter(function(column) data.table::uniqueN(table[[column]]) > 1, columns)
}

# A page holds so many rows of panels. Above that only the extremes of processes, then of nodes stay, then the first
# rows; `note` says so. Every cell is in the table of bandwidths.
keep_extremes <- function(table, panels, most) {
  for (column in intersect(c("ppn", "nn"), panels)) {
    if (panel_count(table, panels) > most) {
      table <- keep_ends(table, column)
    }
  }
  kept <- unique(table, by = panels)
  if (nrow(kept) > most) {
    table <- table[kept[seq_len(most), panels, with = FALSE], on = panels]
    table <- add_note(table, sprintf("The first %d of %d rows of panels.", most, nrow(kept)))
  }
  table
}

keep_ends <- function(table, column) {
  values <- sort(unique(table[[column]]))
  if (length(values) < 3) {
    return(table)
  }
  what <- c(nn = "nodes", ppn = "processes per node")[[column]]
  said <- sprintf("Of %s %s only the first and the last.", paste(values, collapse = ", "), what)
  add_note(table[table[[column]] %in% range(values)], said)
}

add_note <- function(table, said) {
  before <- if (is.null(table$note)) "" else table$note
  data.table::copy(table)[, note := trimws(paste(before, said))][]
}

panel_count <- function(table, panels) {
  if (nrow(table) == 0) 0L else data.table::uniqueN(table, by = panels)
}
