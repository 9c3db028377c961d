# A whole study in one process.

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

test_that("a study is drawn with its page, claims and numbers", {
  skip_if_quick()
  folder <- small_study()
  parts <- length(c(part_names("figure"), part_names("table")))
  expect_output(render_study(folder, processes = 1L), sprintf("drew %d parts", parts))
  files <- c("report.html", "claims.csv", "numbers.tex", "figures/transfer-size.svg", "tables/summary.html")
  expect_true(all(file.exists(file.path(folder, files))))
})

test_that("an error in one part ends the drawing and is told", {
  expect_error(in_parallel(1:3, 2L, function(i) if (i == 2) stop("part two") else i), "part two")
})

test_that("a process that is killed ends the drawing and is told", {
  killed <- function(i) if (i == 2) tools::pskill(Sys.getpid(), tools::SIGKILL)
  expect_error(in_parallel(1:4, 2L, killed), "too little memory")
})
