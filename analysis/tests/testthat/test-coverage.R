# What the printed levels are worth: how often the intervals cover, how often identical settings seem to differ, and how
# often true differences are found. Synthetic series, and real ones where they are beside the checkout.

repeats <- 1500L

consecutive <- function(n, correlation, generate = stats::rnorm) {
  as.numeric(stats::filter(generate(n + 20) * sqrt(1 - correlation^2), correlation, method = "recursive"))[-(1:20)]
}

attained <- function(n, assumed, draw, middle = 0) {
  ranks <- interval_ranks(n, side_correlation(assumed))
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
      normal = attained(n, 0, stats::rnorm), skewed = attained(n, 0, stats::rexp, log(2)),
      heavy = attained(n, 0, function(n) stats::rt(n, 1.5)),
      autocorrelated = attained(n, 0.35, function(n) consecutive(n, 0.35))
    )
    for (name in names(series)) {
      expect_gt(series[[name]][["attained"]], series[[name]][["printed"]] - 0.02 - 0.007, label = paste(name, n))
    }
  }
})

test_that("below six runs there is no interval, and at six the level says what the extremes are worth", {
  expect_true(all(is.na(unlist(median_interval(1:5, 0)[c("lo", "hi", "level")]))))
  known <- median_interval(1:6, assumed_autocorrelation)
  expect_equal(unlist(known[c("lo", "hi")]), c(lo = 1, hi = 6))
  expect_equal(known$level, 0.912, tolerance = 0.005)
  expect_equal(level_of_rank(1, 6, 0), 1 - 2^-5)
})

test_that("the autocorrelation of a study is estimated from how often neighbours are on one side", {
  made <- function(correlation) {
    values <- with_seed(17, unlist(lapply(1:200, function(i) consecutive(8, correlation))))
    estimate_autocorrelation(values, rep(1:200, each = 8))
  }
  expect_lt(made(0)$value, 0.1)
  expect_gt(made(0.5)$value, 0.3)
  few <- estimate_autocorrelation(stats::rnorm(20), rep(1:5, each = 4))
  expect_identical(few[c("value", "estimated")], list(value = assumed_autocorrelation, estimated = FALSE))
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

covering <- function(values, n, ranks) {
  replicate(100, {
    ends <- ends_of(sort(sample(values, n)), ranks)
    ends[1] <= stats::median(values) && stats::median(values) <= ends[2]
  })
}

# Of every n consecutive days, whether their interval holds the median of the 60 days around them.
covering_days <- function(values, n) {
  at <- interval_ranks(n, side_correlation(assumed_autocorrelation))
  middle_of <- function(first) stats::median(values[max(1, first + n / 2 - 30):min(length(values), first + n / 2 + 29)])
  list(covered = vapply(seq(1, length(values) - n + 1, by = n), function(first) {
    ends <- ends_of(sort(values[first:(first + n - 1)]), at)
    ends[1] <= middle_of(first) && middle_of(first) <= ends[2]
  }, logical(1)))
}

replayed <- file.path(dirname(checkout), "shared", "reference", "tokio-year.csv")

test_that("on a year of real file systems the intervals cover the median, in random order and in that of time", {
  skip_if_quick()
  skip_if(!file.exists(replayed), "no ../shared/reference/tokio-year.csv beside the checkout")
  year <- data.table::fread(replayed, integer64 = "numeric")[bw_mib_s > 0]
  year[, series := paste(system, file_system, app, access, layout)]
  data.table::setorder(year, series, started_unix)
  for (n in c(8L, 16L)) {
    found <- year[, if (.N >= 100) covering_days(bw_mib_s, n), by = series]
    expect_gt(mean(found$covered), interval_level - 0.02, label = sprintf("n = %d in order of time", n))
  }
  for (n in c(8L, 16L)) {
    at <- interval_ranks(n, 0)
    covered <- with_seed(11, year[, if (.N >= 200) covering(bw_mib_s, n, at), by = series]$V1)
    expect_gt(mean(covered), at$level - 0.02, label = sprintf("n = %d: attained %.3f", n, mean(covered)))
  }
})
