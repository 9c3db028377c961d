test_that("the best point is of usable records where there are some", {
  records <- read_synthetic(xfer_bytes = c(2^20, 2^22), n = 3)
  records[xfer_bytes == 2^22, `:=`(verdict = "DEGRADED", bw_mib_s = 1e6)]
  best <- best_points(bandwidth_points(records))
  expect_equal(best$access, c("write", "read"))
  expect_equal(best$verdict, c("VALID", "VALID"))
  expect_equal(best$xfer_bytes, c(2^20, 2^20))
  expect_equal(best_points(bandwidth_points(records[verdict == "DEGRADED"]))$verdict, c("DEGRADED", "DEGRADED"))
})

test_that("the best of many equal points reads high, and what is expected of it does not", {
  skip_if_quick()
  high <- with_seed(3, vapply(1:20, function(i) {
    records <- read_synthetic(access = "write", xfer_bytes = 1:66 * 2^14, n = 4)
    records[, bw_mib_s := 100 * exp(stats::rnorm(.N, 0, 0.2))]
    best <- best_points(bandwidth_points(records))
    c(best$median, best$expected, best$tied)
  }, numeric(3)))
  expect_gt(mean(high[1, ]), 120)
  expect_lt(abs(mean(high[2, ]) - 100), 8)
  expect_gt(stats::median(high[3, ]), 40)
})

test_that("nothing measured gives no points and no error", {
  nothing <- read_synthetic()[0]
  expect_equal(nrow(bandwidth_points(nothing)), 0)
  expect_equal(nrow(best_points(bandwidth_points(nothing))), 0)
  expect_equal(nrow(effects_of_settings(nothing)), 0)
})

test_that("a metric is one file, and takes the place of bandwidth", {
  expect_true(all(c("bandwidth", "bandwidth-io", "iops", "metadata-rate", "p99", "rate") %in% metric_names()))
  records <- read_synthetic(xfer_bytes = 2^c(14, 17, 20), lat_p99_us = 5)[,
    lat_p99_us := ifelse(xfer_bytes == 2^14, 1, 7)]
  best <- best_points(metric_points(records, load_metric("p99")), c("target", "access"), load_metric("p99")$better)
  expect_equal(best$median, c(1, 1))
  table <- load_part("figure", "transfer-size")$make_table(records, list(metric = "p99"))
  expect_setequal(table$median, c(1, 7))
  expect_error(load_metric("speed"), "no metric 'speed' in config/metrics: there are bandwidth")
  folder <- file.path(scratch("top"), "config", "metrics")
  dir.create(folder, recursive = TRUE)
  top <- dirname(dirname(folder))
  lines <- c("metric: files", "title: files", "unit: files")
  writeLines(c(lines, "value: [ops / total_s, ops]"), file.path(folder, "files.yaml"))
  files <- load_metric("files", file.path(top, "analysis"))
  expect_identical(files$unit, "files")
  expect_equal(files$value(data.table(ops = c(8, 8, 0), total_s = c(2, NA, 1))), c(4, 8, NA))
  writeLines(c(lines, "value: [system('id')]"), file.path(folder, "files.yaml"))
  expect_error(load_metric("files", file.path(top, "analysis")), "is not a formula of columns")
})
