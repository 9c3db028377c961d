# Runs the tests of the analysis; writes one line a test: outcome, name,
# reason. Exit code 1 if one fails.
# Use: Rscript .ci/testthat.R RESULTS.tsv [quick]

# Files whose tests all take long; `quick` excludes them, and the single
# tests that call skip_if_quick().
slow_files <- c("claims", "coverage", "figures", "render", "single-figures", "svg")
folder <- "analysis/tests/testthat"

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

arguments <- commandArgs(trailingOnly = TRUE)
results_file <- file.path(getwd(), arguments[1])
names <- sub("^test-(.*)[.]R$", "\\1", list.files(folder, "^test-.*[.]R$"))
if ("quick" %in% arguments) {
  names <- setdiff(names, slow_files)
  Sys.setenv(WEIR_QUICK = "1")
}
tests <- testthat::test_dir(folder,
  filter = sprintf("^(%s)$", paste(names, collapse = "|")),
  reporter = "check", stop_on_failure = FALSE
)
# The reporter leaves a file for package checks behind when a test fails.
unlink(file.path(folder, "testthat-problems.rds"))
outcomes <- vapply(tests, outcome, character(1))
writeLines(outcomes, results_file)
quit(status = as.integer(any(startsWith(outcomes, "failed"))), save = "no")
