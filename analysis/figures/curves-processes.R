title <- "Bandwidth over the number of processes"
position <- 41
statistic <- "Points: medians"
needs <- "three numbers of processes"
if_empty <- no_form
caption <- paste(
  "Bandwidth (bytes over open, transfer and close) against the number of processes, as the talk of NERSC draws it: a",
  "node is filled before the next one is taken, and the axis of the bandwidth begins at zero."
)
page_limit <- 1L

mapped <- c("access", "api", "layout", "order", "target", "tasks", "xfer_bytes")

make_table <- function(records, inputs) {
  points <- points_over_processes(bulk_transfers(records), inputs, "figure curves-processes", mapped)
  place_panels(points, c(
    variant = "page", order = "page", target = "row", api = "column", layout = "column"
  ))
}

make_figure <- function(table) curves(table, "tasks", "access", "Number of processes")
height_mm <- curves_height_mm
