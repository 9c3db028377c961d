# What the printed levels are worth: how often the intervals cover, how often identical settings seem to differ, and how
# often true differences are found. Synthetic series, and real ones where they are beside the checkout.

repeats <- 1500L

consecutive <- function(n, correlation, generate = stats::rnorm) {
  as.numeric(stats::filter(generate(n + 20) * sqrt(1 - correlation^2), correlation, method = "recursive"))[-(1:20)]
}

attained <- function(n, draw, middle = 0) {
  ranks <- ranks_of(n)
  covered <- with_seed(4711, replicate(repeats, {
    ends <- ends_of(sort(draw(n)), ranks)
    ends[1] <= middle && middle <= ends[2]
  }))
  c(printed = ranks$level, attained = mean(covered))
}

test_that("no interval attains more than two points less than it prints, whatever the series", {
  skip_if_quick()
  for (n in c(6, 8, 10, 16, 30)) {
    series <- list(
      normal = attained(n, stats::rnorm), skewed = attained(n, stats::rexp, log(2)),
      heavy = attained(n, function(n) stats::rt(n, 1.5)),
      autocorrelated = attained(n, function(n) consecutive(n, assumed_autocorrelation))
    )
    for (name in names(series)) {
      expect_gt(series[[name]][["attained"]], series[[name]][["printed"]] - 0.02 - 0.007, label = paste(name, n))
    }
  }
})

test_that("below six runs there is no interval, and at six the level says what the extremes are worth", {
  expect_true(all(is.na(unlist(ranks_of(5L)))))
  known <- ranks_of(6L)
  expect_equal(ends_of(1:6, known), c(1, 6))
  expect_equal(known$level, 0.906, tolerance = 0.005)
})

test_that("beyond the table the interval grows on: its half-width in ranks with the root of the runs", {
  table <- study_intervals()[rounds == "fixed"]
  last <- table[.N]
  expect_identical(ranks_of(last$n), last[, .(k, share, level)])
  half <- function(n, at) n / 2 - at$k - at$share
  expect_equal(half(4 * last$n, ranks_of(4 * last$n)), 2 * half(last$n, last), tolerance = 0.02)
})

test_that("records without the intervals of weir are drawn by nobody's guess", {
  path <- write_synthetic(synthetic_records(n = 6))
  unlink(intervals_beside(path))
  records <- read_records(path)
  expect_error(summarise_records(records, records$bw_mib_s, "access", "MiB/s"), "intervals.csv: no such file")
  use_intervals(assumed_intervals)
})

# A study in which half of the pairs differ by `ratio`, or none; each round disturbs all of its cells.
simulated <- function(ratio, rounds, cells = 8, noise = 0.08, shared = 0.1) {
  records <- with_cells(read_synthetic(
    access = "write", order = c("sequential", "random"), xfer_bytes = 2^(13 + seq_len(cells)), n = rounds,
    began = "2026-01-01T00:00:00"
  ))
  records[, disturbance := stats::rnorm(1, 0, shared), by = run]
  speed <- 100 * ifelse(records$order == "random", ratio,
    1) * exp(records$disturbance + stats::rnorm(nrow(records), 0, noise))
  records[, `:=`(bw_mib_s = speed, disturbance = NULL)]
  effects_of_settings(records)
}

test_that("of identical settings at most one in twenty is found clear, of true differences most are found", {
  skip_if_quick()
  found <- function(ratio, rounds, studies) {
    with_seed(99, vapply(seq_len(studies), function(i) {
      effects <- simulated(ratio, rounds)
      c(any(effects$clear), effects[dimension == "order"]$clear)
    }, logical(2)))
  }
  none <- found(1, 4, 60)
  # A table with a false discovery: 5 % in the long run, and of 60 tables not more than chance allows.
  expect_lte(sum(none[1, ]), stats::qbinom(0.999, 60, 0.05))
  expect_gt(mean(found(1.3, 4, 25)[2, ]), 0.95)
  expect_gt(mean(found(1.1, 8, 25)[2, ]), 0.9)
})

# Whether the interval of every n consecutive days holds the median of the 60 days around them.
covering_days <- function(values, n) {
  at <- ranks_of(n)
  middle_of <- function(first) stats::median(values[max(1, first + n / 2 - 30):min(length(values), first + n / 2 + 29)])
  list(covered = vapply(seq(1, length(values) - n + 1, by = n), function(first) {
    ends <- ends_of(sort(values[first:(first + n - 1)]), at)
    ends[1] <= middle_of(first) && middle_of(first) <= ends[2]
  }, logical(1)))
}

replayed <- file.path(dirname(checkout), "shared", "reference", "tokio-year.csv")

test_that("on a year of real file systems the intervals cover the median, in the order of time", {
  skip_if_quick()
  skip_if(!file.exists(replayed), "no ../shared/reference/tokio-year.csv beside the checkout")
  year <- data.table::fread(replayed, integer64 = "numeric")[bw_mib_s > 0]
  year[, series := paste(system, file_system, app, access, layout)]
  data.table::setorder(year, series, started_unix)
  for (n in c(8L, 16L)) {
    found <- year[, if (.N >= 100) covering_days(bw_mib_s, n), by = series]
    expect_gt(mean(found$covered), interval_level - 0.02, label = sprintf("n = %d in order of time", n))
  }
})
