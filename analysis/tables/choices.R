title <- "What a choice changes"
place <- 55
needs <- "valid points that differ in one thing only"
caption <- paste(
  "What a choice changes: medians of valid points that differ in this one thing, as factors. Median, lowest and",
  "highest factor over the pairs; above 1 the choice is faster. Where lowest and highest lie on both sides of 1, it",
  "depends on the rest."
)

make_table <- function(records, inputs) {
  rbind(choice_ratios(bandwidth_points(records)), feature_ratios(records))
}

make_latex <- function(table) {
  cells <- table[, .(
    target_cell(target, emulated), latex_name(access), pairs,
    factor_words(ratio), factor_words(lowest), factor_words(highest)
  )]
  latex_table(
    name, caption, cells, c(wrapped_column(40), wrapped_column(16), "r", "r", "r", "r"),
    c("target", "access", "pairs", "median factor", "lowest", "highest"),
    groups = table[, latex_name(paste(choice, "instead of", instead_of))]
  )
}
