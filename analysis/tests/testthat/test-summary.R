# Points: what is pooled, what is not, and which records a number is made of.

test_that("usable records make the number; degraded ones do where there are no others; invalid ones are counted", {
  records <- read_synthetic(access = "write", n = 4)[, bw_mib_s := c(10, 20, 30, 1000)]
  expect_point <- function(of_records, ...) {
    point <- summarise_records(records[, verdict := of_records], records$bw_mib_s, "access", "MiB/s")
    expect_identical(as.list(point)[names(list(...))], list(...))
  }
  valid <- "VALID"
  expect_point(c(valid, valid, valid, "INVALID"), n = 3L, median = 20, best = 30, verdict = valid, n_invalid = 1L)
  expect_point(c(valid, "UNPROVEN", valid, "INVALID"), n = 3L, median = 20, verdict = "UNPROVEN", n_unproven = 1L)
  expect_point(c(valid, "UNPROVEN", "DEGRADED", "INVALID"), n = 2L, median = 15, n_degraded = 1L)
  expect_point(c(rep("DEGRADED", 3), "INVALID"), n = 3L, median = 20, verdict = "DEGRADED")
  expect_point(rep("INVALID", 4), n = 0L, median = NA_real_, verdict = "INVALID", n_invalid = 4L)
})

test_that("the iterations of a run are one value", {
  records <- read_synthetic(access = "write", n = 6)[, `:=`(run = iteration %/% 3, bw_mib_s = c(1, 2, 9, 11, 20, 30))]
  point <- summarise_records(records, records$bw_mib_s, "access", "MiB/s")
  expect_identical(point[, .(n, n_records, median)], data.table(n = 2L, n_records = 6L, median = 11))
  expect_identical(unname(point$values[[1]]), c(2, 20))
})

test_that("points of many groups are those of each alone", {
  records <- read_synthetic(xfer_bytes = 2^(14:20), n = 9)
  records[, bw_mib_s := with_seed(5, stats::rexp(.N))]
  points <- summarise_records(records, records$bw_mib_s, c("access", "xfer_bytes"), "MiB/s")
  alone <- records[, summarise_records(.SD, bw_mib_s, "access", "MiB/s"), by = xfer_bytes]
  data.table::setorderv(alone, c("access", "xfer_bytes"))
  expect_equal(points[, .(n, median, lo, hi, level)], alone[, .(n, median, lo, hi, level)])
  ends <- ends_of(sort(records[access == "write" & xfer_bytes == 2^14]$bw_mib_s), ranks_of(9))
  expect_equal(unlist(points[access == "write" & xfer_bytes == 2^14, .(lo, hi)], use.names = FALSE), ends)
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

test_that("stripes that one cell observed varying still tell the other cells apart", {
  records <- read_synthetic(access = "write", n = 4)
  cells <- rbind(
    data.table::copy(records)[, `:=`(cell = "a", stripe_count = 1)],
    data.table::copy(records)[, `:=`(cell = "b", stripe_count = 8)],
    data.table::copy(records)[, `:=`(cell = "c", stripe_count = iteration, nn = 2)]
  )
  told <- add_variant(cells, c("access", "nn"))
  expect_setequal(told[nn == 1]$variant, c("1 stripe", "8 stripes"))
  expect_identical(data.table::uniqueN(told[nn == 2]$variant), 1L)
  expect_identical(summarise_records(told, told$bw_mib_s, c("nn", "variant"), "MiB/s")$n, c(4L, 4L, 4L))
})

test_that("sizes that round to the same words are different sizes", {
  records <- read_synthetic(access = "write", block_bytes = 1234 * 2^20, cell = "a")
  both <- rbind(records, data.table::copy(records)[, `:=`(block_bytes = 1235 * 2^20, cell = "b")])
  expect_identical(data.table::uniqueN(add_variant(both, "access")$variant), 2L)
})

test_that("another version of a tool and a column that nobody knows are other cells, at last the cell itself", {
  records <- read_synthetic(access = "write", cell = "a", tool_version = "4.0")
  newer <- data.table::copy(records)[, `:=`(cell = "b", tool_version = "4.1")]
  expect_setequal(add_variant(rbind(records, newer), "access")$variant, c("tool version 4.0", "tool version 4.1"))
  deep <- rbind(records[, queue_depth := "1"], data.table::copy(records)[, `:=`(cell = "b", queue_depth = "8")])
  expect_setequal(add_variant(deep, "access")$variant, c("queue depth 1", "queue depth 8"))
  alike <- rbind(records, data.table::copy(records)[, cell := "b"])
  expect_setequal(add_variant(alike, "access")$variant, c("cell a", "cell b"))
})

test_that("an unknown column of a table is kept, and one property of the schema is a dimension", {
  path <- write_synthetic(synthetic_records()[, queue_depth := 4])
  expect_identical(unique(read_records(path)$queue_depth), "4")
  schema <- scratch("record.schema.yaml")
  writeLines(c(
    "properties:", "  nn: {type: integer, x-role: parameter}",
    "  queue_depth: {type: [integer, \"null\"], x-role: parameter, x-unit: requests}"
  ), schema)
  columns <- columns_of_schema(schema)
  expect_identical(columns[name == "queue_depth", .(type, unit, role)], data.table(
    type = "number", unit = "requests", role = "parameter"
  ))
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

test_that("zero, infinite and missing values give no number and are counted", {
  records <- read_synthetic(access = "write", n = 4)[, bw_mib_s := c(0, NA, 5, 7)]
  point <- summarise_records(records, bandwidth_all(records), "access", "MiB/s")
  expect_identical(point[, .(n, median, n_unknown)], data.table(n = 2L, median = 6, n_unknown = 2L))
})
