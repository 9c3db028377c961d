title <- "Scaling with nodes"
place <- 40
needs <- "records on more than one number of nodes"
statistic <- "Points: median bandwidth (bytes over open, transfer and close)"
caption <- paste(
  "Bandwidth against the number of nodes, a line for each transfer size; rows are processes per node. Thick lines go",
  "through medians, thin dashed ones through the best repetition, as in publications that show the maximum. A straight",
  "line through the origin is linear scaling; a flat one is a storage or a network that has no more to give."
)

mapped <- c("access", "api", "layout", "order", "target", "nn", "ppn", "xfer_bytes")
series <- c("access", "api", "layout", "order", "target")
columns <- c("target", "api", "layout", "order", "access", "variant")

make_table <- function(records, inputs) {
  records <- transfers_of(records)[!is.na(nn) & !is.na(xfer_bytes)]
  complete <- most_complete(records)
  if (nrow(complete) == 0) {
    return(data.table::data.table())
  }
  complete <- add_variant(complete, mapped)
  table <- summarise_records(complete, bandwidth_all(complete), c(mapped, "variant"), "MiB/s")
  if (nrow(complete) < nrow(records)) {
    table <- add_note(table, "Of several experiments on the same, the one that spans most points.")
  }
  keep_extremes(table, columns, 6)
}

# Where experiments overlap, each series comes from the one that spans most nodes, processes and sizes.
most_complete <- function(records) {
  if (nrow(records) == 0) {
    return(records)
  }
  spans <- unique(records, by = c(series, "experiment", "nn", "ppn", "xfer_bytes"))[, .N, by = c(series, "experiment")]
  best <- spans[order(-N), .SD[1], by = series]
  records <- records[best, on = c(series, "experiment"), nomatch = NULL]
  # One number of nodes is no scaling.
  records[, scales := data.table::uniqueN(nn) > 1, by = series][scales == TRUE]
}

make_figure <- function(table) {
  table <- data.table::copy(table)[n > 0]
  table[, access := factor(access, access_levels)]
  data.table::setorderv(table, columns)
  table[, column := in_order(describe_columns(.SD, union("access", varying_columns(.SD, columns)), "\n"))]
  data.table::setorder(table, ppn)
  table[, row := in_order(paste("PPN", ppn))]
  table[, size := as_size(xfer_bytes)]
  ggplot2::ggplot(table, ggplot2::aes(nn, median / 1024, colour = size, shape = size)) +
    ggplot2::geom_line(ggplot2::aes(y = best / 1024, group = size), linewidth = 0.2, linetype = "22") +
    ggplot2::geom_linerange(
      ggplot2::aes(ymin = lo / 1024, ymax = hi / 1024),
      linewidth = 0.35, na.rm = TRUE, show.legend = FALSE
    ) +
    line_through(ggplot2::aes(group = size)) +
    ggplot2::geom_point(ggplot2::aes(fill = fill_by(size, verdict)), size = 1.2, stroke = 0.4) +
    ggplot2::facet_grid(row ~ column) +
    scale_sizes(table$xfer_bytes) +
    ggplot2::scale_x_continuous("Nodes", breaks = sort(unique(table$nn)), minor_breaks = NULL) +
    ggplot2::scale_y_continuous("Bandwidth in GiB/s", limits = c(0, NA)) +
    theme_weir()
}

height_mm <- function(table) {
  36 + 27 * data.table::uniqueN(table$ppn)
}
