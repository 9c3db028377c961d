title <- "Scaling with nodes, by the time of the transfers"
place <- 41
statistic <- "Points: median bandwidth (bytes over transfer alone)"
needs <- "records on more than one number of nodes, or of processes on one node"
caption <- paste(
  "The same by the second definition, in which files are open before the clock starts: bandwidth over the time of the",
  "transfers and their synchronisation. Where it lies far above the figure before, opening and closing take what the",
  "files were too small to hide. Thick lines: medians; dashed lines: the best repetition."
)

applies <- nothing_to_scale
make_table <- function(records, inputs) scaling_table(records, bandwidth_io)
make_figure <- scaling_plot
height_mm <- scaling_height_mm
