# Runs the tests of the analysis; writes one line a test: outcome, name, reason.
# Use: Rscript .ci/testthat.R RESULTS.tsv

one_line <- function(text) {
  gsub("[[:space:]]+", " ", paste(text, collapse = " "))
}

outcome <- function(test) {
  of_class <- function(class) {
    Filter(function(result) inherits(result, class), test$results)
  }
  bad <- of_class(c("expectation_failure", "expectation_error"))
  skips <- of_class("expectation_skip")
  told <- if (length(bad)) bad else skips
  word <- "passed"
  if (length(told)) word <- if (length(bad)) "failed" else "skipped"
  reason <- vapply(told, conditionMessage, character(1))
  paste(word, one_line(c(test$file, test$test)), one_line(reason), sep = "\t")
}

results_file <- file.path(getwd(), commandArgs(trailingOnly = TRUE)[1])
tests <- testthat::test_dir("analysis/tests/testthat",
  reporter = "check", stop_on_failure = FALSE
)
writeLines(vapply(tests, outcome, character(1)), results_file)
