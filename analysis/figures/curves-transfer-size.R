title <- "Transfer sizes with eight processes"
position <- 11
statistic <- "Points: medians"
needs <- "three transfer sizes with one number of processes"
if_empty <- no_form
caption <- paste(
  "Bandwidth (bytes over open, transfer and close) against the size of one transfer, as the talk of NERSC asks with",
  "eight processes or the number nearest to it; the axis of the bandwidth begins at zero. A curve that still rises at",
  "its right end wants larger transfers."
)
page_limit <- 1L

talk_processes <- 8
mapped <- c("access", "api", "layout", "order", "target", "nn", "ppn", "xfer_bytes")

make_table <- function(records, inputs) {
  known <- bulk_transfers(records)[!is.na(nn) & !is.na(ppn) & !is.na(xfer_bytes) & xfer_bytes > 0]
  only_if(wants_form(inputs, "figure curves-transfer-size") && nrow(known) > 0)
  known[, tasks := tasks_of(known)]
  counts <- known[, .(sizes = data.table::uniqueN(xfer_bytes)), by = tasks][sizes >= fewest_for_line]
  only_if(nrow(counts) > 0)
  processes <- counts$tasks[which.min(abs(log(counts$tasks / talk_processes)))]
  # The processes on the fewest nodes and on the most; what lies between adds lines, and no question.
  points <- variant_points(known[tasks == processes][nn %in% range(nn)], mapped)
  points <- enough_for_curve(points, "xfer_bytes", c(setdiff(mapped, "xfer_bytes"), "variant"))
  place_panels(points, c(
    variant = "page", order = "page", target = "column", api = "column", layout = "column", nn = "row", ppn = "row"
  ))
}

make_figure <- function(table) curves(table, "xfer_bytes", "access", "Size of one transfer", bytes_words)
height_mm <- curves_height_mm
