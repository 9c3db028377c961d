# Mistakes in the files of the analysis, found without a record.

test_that("the files of the analysis have no mistake", {
  expect_identical(as.character(problems_of_analysis()), character())
})

test_that("an unknown column is named with those that are there", {
  found <- problems_of_claims("made", made_claims("function(points) largest_over_smallest(points[tol == \"x\"])"))
  expect_match(found, "made.R: claim 'a-claim': there is no column 'tol'; there are .*tool", all = TRUE)
  expect_length(found, 1)
})

test_that("an unknown function is named", {
  found <- problems_of_claims("made", made_claims("function(points) largest_of_smallest(points[tool == \"x\"])"))
  expect_match(found, "claim 'a-claim': there is no function 'largest_of_smallest'", all = TRUE)
  expect_length(found, 1)
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
