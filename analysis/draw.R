# The one command of the analysis; see `Rscript analysis/draw.R help`.

local({
  file <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE))
  file <- gsub("~+~", " ", file, fixed = TRUE) # Rscript writes a space so
  home <- if (length(file) == 1) dirname(normalizePath(file)) else "analysis"
  source(file.path(home, "load.R"))
  load_analysis(home)
})
# Names are UTF-8 and lists have one order, whatever the locale of the machine.
invisible(suppressWarnings(c(Sys.setlocale("LC_CTYPE", "C.UTF-8"), Sys.setlocale("LC_COLLATE", "C"))))
# So have numbers one form, and warnings their time, whatever the profile of the user sets.
options(OutDec = ".", scipen = 0, digits = 7, warn = 0, stringsAsFactors = FALSE, encoding = "native.enc")

usage <- "Usage: Rscript analysis/draw.R COMMAND
  study DIR                             all figures, tables, claims and numbers of the study in DIR, in one process
  check                                 mistakes in claims, figures, tables, metrics and advice
  list                                  every figure and table: kind and name
  figure NAME RECORDS.csv OUTDIR        writes NAME.pdf, .svg, .csv (what is drawn), .tex (float) and .rst (caption)
  table NAME RECORDS.csv OUTDIR         writes NAME.csv, .tex, .html and .rst (caption)
  claims PAPER RECORDS.csv OUT.csv      decides the claims of one paper, or of all: analysis/claims
  numbers RECORDS.csv FACTS.json OUT.tex  the numbers of the prose
  contents DIR OUT.tex                  a LaTeX file that includes every float of the study in DIR, in order
  publications OUT.csv DIR [DIR ...]    every figure and table of reference/publications, with ours in the printed
                                        studies in DIR and its page, or why there is none
NAME is one name, several joined by commas, or all. Options after the rest:
  --with NAME=FILE                      a further input that some parts read, such as excluded=excluded.csv
Example: Rscript analysis/draw.R figure all results/local/quick/records.csv results/local/quick/figures"

usage_error <- function(message) {
  structure(class = c("usage_error", "error", "condition"), list(message = message, call = NULL))
}

read_arguments <- function(words) {
  at <- which(words == "--with")
  pairs <- words[at + 1]
  if (anyNA(pairs) || !all(grepl("^[a-z]+=.", pairs))) {
    stop(usage_error("--with takes NAME=FILE, such as --with excluded=results/local/quick/excluded.csv"))
  }
  inputs <- as.list(setNames(sub("^[a-z]+=", "", pairs), sub("=.*", "", pairs)))
  rest <- if (length(at) > 0) words[-c(at, at + 1)] else words
  list(words = rest, inputs = inputs)
}

# Each takes the further inputs and, by its other parameters, the arguments of the command line.
commands <- list(
  help = function(inputs, ...) cat(usage, "\n", sep = ""),
  check = function(inputs, ...) {
    problems <- problems_of_analysis()
    if (length(problems) > 0) stop(paste(problems, collapse = "\n"), call. = FALSE)
  },
  list = function(inputs, ...) {
    for (kind in c("figure", "table")) cat(paste(kind, part_names(kind), sep = "\t"), sep = "\n")
  },
  study = function(inputs, folder) render_study(folder, inputs$published),
  figure = function(inputs, names, records, folder) {
    write_figures(chosen_parts("figure", names), read_records(records), inputs, folder)
  },
  table = function(inputs, names, records, folder) {
    write_tables(chosen_parts("table", names), read_records(records), inputs, folder)
  },
  numbers = function(inputs, records, facts, path) {
    write_numbers(make_numbers(read_records(records), read_facts(facts), inputs), path)
  },
  claims = function(inputs, papers, records, path) write_claims(papers, read_records(records), inputs, path),
  contents = function(inputs, folder, path) write_contents(folder, path),
  publications = function(inputs, ...) {
    words <- c(...)
    if (length(words) < 2) stop(usage_error("publications takes OUT.csv and the folders of printed studies"))
    data.table::fwrite(list_of_publications(words[-1]), words[1])
  }
)

main <- function(words) {
  command <- if (length(words) == 0) "help" else words[1]
  run <- commands[[command]]
  if (is.null(run)) {
    stop(usage_error(sprintf("no command '%s'; there are %s", command, paste(names(commands), collapse = ", "))))
  }
  arguments <- read_arguments(words[-1])
  if (!is.null(arguments$inputs$facts)) named_experiments(read_facts(arguments$inputs$facts))
  takes <- setdiff(names(formals(run)), "inputs")
  if (!"..." %in% takes && length(takes) != length(arguments$words)) {
    stop(usage_error(sprintf("%s takes %d arguments, not %d", command, length(takes), length(arguments$words))))
  }
  do.call(run, c(list(arguments$inputs), arguments$words))
}

fail <- function(message, status) {
  cat("draw.R: ", message, "\n", sep = "", file = stderr())
  quit(status = status, save = "no")
}

tryCatch(
  main(commandArgs(TRUE)),
  usage_error = function(error) fail(paste0(conditionMessage(error), "\n", usage), 2),
  error = function(error) fail(conditionMessage(error), 1)
)
