# The bootstrap distribution of the median of n values, n odd, is known: the resampled median is at most the k-th value
# if at least (n + 1) / 2 of the n draws are.
chance_of_at_most <- function(k, n) {
  1 - stats::pbinom((n + 1) / 2 - 1, n, k / n)
}

test_that("resampled medians follow the known distribution", {
  for (n in c(3, 5, 11)) {
    ranks <- bootstrap_ranks(n)
    expect_identical(ranks[, 1], ranks[, 2])
    seen <- vapply(seq_len(n), function(k) mean(ranks[, 1] <= k), numeric(1))
    expected <- vapply(seq_len(n), chance_of_at_most, numeric(1), n = n)
    expect_lt(max(abs(seen - expected)), 0.02)
  }
})

test_that("of an even number the two middle values of a resample are drawn together", {
  n <- 4
  draws <- expand.grid(rep(list(seq_len(n)), n))
  middle <- t(apply(draws, 1, function(draw) sort(draw)[2:3]))
  expected <- table(paste(middle[, 1], middle[, 2])) / nrow(draws)
  ranks <- bootstrap_ranks(n)
  seen <- table(factor(paste(ranks[, 1], ranks[, 2]), names(expected))) / nrow(ranks)
  expect_identical(sum(seen), 1)
  expect_lt(max(abs(seen - expected)), 0.02)
})

test_that("known answers", {
  expect_identical(median_interval(numeric()), list(n = 0L, median = NA_real_, lo = NA_real_, hi = NA_real_))
  expect_identical(median_interval(c(2, NA, 4))[c("n", "median", "lo")], list(n = 2L, median = 3, lo = NA_real_))
  expect_identical(median_interval(c(30, 10, 20)), list(n = 3L, median = 20, lo = 10, hi = 30))
  expect_identical(median_interval(rep(7, 9)), list(n = 9L, median = 7, lo = 7, hi = 7))
})

test_that("the same values give the same interval, in any order and whatever else is random", {
  values <- c(5, 3, 8, 9, 1, 7, 2)
  set.seed(1)
  first <- median_interval(values)
  expect_identical(first, median_interval(rev(values)))
  set.seed(1)
  before <- stats::runif(1)
  set.seed(1)
  with_seed(3, stats::runif(5))
  expect_identical(stats::runif(1), before)
})

test_that("intervals of thirty values cover the median about as often as they say", {
  covered <- with_seed(4711, vapply(seq_len(1000), function(i) {
    interval <- median_interval(stats::rexp(30))
    interval$lo <= log(2) && log(2) <= interval$hi
  }, logical(1)))
  expect_gt(mean(covered), 0.92)
  expect_lt(mean(covered), 0.98)
})

test_that("intervals of three values cover as rarely as is said", {
  expect_identical(coverage_limit(3), 0.75)
  covered <- with_seed(4711, vapply(seq_len(2000), function(i) {
    values <- stats::rexp(3)
    interval <- median_interval(values)
    interval$lo <= log(2) && log(2) <= interval$hi
  }, logical(1)))
  expect_lt(abs(mean(covered) - 0.75), 0.04)
})

test_that("invalid records give no number and are counted; a degraded one marks its point", {
  records <- read_synthetic(access = "write", n = 4)
  records[, bw_mib_s := c(10, 20, 30, 1000)]
  records[4, verdict := "INVALID"]
  point <- summarise_records(records, records$bw_mib_s, "access", "MiB/s")
  expect_identical(point[, .(n, median, best, verdict, n_invalid)], data.table(
    n = 3L, median = 20, best = 30, verdict = "VALID", n_invalid = 1L
  ))
  records[2, verdict := "DEGRADED"]
  point <- summarise_records(records, records$bw_mib_s, "access", "MiB/s")
  expect_identical(point[, .(n, verdict, n_degraded)], data.table(n = 3L, verdict = "DEGRADED", n_degraded = 1L))
  records[, verdict := "INVALID"]
  point <- summarise_records(records, records$bw_mib_s, "access", "MiB/s")
  expect_identical(point[, .(n, median, verdict, n_invalid)], data.table(
    n = 0L, median = NA_real_, verdict = "INVALID", n_invalid = 4L
  ))
})

test_that("one emulated record makes its point emulated", {
  records <- read_synthetic(access = "write", emulated = c(FALSE, TRUE, FALSE))
  expect_true(summarise_records(records, records$bw_mib_s, "access", "MiB/s")$emulated)
})

test_that("cells that differ beyond the mapped columns are found, those that follow from them are not", {
  mapped <- c("access", "xfer_bytes", "target")
  records <- read_synthetic(xfer_bytes = c(2^14, 2^20))
  records[, block_bytes := xfer_bytes * 8]
  expect_identical(hidden_columns(records, mapped), character())
  expect_identical(unique(add_variant(records, mapped)$variant), "")
  both <- rbind(records[, direct := FALSE], data.table::copy(records)[, direct := TRUE])
  expect_identical(hidden_columns(both, mapped), "direct")
  expect_setequal(add_variant(both, mapped)$variant, c("buffered", "O_DIRECT"))
})

test_that("quantiles of counted values are those of the values themselves", {
  values <- c(30, 10, 20)
  times <- c(5, 9970, 25)
  chances <- c(0, 0.025, 0.5, 0.9975, 1)
  expect_equal(counted_quantiles(values, times, chances), stats::quantile(rep(values, times), chances, names = FALSE))
})

test_that("a campaign is told by its name, not by all that was different in it", {
  mapped <- c("access", "nn", "xfer_bytes")
  first <- read_synthetic(nn = c(1, 2), xfer_bytes = c(2^14, 2^20))
  first[, `:=`(experiment = "first", stonewall_s = 30 * nn, block_bytes = xfer_bytes * nn)]
  second <- data.table::copy(first)[, `:=`(experiment = "second", stonewall_s = 15 * nn, block_bytes = xfer_bytes)]
  expect_identical(hidden_columns(rbind(first, second), mapped), "experiment")
})

test_that("what differs among repetitions keeps a cell together, what no column tells is told by the label", {
  records <- read_synthetic(access = "write")
  records[, `:=`(cell = "a", label = "one", stripe_count = c(5, 7, 8))]
  expect_identical(hidden_columns(records, "access"), character())
  other <- data.table::copy(records)[, `:=`(cell = "b", label = "another")]
  expect_identical(hidden_columns(rbind(records, other), "access"), "label")
})
