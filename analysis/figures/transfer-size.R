title <- "Bandwidth against transfer size"
place <- 10
caption <- paste(
  "Bandwidth (bytes over open, transfer and close) against the size of one transfer. Rows are targets and processes,",
  "columns accesses and orders. Read it along a line: where it still rises, the cost of a call dominates; where it is",
  "flat, the storage does. Shared-file and per-process lines that part show the price of sharing a file."
)

mapped <- c("access", "api", "layout", "order", "target", "nn", "ppn", "xfer_bytes")

make_table <- function(records, inputs) {
  records <- add_variant(transfers_of(records)[!is.na(xfer_bytes)], mapped)
  summarise_records(records, bandwidth_all(records), c(mapped, "variant"), "MiB/s")
}

make_figure <- function(table) {
  table <- data.table::copy(table)
  rows <- intersect(c("target", "nn", "ppn", "variant"), names(table))
  varying <- rows[vapply(rows, function(column) data.table::uniqueN(table[[column]]) > 1, logical(1))]
  table[, row := describe_columns(.SD, varying, "\n")]
  table[, column := describe_columns(.SD, c("access", "order"), "\n")]
  ggplot2::ggplot(table, ggplot2::aes(xfer_bytes, median, colour = api, shape = api, linetype = layout)) +
    ggplot2::geom_linerange(ggplot2::aes(ymin = lo, ymax = hi), linetype = "solid", linewidth = 0.35, na.rm = TRUE) +
    ggplot2::geom_line(ggplot2::aes(group = interaction(api, layout, variant)), linewidth = 0.4, na.rm = TRUE) +
    ggplot2::geom_point(ggplot2::aes(fill = fill_by(api, verdict)), size = 1.3, stroke = 0.4, na.rm = TRUE) +
    ggplot2::facet_grid(row ~ column, scales = "free_y") +
    scale_api(table$api) +
    scale_layout() +
    scale_x_bytes("Transfer size", table$xfer_bytes) +
    scale_y_rate("Bandwidth in MiB/s") +
    theme_weir()
}

height_mm <- function(table) {
  30 + 30 * data.table::uniqueN(table, by = c("target", "nn", "ppn", "variant"))
}
