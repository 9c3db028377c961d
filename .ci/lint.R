# Lints the analysis: Rscript .ci/lint.R. Prints what it finds; exit code 1 if there is anything. A file in
# which nothing was found is not read again until it, or what its findings depend on, changes (build/lintr).

file <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE))
file <- normalizePath(gsub("~+~", " ", file, fixed = TRUE)) # Rscript writes a space so
top <- dirname(dirname(file))
home <- file.path(top, "analysis")
clean <- file.path(top, "build", "lintr")
dir.create(clean, recursive = TRUE, showWarnings = FALSE)

files_of <- function(...) list.files(file.path(home, ...), "[.]R$", full.names = TRUE, recursive = TRUE)
sources <- files_of("R")
worlds <- grep("[.]world[.]R$", files_of("claims"), value = TRUE)
parts <- setdiff(files_of(), c(sources, worlds, files_of("tests")))

# Which names exist is checked below, of the package and of its parts. Worlds and tests use functions of helper files,
# which no package holds. What a pattern finds in a line takes lintr a tenth of its time. These are rules that lintr 3.0
# (Debian 12) and 3.2 (Debian 13) share, so that both find the same.
rules <- c(
  "assignment", "brace", "commas", "commented_code", "equals_na", "function_left_parentheses", "infix_spaces",
  "object_length", "object_name", "paren_body", "pipe_continuation", "quotes", "semicolon", "seq", "spaces_inside",
  "spaces_left_parentheses", "T_and_F_symbol", "vector_logic"
)
rules[rules == "quotes" & packageVersion("lintr") < "3.1"] <- "single_quotes" # its name before
style <- lintr::default_linters[paste0(rules, "_linter")]
wrong_lines <- function(path) {
  lines <- readLines(path, warn = FALSE)
  wrong <- grep("\t|\\s$|^.{121}", c(lines, if (!nzchar(tail(lines, 1))) " "), perl = TRUE)
  if (length(wrong) > 0) sprintf("%s:%d: a tab, a blank at the end, or more than 120 characters\n", path, wrong)
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

# A figure or table is checked as functions that stand in the package.
names_file <- file.path(top, ".ci", "names.R")
source(names_file)
pkgload::load_all(home, quiet = TRUE, helpers = FALSE, attach_testthat = FALSE)
namespace <- asNamespace(pkgload::pkg_name(home))
lintable <- c(sources, parts, worlds, files_of("tests"), list.files(file.path(top, ".ci"), "[.]R$", full.names = TRUE))
found <- lints_of(lintable, check = function(path) lintr::lint(path, linters = style))
schema <- file.path(top, "config/schemas/record.schema.yaml")
tables <- list.files(file.path(top, "reference"), "[.]csv$", full.names = TRUE)
columns <- NULL
undefined <- function(files) {
  if (is.null(columns)) columns <<- known_columns(c(sources, parts), schema, tables)
  names_undefined(files, namespace, columns)
}
usage <- unlist(lapply(c(list(sources), parts), unless_clean, undefined, sources, parts, schema, tables, names_file))
usage <- c(usage, unlist(lapply(lintable, wrong_lines)))
if (length(found) > 0) print(structure(found, class = "lints"))
cat(usage, sep = "")
cat(sprintf("%d lints\n", length(found) + length(usage)))
quit(status = as.integer(length(found) + length(usage) > 0), save = "no")
