title <- "Bandwidth against transfer size"
place <- 10
statistic <- "Points: median bandwidth (bytes over open, transfer and close)"
caption <- paste(
  "Bandwidth against the size of one transfer. Rows are targets and processes, columns accesses and orders; the rate",
  "axis is logarithmic and differs between rows. Read it along a line: where it still rises, the cost of a call",
  "dominates; where it is flat, the storage does. Where the lines of a shared file and of a file per process part,",
  "they show the price of sharing."
)

mapped <- c("access", "api", "layout", "order", "target", "nn", "ppn", "xfer_bytes")
rows <- c("target", "nn", "ppn", "variant")

make_table <- function(records, inputs) {
  records <- add_variant(transfers_of(records)[!is.na(xfer_bytes)], mapped)
  table <- summarise_records(records, bandwidth_all(records), c(mapped, "variant"), "MiB/s")
  keep_extremes(table, rows, 8)
}

make_figure <- function(table) {
  table <- data.table::copy(table)
  table[, access := factor(access, access_levels)]
  table[, order := factor(order, order_levels)]
  data.table::setorderv(table, c(rows, "access", "order"))
  table[, row := in_order(describe_columns(.SD, varying_columns(.SD, rows), "\n"))]
  data.table::setorder(table, access, order)
  table[, column := in_order(describe_columns(.SD, c("access", "order"), "\n"))]
  beside <- ggplot2::position_dodge(0.8) # a little apart, so that equal values do not hide each other
  table[, series := interaction(api, layout)]
  ggplot2::ggplot(table, ggplot2::aes(xfer_bytes, median, colour = api, shape = api, group = series)) +
    ggplot2::geom_linerange(
      ggplot2::aes(ymin = lo, ymax = hi),
      linewidth = 0.35, na.rm = TRUE, show.legend = FALSE, position = beside
    ) +
    line_through(ggplot2::aes(linetype = layout), position = beside) +
    ggplot2::geom_point(
      ggplot2::aes(fill = fill_by(api, verdict)),
      size = 1.3, stroke = 0.4, na.rm = TRUE, position = beside
    ) +
    ggplot2::facet_grid(row ~ column, scales = "free_y") +
    scale_api(table$api) +
    scale_layout() +
    scale_x_bytes("Size of one transfer", table$xfer_bytes) +
    scale_y_rate("Bandwidth in MiB/s") +
    theme_weir() +
    slanted_x_labels()
}

height_mm <- function(table) {
  38 + 29 * panel_count(table, rows)
}
