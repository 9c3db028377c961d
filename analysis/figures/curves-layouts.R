title <- "A shared file beside a file per process"
position <- 42
statistic <- "Points: medians"
needs <- "a shared file and a file for each process by the same interface, with three numbers of processes"
if_empty <- no_form
caption <- paste(
  "Bandwidth (bytes over open, transfer and close) of one shared file and of a file for each process against the",
  "number of processes, as the talk of NERSC draws it; the axis of the bandwidth begins at zero. The distance of the",
  "curves is the price of sharing."
)
page_limit <- 1L

mapped <- c("access", "api", "layout", "order", "target", "tasks", "xfer_bytes")

make_table <- function(records, inputs) {
  known <- bulk_transfers(records)[layout %in% looks_of("layout")$name]
  points <- points_over_processes(known, inputs, "figure curves-layouts", mapped)
  only_if(nrow(points) > 0)
  # Curves are compared where they have both layouts of one interface, and nothing else differs.
  alike <- setdiff(c(mapped, "variant"), c("tasks", "layout"))
  points[, layouts := data.table::uniqueN(layout), by = alike]
  place_panels(points[layouts == 2][, layouts := NULL][], c(
    variant = "page", order = "page", api = "page", target = "row", access = "column"
  ))
}

make_figure <- function(table) curves(table, "tasks", "layout", "Number of processes", labels = layout_words)
height_mm <- curves_height_mm
