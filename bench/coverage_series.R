# Series of values, made and measured, and how often an interval of consecutive ones holds their median: for coverage.R.

counts <- c(6L, 8L, 10L, 16L, 20L)
correlations <- c(0, 0.2, assumed_autocorrelation)
# As weir writes them: of these records, or of a study with too few runs to estimate its autocorrelation.
written_intervals <- function(records = NULL) {
  out <- tempfile(fileext = ".csv")
  told <- if (!is.null(records)) tempfile(fileext = ".csv")
  if (!is.null(records)) fwrite(records[, .(cell, access, item, verdict, run, bw_mib_s, ops_s)], told)
  stopifnot(system2(".venv/bin/python", c("-m", "weir.collect.intervals", out, told)) == 0)
  out
}
assumed_intervals <- written_intervals()
use_intervals(assumed_intervals)

# A matrix: a row for each series of n values.
normal_series <- function(times, n, correlation) {
  made <- matrix(rnorm(times * n), times)
  for (i in seq_len(n)[-1]) made[, i] <- correlation * made[, i - 1] + sqrt(1 - correlation^2) * made[, i]
  made
}

series_of <- function(n, correlation) normal_series(1, n, correlation)[1, ]

sorted_rows <- function(values) matrix(values[order(row(values), values)], nrow(values), byrow = TRUE)

# Low and high end of the interval of each row.
ends_of_rows <- function(values, at) {
  sorted <- sorted_rows(values)
  n <- ncol(sorted)
  inner <- min(at$k + 1, n)
  list(
    lo = (1 - at$share) * sorted[, at$k] + at$share * sorted[, inner],
    hi = (1 - at$share) * sorted[, n + 1 - at$k] + at$share * sorted[, n + 1 - inner],
    median = (sorted[, (n + 1) %/% 2] + sorted[, n %/% 2 + 1]) / 2
  )
}

# Of one series.
ends_of <- function(values, at) unlist(ends_of_rows(matrix(values, 1), at)[c("lo", "hi")], use.names = FALSE)

share_held <- function(values, at, middle) {
  ends <- ends_of_rows(values, at)
  mean(ends$lo <= middle & middle <= ends$hi)
}

# Windows of n consecutive values from every quarter of n on: where a few long disturbances decide what is held, one
# alignment of the windows is one of many.
starts_of <- function(count, n) seq(1, count - n + 1, by = max(1, n %/% 4))

rounds_around <- function(first, n, count, around = 60) {
  max(1, first + n / 2 - around / 2):min(count, first + n / 2 + around / 2 - 1)
}

median_around <- function(values, first, n) median(values[rounds_around(first, n, length(values))])

# Every n consecutive values against the median of the 60 around them.
replayed_coverage <- function(table, n) {
  at <- ranks_of(n)
  found <- table[, if (.N >= 60) .(covered = vapply(starts_of(.N, n), function(first) {
    middle <- median_around(value, first, n)
    ends <- ends_of(value[first:(first + n - 1)], at)
    ends[1] <= middle && middle <= ends[2]
  }, TRUE)), by = series]
  if (nrow(found) == 0) NA_real_ else mean(found$covered)
}

# Every n consecutive rounds of a real series as a campaign of their own, with the autocorrelation and the drift that
# the analysis finds in them, against the median of the 60 rounds around.
campaign_coverage <- function(records, n, around = 60) {
  by <- c("target", "access", "cell")
  records <- copy(records)[, at := seq_len(.N), by = by]
  held <- lapply(starts_of(max(records$at), n), function(first) {
    campaign <- records[at >= first & at < first + n]
    use_intervals(written_intervals(campaign))
    points <- summarise_records(campaign, bandwidth_all(campaign), by, "MiB/s")
    near <- records[abs(at - (first + n / 2)) <= around / 2, .(middle = median(bw_mib_s)), by = by]
    points[near, on = by][, lo <= middle & middle <= hi]
  })
  use_intervals(assumed_intervals)
  mean(unlist(held), na.rm = TRUE)
}

percent <- function(part) ifelse(is.na(part), "--", sprintf("%.1f %%", 100 * part))

# What a series has to tell: `values`, a table of series and value in the order of time; `in_time`, the coverage of n
# consecutive runs of it, NULL where the order of its values is unknown.
ordered_series <- function(values) list(values = values, in_time = function(n) replayed_coverage(values, n))

series_of_2018 <- function(path) {
  rows <- fread(path, integer64 = "numeric")[is.finite(bw_mib_s) & bw_mib_s > 0]
  rows[, series := paste(campaign, api, access, nn, ppn, xfer_bytes, layout, order, stripe_count)]
  list(values = rows[, .(series, value = bw_mib_s)][, if (.N > 1) .SD, by = series], in_time = NULL)
}

series_of_a_year <- function(path) {
  rows <- fread(path, integer64 = "numeric")[bw_mib_s > 0]
  rows[, `:=`(value = bw_mib_s, series = paste(system, file_system, app, access, layout))]
  setorder(rows, series, started_unix)
  ordered_series(rows[, .(series, value)])
}

# Records of weir; what the audit doubts takes no part in the analysis.
series_of_records <- function(path) {
  records <- read_records(path)[verdict %in% usable_verdicts & is.finite(bw_mib_s)]
  records[, `:=`(value = bw_mib_s, series = paste(cell, access))]
  setorder(records, series, run)
  cat(sprintf("%s: %d runs in %d series, autocorrelation %.2f\n\n", path, nrow(records), uniqueN(records$series),
    study_autocorrelation()))
  use_intervals(assumed_intervals)
  list(values = records[, .(series, value)], in_time = function(n) campaign_coverage(records, n))
}

# Values drawn from all runs of a population over the medians of their series: of standard normal values those of the
# same rank.
drawn_from <- function(values) {
  sorted <- sort(values[, value / median(value), by = series]$V1)
  list(
    middle = sorted[ceiling(length(sorted) / 2)],
    draw = function(normal) array(sorted[ceiling(pnorm(normal) * length(sorted))], dim(normal))
  )
}

normal_population <- list(middle = 1, draw = function(normal) exp(0.08 * normal))
