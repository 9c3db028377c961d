title <- "Scaling with nodes"
position <- 40
statistic <- "Points: medians"
needs <- "records on three numbers of nodes, or of processes per node"
caption <- paste(
  "Bandwidth (bytes over open, transfer and close) against the number of nodes, or of processes on one node, a line",
  "for each transfer size; both axes are logarithmic, and along the grey slopes the bandwidth grows in proportion."
)

applies <- nothing_to_scale
make_table <- function(records, inputs) scaling_table(records, metric_of(inputs))
finding <- scaling_words
make_figure <- scaling_plot
height_mm <- scaling_height_mm
