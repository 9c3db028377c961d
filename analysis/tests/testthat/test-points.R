test_that("the best point is a valid one where there is one", {
  records <- read_synthetic(xfer_bytes = c(2^20, 2^22), n = 3)
  records[xfer_bytes == 2^22, `:=`(verdict = "DEGRADED", bw_mib_s = 1e6)]
  best <- best_points(bandwidth_points(records))
  expect_equal(best$access, c("write", "read"))
  expect_equal(best$verdict, c("VALID", "VALID"))
  expect_equal(best$xfer_bytes, c(2^20, 2^20))
  expect_equal(best$best_record, c(1e6, 1e6))
  expect_equal(best_points(bandwidth_points(records[verdict == "DEGRADED"]))$verdict, c("DEGRADED", "DEGRADED"))
})

test_that("a choice is a ratio of medians of points that differ in nothing else", {
  records <- read_synthetic(order = c("sequential", "random"), xfer_bytes = c(2^14, 2^20))
  records[, bw_mib_s := 100 * ifelse(order == "random", 0.5, 1) * ifelse(xfer_bytes == 2^20, 4, 1)]
  ratios <- choice_ratios(bandwidth_points(records))
  expect_equal(unique(ratios[column == "order", .(choice, instead_of, pairs, ratio, lowest, highest)]), data.table(
    choice = "random", instead_of = "sequential", pairs = 2L, ratio = 0.5, lowest = 0.5, highest = 0.5
  ))
  expect_equal(unique(ratios[column == "xfer_bytes", ratio]), 4)
})

test_that("degraded points take no part in a choice", {
  records <- read_synthetic(order = c("sequential", "random"))
  records[order == "random", verdict := "DEGRADED"]
  expect_equal(nrow(choice_ratios(bandwidth_points(records))), 0)
})

test_that("experiments that measured the same are compared", {
  records <- read_synthetic()
  again <- data.table::copy(records)[, `:=`(experiment = "two", bw_mib_s = 3 * bw_mib_s)]
  expect_equal(experiment_ratios(rbind(records, again))$ratio, c(3, 3))
  expect_equal(nrow(experiment_ratios(records)), 0)
})

test_that("nothing measured gives no points and no error", {
  nothing <- read_synthetic()[0]
  expect_equal(nrow(bandwidth_points(nothing)), 0)
  expect_equal(nrow(best_points(bandwidth_points(nothing))), 0)
})
