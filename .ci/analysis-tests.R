# Runs the tests of the analysis: Rscript .ci/analysis-tests.R [FILTER]. Ends with counts; exit code 1 if one fails.

folder <- local({
  file <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE))
  file <- gsub("~+~", " ", file, fixed = TRUE) # Rscript writes a space so
  file.path(dirname(dirname(normalizePath(file))), "analysis", "tests", "testthat")
})
filter <- if (length(commandArgs(TRUE)) > 0) commandArgs(TRUE)[1]
results <- as.data.frame(testthat::test_dir(folder, filter = filter, reporter = "check", stop_on_failure = FALSE))
# The reporter leaves a file for package checks behind when a test fails.
unlink(file.path(folder, "testthat-problems.rds"))
bad <- sum(results$failed > 0 | results$error)
skipped <- sum(results$skipped)
cat(sprintf("%d passed, %d failed, %d skipped\n", nrow(results) - bad - skipped, bad, skipped))
quit(status = as.integer(bad > 0), save = "no")
