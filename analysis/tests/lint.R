# Lints the analysis: Rscript analysis/tests/lint.R. Prints what it finds; exit code 1 if there is anything. A file in
# which nothing was found is not read again until it, or what its findings depend on, changes (build/lintr).

file <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE))
file <- normalizePath(gsub("~+~", " ", file, fixed = TRUE)) # Rscript writes a space so
home <- dirname(dirname(file))
top <- dirname(home)
clean <- file.path(top, "build", "lintr")
dir.create(clean, recursive = TRUE, showWarnings = FALSE)

files_of <- function(...) list.files(file.path(home, ...), "[.]R$", full.names = TRUE, recursive = TRUE)
sources <- files_of("R")
worlds <- grep("[.]world[.]R$", files_of("claims"), value = TRUE)
parts <- setdiff(files_of(), c(sources, worlds, files_of("tests")))

# The functions of the package are checked together, which takes a third of the time of doing so file by file. Worlds
# and tests use functions of helper files, which no package holds.
style <- lintr::linters_with_defaults(
  lintr::line_length_linter(120),
  object_usage_linter = NULL, cyclocomp_linter = NULL
)

usage_of_package <- function() {
  found <- character()
  namespace <- asNamespace(pkgload::pkg_name(home))
  codetools::checkUsageEnv(namespace,
    report = function(message) found <<- c(found, message),
    suppressUndefined = utils::globalVariables(package = namespace)
  )
  found
}

# What `check` finds, unless it found nothing when these files were the same.
unless_clean <- function(of, check, ...) {
  hashes <- tools::md5sum(c(of, ..., file, file.path(home, c(".lintr", "NAMESPACE"))))
  stamp <- file.path(clean, rlang::hash(c(unname(hashes), R.version.string, packageVersion("lintr"))))
  if (file.exists(stamp)) {
    return(NULL)
  }
  found <- check(of)
  if (length(found) == 0) file.create(stamp)
  found
}

lints_of <- function(paths, ..., check) unlist(lapply(paths, unless_clean, check, ...), recursive = FALSE)

# What a figure or table uses is looked up in the loaded package.
pkgload::load_all(home, quiet = TRUE, helpers = FALSE, attach_testthat = FALSE)
found <- c(
  lints_of(c(sources, worlds, files_of("tests"), file.path(top, ".ci", "testthat.R")),
    check = function(path) lintr::lint(path, linters = style)
  ),
  lints_of(parts, sources, check = lintr::lint)
)
if (length(found) > 0) print(structure(found, class = "lints"))
usage <- unless_clean(sources, function(files) usage_of_package())
cat(usage, sep = "")
cat(sprintf("%d lints\n", length(found) + length(usage)))
quit(status = as.integer(length(found) + length(usage) > 0), save = "no")
