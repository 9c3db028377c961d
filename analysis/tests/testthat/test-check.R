# Mistakes in the files of the analysis, found without a record.

test_that("the files of the analysis have no mistake", {
  expect_identical(as.character(problems_of_analysis()), character())
})

test_that("an unknown function is named, an unknown column with those that are there", {
  problem_of <- function(rule) problems_of_claims("made", made_claims(paste("function(points)", rule)))
  column <- problem_of("largest_over_smallest(points[tol == \"x\"])")
  expect_match(column, "made.R: claim 'a-claim': there is no column 'tol'; there are .*tool")
  fun <- problem_of("largest_of_smallest(points[tool == \"x\"])")
  expect_match(fun, "claim 'a-claim': there is no function 'largest_of_smallest'")
  expect_identical(lengths(list(column, fun)), c(1L, 1L))
})

test_that("points have the columns that claims are checked against", {
  points <- evidence_of(read_synthetic(n = 3), list(), bandwidth_io)
  expect_setequal(names(points), columns_of_points())
})

test_that("a start loads nothing that draws: the page is there before, and half of the commands draw nothing", {
  code <- "source('load.R'); load_analysis('.'); cat(isNamespaceLoaded('ggplot2'))"
  old <- setwd(home)
  on.exit(setwd(old))
  expect_identical(system2(file.path(R.home("bin"), "Rscript"), c("-e", shQuote(code)), stdout = TRUE), "FALSE")
  expect_equal(type_size_mm, type_size_pt / ggplot2::.pt)
})
