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

# The different outcomes of the resampling and how often each came: far fewer than resamples, so that a study of ten
# thousand points takes seconds.
bootstrap_outcomes <- local({
  known <- new.env()
  function(n) {
    key <- as.character(n)
    if (is.null(known[[key]])) {
      ranks <- bootstrap_ranks(n)
      outcomes <- data.table::data.table(lower = ranks[, 1], upper = ranks[, 2])
      known[[key]] <- outcomes[, .(times = .N), by = .(lower, upper)]
    }
    known[[key]]
  }
})

median_interval <- function(values, level = 0.95) {
  values <- sort(values[!is.na(values)])
  n <- length(values)
  if (n == 0) {
    return(list(n = 0L, median = NA_real_, lo = NA_real_, hi = NA_real_))
  }
  interval <- c(NA_real_, NA_real_)
  if (n >= fewest_for_interval) {
    outcomes <- bootstrap_outcomes(n)
    medians <- (values[outcomes$lower] + values[outcomes$upper]) / 2
    interval <- counted_quantiles(medians, outcomes$times, c((1 - level) / 2, (1 + level) / 2))
  }
  list(n = n, median = stats::median(values), lo = interval[1], hi = interval[2])
}

# What stats::quantile gives for rep(values, times).
counted_quantiles <- function(values, times, chances) {
  rising <- order(values)
  reached <- cumsum(times[rising])
  place <- (reached[length(reached)] - 1) * chances + 1
  below <- values[rising][findInterval(floor(place), reached, left.open = TRUE) + 1]
  above <- values[rising][findInterval(ceiling(place), reached, left.open = TRUE) + 1]
  below + (place - floor(place)) * (above - below)
}

# No interval between the extremes of n independent values covers the median more often than this.
coverage_limit <- function(n) {
  1 - 2^(1 - n)
}

# One row for each combination of `by`. VALID, UNPROVEN and DEGRADED records are usable and go into the same median, so
# that no repetition is picked by how it went; the worst of them is the verdict of the point. INVALID ones are only
# counted.
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
  if (length(used) == 0) "INVALID" else verdicts[max(match(used, verdicts))]
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
  observed <- Filter(function(column) differs_within(named, c("cell", "access", by), column), candidates)
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
  data.table::uniqueN(records, by = c(groups, column)) > data.table::uniqueN(records, by = groups)
}

designs_together <- function(designs, by) {
  nrow(designs) - data.table::uniqueN(designs, by = by)
}

# Adds `variant`: in words, what differs beyond `by`; empty text where nothing does.
add_variant <- function(records, by) {
  records <- name_chunks(records)
  hidden <- hidden_columns(records, by)
  said <- data.table::copy(records)[!api %in% collective_apis, collective := NA]
  records[, variant := describe_columns(said, hidden)][]
}

# Of the others no call is collective, which is not worth a word.
collective_apis <- c("MPIIO", "HDF5", "NETCDF4", "PNETCDF")

# Chunks that follow the block are one choice, whatever their shape for each size; only where one size of block had
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

# Of the columns, those with more than one value: what a panel's title has to say.
varying_columns <- function(table, columns) {
  Filter(function(column) data.table::uniqueN(table[[column]]) > 1, columns)
}

add_note <- function(table, said) {
  before <- if (is.null(table$note)) "" else table$note
  data.table::copy(table)[, note := trimws(paste(before, said))][]
}
