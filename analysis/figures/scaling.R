title <- "Scaling with nodes"
place <- 40
statistic <- "Points: median bandwidth (bytes over open, transfer and close)"
needs <- "records on more than one number of nodes"
caption <- paste(
  "Bandwidth against the number of nodes, a line for each transfer size; both axes are logarithmic. Thick lines go",
  "through the medians, thin dashed ones through the best repetition, as in publications that show the maximum. Along",
  "the grey slopes the bandwidth grows with the nodes; where a line is flatter, the storage or the network is shared."
)

mapped <- c("access", "api", "layout", "order", "target", "nn", "ppn", "xfer_bytes")

applies <- function(records) {
  counts <- unique(transfers_of(records)[!is.na(nn)]$nn)
  if (length(counts) == 1) sprintf("all records are of %s; there is nothing to scale", counted(counts, "node")) else ""
}

make_table <- function(records, inputs) {
  records <- add_variant(transfers_of(records)[!is.na(nn) & !is.na(xfer_bytes)], mapped)
  table <- summarise_records(records, bandwidth_all(records), c(mapped, "variant"), "MiB/s")
  if (nrow(table) == 0) {
    return(table)
  }
  alone <- table[, .(alone = data.table::uniqueN(nn) < 2), by = c(setdiff(mapped, "nn"), "variant")]
  table <- table[alone, on = c(setdiff(mapped, "nn"), "variant")]
  said <- if (any(table$alone)) {
    sprintf("Not drawn: %s measured on one number of nodes only.", counted(sum(table$alone), "point"))
  }
  table <- place_panels(table[alone == FALSE][, alone := NULL], c(
    variant = "page", target = "page", api = "column", layout = "column", order = "column", access = "column",
    ppn = "row"
  ))
  if (is.null(said)) table else add_note(table, said)
}

make_figure <- function(table) {
  table <- data.table::copy(table)[n > 0][, size := as_size(xfer_bytes)]
  ggplot2::ggplot(table, ggplot2::aes(nn, median, colour = size, shape = size, group = size)) +
    proportional_slopes(table) +
    ggplot2::geom_line(ggplot2::aes(y = best), linewidth = 0.2, linetype = "32", show.legend = FALSE) +
    ggplot2::geom_linerange(ggplot2::aes(ymin = lo, ymax = hi), linewidth = 0.35, na.rm = TRUE, show.legend = FALSE) +
    line_through(ggplot2::aes(group = size)) +
    ggplot2::geom_point(ggplot2::aes(fill = fill_by(size, verdict)), size = 1.2, stroke = 0.4) +
    facet_panels(table) +
    scale_sizes(table$xfer_bytes) +
    scale_x_powers("Nodes", table$nn, as.character, panel_width_mm(table)) +
    scale_y_rate("Bandwidth in MiB/s") +
    theme_weir()
}

# One slope through every other power of ten at one node.
proportional_slopes <- function(table) {
  decades <- seq(floor(log10(min(table$median) / max(table$nn))), ceiling(log10(max(table$median))))
  ggplot2::geom_abline(slope = log10(2), intercept = decades, colour = "#d8d8d8", linewidth = 0.3)
}

height_mm <- function(table) {
  38 + row_count(table) * if (row_count(table) > 4) 26 else 32
}
