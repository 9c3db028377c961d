# numbers.tex: every number and every name that a report's prose uses, as a LaTeX command. Units and rounding are here.

read_facts <- function(path) {
  if (!file.exists(path)) {
    stop(sprintf("%s: no such file of facts", path), call. = FALSE)
  }
  jsonlite::fromJSON(path, simplifyVector = FALSE)
}

make_numbers <- function(records, facts) {
  title <- if (!is.null(facts$about$title)) facts$about$title else "Storage measured"
  list(
    StudyTitle = escape_latex(title),
    Records = format(nrow(records), big.mark = ","),
    ValidRecords = format(sum(records$verdict == "VALID"), big.mark = ","),
    DegradedRecords = format(sum(records$verdict == "DEGRADED"), big.mark = ","),
    InvalidRecords = format(sum(records$verdict == "INVALID"), big.mark = ",")
  )
}

write_numbers <- function(numbers, path) {
  writeLines(c(
    "% Made from records.csv and facts.json; not to be edited.",
    sprintf("\\newcommand{\\%s}{%s}", names(numbers), unlist(numbers))
  ), path)
}
