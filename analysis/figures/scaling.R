title <- "Scaling with nodes"
position <- 40
statistic <- "Points: medians"
needs <- "records on more than one number of nodes, or of processes on one node"
caption <- paste(
  "Bandwidth (bytes over open, transfer and close) against the number of nodes, one series for each transfer size;",
  "both axes are logarithmic. Where all records are of one node the axis has its processes. Along the grey slopes",
  "the bandwidth grows in proportion; where a line is flatter, the storage or the network is shared."
)

applies <- nothing_to_scale
make_table <- function(records, inputs) scaling_table(records, metric_of(inputs))
make_figure <- scaling_plot
height_mm <- scaling_height_mm
