title <- "What a choice changes"
place <- 55
needs <- "valid points that differ in one thing only"
caption <- paste(
  "What a choice changes: medians of valid points that differ in this one thing, as factors. Median factor, lowest and",
  "highest in brackets, of so many pairs; above 1 the choice is faster. Where lowest and highest lie on both sides of",
  "1, it depends on the rest."
)

make_table <- function(records, inputs) {
  rbind(choice_ratios(bandwidth_points(records)), feature_ratios(records))
}

make_latex <- function(table) {
  table <- data.table::copy(table)[, choice := paste(choice, "instead of", instead_of)]
  rows <- unique(table[, .(choice, target, emulated)])
  cells <- rows[, .(
    target_cell(target, emulated), factor_cells(table[access == "write"], rows),
    factor_cells(table[access == "read"], rows)
  )]
  latex_table(
    name, caption, cells, c(wrapped_column(37), wrapped_column(39.5), wrapped_column(39.5)),
    c("target", "write", "read"),
    groups = latex_name(rows$choice)
  )
}

factor_cells <- function(ratios, rows) {
  found <- ratios[rows, on = c("choice", "target")]
  words <- found[, sprintf(
    "%s (%s to %s) of %d", factor_words(ratio), factor_words(lowest), factor_words(highest), pairs
  )]
  ifelse(is.na(found$ratio), "--", words)
}
