test_that("every column has the name, the place and the type of the schema", {
  lines <- readLines(file.path(checkout, "config/schemas/record.schema.yaml"))
  names <- grep("^  [a-z0-9_]+:", lines, value = TRUE)
  types <- regmatches(lines, regexpr("^(  [a-z0-9_]+: \\{|    )(type|enum): .*$", lines))
  columns <- record_columns()
  expect_identical(columns$name, sub("^  ([a-z0-9_]+):.*", "\\1", names))
  kind <- ifelse(
    grepl("type: \\[?(integer|number)", types), "number", ifelse(grepl("type: \\[?boolean", types), "flag", "text")
  )
  expect_identical(columns$type, kind)
})

test_that("values are typed and columns that are not there are unknown", {
  records <- read_synthetic(n = 1)
  expect_identical(nrow(records), 2L)
  expect_identical(names(records), record_columns()$name)
  expect_type(records$xfer_bytes, "double")
  expect_true(all(is.na(records$lat_p99_us)))
  expect_identical(records$emulated, c(FALSE, FALSE))
  expect_identical(records$reasons, c("", ""))
})

test_that("sizes beyond 32 bits stay exact", {
  records <- read_synthetic(block_bytes = 141180272640, n = 1)
  expect_identical(records$block_bytes, c(141180272640, 141180272640))
})

test_that("booleans are read as Python and as JSON write them", {
  expect_identical(as_typed(c("True", "false", NA), "flag", "f.csv", "sync"), c(TRUE, FALSE, NA))
})

test_that("a missing core column is named with the file and the hint", {
  path <- write_synthetic(synthetic_records(n = 1))
  table <- data.table::fread(path)
  data.table::fwrite(table[, !"io_s"], path)
  expect_error(read_records(path), "records[.]csv: no column 'io_s': run `weir collect` again")
  data.table::fwrite(table[, !"verdict"], path)
  expect_error(read_records(path), "'verdict': make records of raw logs with `weir import`")
})

test_that("a value that is no number is named with file, line, column and value", {
  path <- write_synthetic(synthetic_records(n = 1, io_s = c("0.1", "fast")))
  expect_error(read_records(path), "records[.]csv: line 3, column 'io_s': 'fast' is not a number")
})

test_that("a verdict that is none is refused", {
  path <- write_synthetic(synthetic_records(n = 1, verdict = "FINE"))
  expect_error(read_records(path), "line 2, column 'verdict': 'FINE' is none of VALID, UNPROVEN, DEGRADED, INVALID")
})

test_that("no file, an empty file, a doubled column and no rows are told apart", {
  expect_error(read_records("/nowhere/records.csv"), "no such file of records")
  empty <- scratch("records.csv")
  file.create(empty)
  expect_error(read_records(empty), "the file is empty, not even a line of column names")
  path <- write_synthetic(synthetic_records(n = 1))
  lines <- readLines(path)
  expect_identical(nrow(read_records({
    writeLines(lines[1], path)
    path
  })), 0L)
  writeLines(sub("api,", "access,", lines[1]), path)
  expect_error(read_records(path), "column 'access' is there twice")
})

test_that("the two bandwidths differ by what opening and closing cost", {
  records <- read_synthetic(n = 1, open_s = 1, io_s = 2, close_s = 1, total_s = 4, bw_mib_s = 4)
  expect_equal(bandwidth_all(records), c(4, 4))
  expect_equal(bandwidth_io(records), c(8, 8))
})

test_that("bytes that were not printed follow from the bandwidth, and no time gives no rate", {
  records <- read_synthetic(n = 1, moved_bytes = NA, io_s = c(2, 0), total_s = 4, bw_mib_s = 4)
  expect_equal(bandwidth_io(records), c(8, NA))
})

test_that("nodes with different numbers of tasks have the number that the output tells", {
  even <- read_synthetic(nn = 2, ppn = 4, n = 1)
  expect_identical(tasks_of(even), c(8, 8))
  expect_null(even$uneven_tasks)
  rows <- synthetic_records(nn = 3, ppn = 48, tasks = rep(c(100, 101), 2), n = 2)
  rows[, cell := ifelse(tasks == 100, "first", "second")]
  uneven <- read_records(write_synthetic(rows))
  points <- bandwidth_points(uneven)
  expect_identical(sort(tasks_of(points)), c(100, 100, 101, 101))
  expect_identical(data.table::uniqueN(points$variant), 2L)
  expect_identical(tasks_of(bandwidth_points(even)), c(8, 8))
})

test_that("the time of an operation is that of the tasks that took part", {
  layers <- function(...) {
    rows <- synthetic_records(nn = 3, ppn = 48, xfer_bytes = 2^c(14, 17, 20), n = 2, experiment = "layers", ...)
    layer_lines(read_records(write_synthetic(rows)))
  }
  expect_equal(layers(tasks = 72)$operation_us, layers()$operation_us / 2)
})

test_that("an operation of ranks whose number is unknown has no time", {
  rows <- synthetic_records(nn = 3, ppn = 48, xfer_bytes = 2^c(14, 17, 20), n = 2, experiment = "layers")
  unknown <- data.table::copy(rows)[, `:=`(nn = NA, tasks = NA, stack = "of a log")]
  expect_equal(unique(layer_lines(read_records(write_synthetic(rbind(rows, unknown, fill = TRUE))))$nn), 3)
})

test_that("quotes within a field are those of the file's author", {
  path <- write_synthetic(synthetic_records(target = "a \"quoted\" name, \"b\""))
  expect_match(readLines(path)[2], "\"a \"\"quoted\"\" name, \"\"b\"\"\"", fixed = TRUE)
  expect_identical(unique(read_records(path)$target), "a \"quoted\" name, \"b\"")
})
