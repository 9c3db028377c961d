title <- "Degraded and invalid records"
position <- 85
section <- "reservations"
if_empty <- "every record is valid."
caption <- paste(
  "Why records are degraded or invalid: the rules of the audit with findings, of how many records, what they mean, and",
  "what one of them saw. A record can have several reasons."
)

make_table <- function(records, inputs) {
  findings <- Filter(is_reason, read_facts(inputs$facts)$reasons)
  data.table::rbindlist(lapply(findings, function(rule) {
    example <- if (length(rule$examples) > 0) rule$examples[[1]] else list()
    data.table::data.table(
      rule = rule$rule, degraded = count_of(rule$verdicts$DEGRADED), invalid = count_of(rule$verdicts$INVALID),
      explanation = rule$explanation, hint = rule$hint, example = text_of(example$label),
      evidence = text_of(example$evidence)
    )
  }))
}

# Notes leave the verdict alone.
is_reason <- function(rule) count_of(rule$verdicts$DEGRADED) + count_of(rule$verdicts$INVALID) > 0

make_latex <- function(table) {
  cells <- table[, .(
    rule = latex_name(rule), degraded, invalid, "what it means" = paste0(
      code_in_print(escape_latex(explanation)), " \\emph{Seen:} ", latex_name(shorten(evidence, 220))
    )
  )]
  latex_table(
    name, caption, cells, c(rule = wrapped_column(22), "what it means" = wrapped_column(75)),
    lines = 2 + (nchar(table$explanation) + pmin(nchar(table$evidence), 220)) %/% 72
  )
}
