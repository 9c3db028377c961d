# Lints the analysis: Rscript analysis/tests/lint.R. Prints what it finds; exit code 1 if there is anything.

file <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE))
home <- dirname(dirname(normalizePath(file)))
# The linter looks up what a function uses in the loaded package.
pkgload::load_all(home, quiet = TRUE, helpers = FALSE, attach_testthat = FALSE)
# What is found in one file depends on what the others define.
sources <- list.files(file.path(home, "R"), full.names = TRUE)
cache <- file.path(dirname(home), "build", "lintr", substr(rlang::hash(unname(tools::md5sum(sources))), 1, 12))
worlds <- list.files(file.path(home, "claims"), "[.]world[.]R$")
# Tests, and the worlds beside claims, use functions of helper files, which no package holds.
of_tests <- lintr::linters_with_defaults(lintr::line_length_linter(120), object_usage_linter = NULL)
found <- c(
  lintr::lint_dir(home, exclusions = as.list(c("tests", file.path("claims", worlds))), cache = cache),
  lintr::lint_dir(file.path(home, "tests"), cache = cache),
  unlist(lapply(file.path(home, "claims", worlds), lintr::lint, linters = of_tests, cache = cache), recursive = FALSE),
  lintr::lint(file.path(dirname(home), ".ci", "testthat.R"))
)
print(found)
cat(sprintf("%d lints\n", length(found)))
quit(status = as.integer(length(found) > 0), save = "no")
