# Lints the analysis: Rscript analysis/tests/lint.R. Prints what it finds; exit code 1 if there is anything.

file <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE))
found <- lintr::lint_dir(dirname(dirname(normalizePath(file))))
print(found)
cat(sprintf("%d lints\n", length(found)))
quit(status = as.integer(length(found) > 0), save = "no")
