title <- "Scaling with nodes"
place <- 40
statistic <- "Points: median bandwidth (bytes over open, transfer and close)"
needs <- "records on more than one number of nodes, or of processes on one node"
caption <- paste(
  "Bandwidth against the number of nodes, a line for each transfer size; both axes are logarithmic. Where all records",
  "are of one node the axis has its processes. Thick lines go through the medians, thin dashed ones through the best",
  "repetition, as in publications that show the maximum. Along the grey slopes the bandwidth grows in proportion;",
  "where a line is flatter, the storage or the network is shared."
)

applies <- nothing_to_scale
make_table <- function(records, inputs) scaling_table(records, bandwidth_all)
make_figure <- scaling_plot
height_mm <- scaling_height_mm
