title <- "Excluded cells"
position <- 80
section <- "reservations"
if_empty <- "no rule excluded a cell."
caption <- paste(
  "Cells that rules excluded, and the reasons. A cell is one point of an experiment on one target with one stack."
)

make_table <- function(records, inputs) {
  if (is.null(inputs$excluded)) {
    return(data.table::data.table())
  }
  excluded <- read_text_table(inputs$excluded, "exclusions")
  excluded[, cells := as.integer(cells)][]
}

make_latex <- function(table) {
  cells <- table[, .(latex_name(suite), latex_name(experiment), cells, latex_name(reason))]
  latex_table(
    name, caption, cells, c(wrapped_column(20), wrapped_column(24), "r", wrapped_column(62)),
    c("suite", "experiment", "cells", "because"), lines = 1 + nchar(table$reason) %/% 50
  )
}
