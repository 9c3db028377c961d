# At each figure of page and paper stands which program gave the numbers.

studied <- function(...) {
  records <- with_cells(read_synthetic(xfer_bytes = c(2^14, 2^17, 2^20)))
  records[, names(list(...)) := list(...)][]
}

test_that("one program is named, several with their tools, and none where no record knows it", {
  one <- studied(program = "weir-io", tool_version = "0.2.0", tool = "ior")
  expect_identical(measured_by(one), "Measured by weir-io 0.2.0.")
  both <- rbind(studied(program = "IOR", tool_version = "4.1.0", tool = "ior"), one[, tool := "mdtest"], one)
  expect_identical(measured_by(both), "Measured by IOR 4.1.0 (ior) and weir-io 0.2.0 (mdtest).")
  without_version <- studied(program = "IOR", tool_version = NA_character_, tool = "ior")
  expect_identical(measured_by(without_version), "Measured by IOR.")
  expect_null(measured_by(data.table::copy(without_version)[, program := NA_character_]))
  expect_null(measured_by(data.table::copy(without_version)[, verdict := "INVALID"]))
})

test_that("a figure names the programs of what it shows, not those of the whole study", {
  rates <- studied(program = "mdtest", tool_version = "4.1.0", tool = "mdtest", access = "create")
  records <- rbind(studied(program = "IOR", tool_version = "4.1.0", tool = "ior"), rates)
  shows <- function(...) measured_by(records_shown(records, data.table(n = 1L, ...)))
  expect_identical(shows(access = "create"), "Measured by mdtest 4.1.0.")
  expect_identical(shows(access = c("write", "read"), api = "POSIX"), "Measured by IOR 4.1.0.")
  expect_identical(shows(share = 1), measured_by(records))
  expect_identical(measured_by(records_shown(records, data.table(n = c(0L, 1L), access = c("create", "read")))),
    "Measured by IOR 4.1.0.")
})

test_that("the sentence stands at the figure on the page and in print", {
  skip_if_quick()
  records <- studied(program = "IOR", tool_version = "4.1.0", tool = "ior")
  part <- load_part("figure", "transfer-size", home = home)
  folder <- scratch("figures")
  dir.create(folder)
  write_figures(list(part), records, inputs_for(records), file.path(folder, "figures"))
  for (kind in c("rst", "tex")) {
    lines <- readLines(file.path(folder, "figures", paste0("transfer-size.", kind)))
    expect_match(lines, "Measured by IOR 4.1.0.", fixed = TRUE, all = FALSE)
  }
  expect_match(page_figures(folder, list(part), records)[[1]]$caption, "Measured by IOR 4.1.0.", fixed = TRUE)
})
