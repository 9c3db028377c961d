# A whole study in one process, and again after an edit.

small_study <- function() {
  folder <- scratch("study")
  dir.create(folder)
  records <- synthetic_records(xfer_bytes = c(2^14, 2^17, 2^20))[,
    `:=`(cell = as.character(xfer_bytes), run = 0, iteration = 0)]
  write_synthetic(records, file.path(folder, "records.csv"))
  writeLines("suite,experiment,reason,cells", file.path(folder, "excluded.csv"))
  writeLines("cell,run,access,iteration,upper_us,count", file.path(folder, "latencies.csv"))
  writeLines('{"about": {"title": "T", "site": "s"}, "targets": [], "reasons": []}', file.path(folder, "facts.json"))
  folder
}

drawn_of <- function(folder) {
  text <- utils::capture.output(render_study(folder, processes = 1L))
  as.integer(sub(".*drew ([0-9]+) of .*", "\\1", text[length(text)]))
}

test_that("a study is drawn once; after an edit of one figure one figure is drawn", {
  skip_if_quick()
  folder <- small_study()
  parts <- length(c(part_names("figure"), part_names("table")))
  expect_identical(drawn_of(folder), parts)
  files <- file.path(folder, c("claims.csv", "numbers.tex", "figures/transfer-size.svg", "tables/summary.html"))
  expect_true(all(file.exists(files)))
  unlink(file.path(folder, c("figures", "tables")), recursive = TRUE)
  expect_identical(drawn_of(folder), 0L)
  expect_true(all(file.exists(files)))
  # As after an edit: what is kept was drawn by other code.
  kept <- list.files(cache_of(folder), pattern = "^figure-transfer-size", full.names = TRUE)
  file.rename(kept, paste0(kept, "-edited"))
  expect_identical(drawn_of(folder), 1L)
  expect_length(list.files(cache_of(folder), pattern = "^figure-transfer-size"), 1)
})

test_that("an error in one part ends the drawing and is told", {
  expect_error(in_parallel(1:3, 2L, function(i) if (i == 2) stop("part two") else i), "part two")
})
