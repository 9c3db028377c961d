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
  known <- bulk_transfers(records)[!is.na(nn) & !is.na(ppn) & !is.na(xfer_bytes)]
  if (!wants_form(inputs, "figure curves-processes") || nrow(known) == 0) {
    return(data.table::data.table())
  }
  known <- filled_nodes(known)[, tasks := tasks_of(.SD)]
  known <- add_variant(known[xfer_bytes == size_of_curve(known)], c(mapped, "nn", "ppn"))
  points <- summarise_records(known, bandwidth_all(known), c(mapped, "variant"), "MiB/s")
  points <- enough_for_curve(points, "tasks", c(setdiff(mapped, "tasks"), "variant"))
  place_panels(points, c(
    variant = "page", order = "page", target = "row", api = "column", layout = "column"
  ))
}

make_figure <- function(table) {
  curves(table, "tasks", "access") +
    scale_x_powers("Number of processes", table$tasks, as.character, panel_width_mm(table))
}

height_mm <- curves_height_mm
