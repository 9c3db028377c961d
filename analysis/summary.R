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

with_seed <- function(seed, expression) {
  before <- if (exists(".Random.seed", globalenv())) get(".Random.seed", globalenv())
  on.exit(if (is.null(before)) rm(".Random.seed", envir = globalenv())
          else assign(".Random.seed", before, globalenv())) # nolint: brace_linter.
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

# One row for each combination of `by`. A point is the median of its VALID records; only where it has none, of its
# DEGRADED ones, and then its verdict says so. INVALID records give no number and are counted.
summarise_records <- function(records, value, by, unit) {
  if (nrow(records) == 0) {
    return(data.table::data.table())
  }
  points <- data.table::copy(records)[, value_of_record := value]
  points <- points[, summarise_point(value_of_record, verdict, emulated), by = by]
  points[, unit := unit][]
}

summarise_point <- function(values, verdict, emulated) {
  known <- !is.na(values)
  shown <- if (any(known & verdict == "VALID")) "VALID" else if (any(known & verdict == "DEGRADED")) "DEGRADED" else "INVALID"
  used <- known & verdict == shown & shown != "INVALID"
  c(
    median_interval(values[used]),
    list(
      mean = if (any(used)) mean(values[used]) else NA_real_,
      best = if (any(used)) max(values[used]) else NA_real_,
      verdict = shown,
      n_valid = sum(verdict == "VALID"), n_degraded = sum(verdict == "DEGRADED"), n_invalid = sum(verdict == "INVALID"),
      n_unknown = sum(!known & verdict != "INVALID"),
      emulated = any(emulated[used])
    )
  )
}

# What else tells cells apart. A figure maps some of these to axes, colours and panels; the rest must not be pooled.
design_columns <- c(
  "site", "target", "stack", "tool", "api", "nn", "ppn", "xfer_bytes", "layout", "order", "collective", "sync", "direct",
  "chunking", "fill", "unlimited", "deflate_level", "segments", "stonewall_s", "block_bytes", "stripe_count", "program",
  "experiment", "suite"
)

# The design columns that still differ within a group of `by`, in the order above, each only if the ones before it do
# not explain it already.
hidden_columns <- function(records, by) {
  found <- character()
  for (column in setdiff(design_columns, by)) {
    groups <- records[, .(kinds = data.table::uniqueN(.SD[[1]])), by = c(by, found), .SDcols = column]
    if (any(groups$kinds > 1)) {
      found <- c(found, column)
    }
  }
  found
}

# Adds `variant`: in words, what differs beyond `by`; empty text where nothing does.
add_variant <- function(records, by) {
  hidden <- hidden_columns(records, by)
  records <- data.table::copy(records)
  records[, variant := describe_columns(.SD, hidden)][]
}
