title <- "Claims that these data cannot decide"
position <- 95
section <- "appendix"
if_empty <- "these data decide every claim in analysis/claims, or none of them."
caption <- paste(
  "Claims that are out of scope here, and the records that would decide them. A claim that only the printed values",
  "decide is not among them."
)

make_table <- function(records, inputs) {
  decided <- decided_claims(records, inputs)
  # A study that decides nothing is about something else.
  only_if(any(decided[evidence == "these records"]$verdict != outcomes[4]))
  open <- decided[, .(open = all(verdict == outcomes[4])), by = .(paper, claim, says, needs)]
  open[open == TRUE][, open := NULL][]
}

make_latex <- function(table) {
  with_gap <- function(text) paste0(escape_latex(text), "\\tablegap{}")
  latex_table(
    name, caption, table[, .(claim = with_gap(says), needs = with_gap(needs))],
    c(claim = wrapped_column(66), needs = wrapped_column(52)),
    groups = vapply(table$paper, function(it) escape_latex(load_claims(it)$title), character(1)),
    in_place = TRUE, together = 4
  )
}
