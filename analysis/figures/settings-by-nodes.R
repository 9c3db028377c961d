title <- "Share of the best bandwidth by stripe count, processes per node and nodes"
position <- 3
statistic <- "Cells: share of the best setting with the same number of nodes, in per cent"
interval_text <- ""
needs <- "records of the experiment `defaults` of the suite mistral on two numbers of nodes"
if_empty <- "The study has no sweep of stripes and processes on several numbers of nodes."
caption <- paste(
  "Share of the best bandwidth with the same number of nodes that each combination of stripe count and processes per",
  "node reaches: dark is best. Where the dark cells move as nodes are added, no default suits all jobs."
)

make_table <- function(records, inputs) {
  sweep <- sweep_of_defaults(records)
  only_if(data.table::uniqueN(sweep$nn) > 1)
  points <- name_apart(shares_in_situations(sweep))
  points[, page := paste(mark_name(target, emulated), access, api_words(api), sep = ", ")]
  points[, sheet := 1L][]
}

verdict_text <- setting_tiles_words

make_figure <- function(table) {
  drawn <- data.table::copy(table)
  drawn[, nodes := factor(counted(nn, "node"), levels = counted(sort(unique(nn)), "node"))]
  setting_tiles(drawn) + ggplot2::facet_wrap(ggplot2::vars(nodes), ncol = 2)
}

height_mm <- function(table) {
  rows <- ceiling(data.table::uniqueN(table$nn) / 2)
  30 + rows * (10 + 6 * data.table::uniqueN(table$stripe_count))
}
