title <- "Read against write"
place <- 20
needs <- "writes and reads of the same kind"
statistic <- "Points: medians (bandwidth over open, transfer and close)"
caption <- paste(
  "Read bandwidth against write bandwidth, one point for each configuration that did both. On the grey diagonal",
  "reading is as fast as writing; above it reads win, most where a cache below the file system still holds what was written.",
  "Horizontal bars are intervals of the write, vertical ones of the read median; both axes are logarithmic."
)

mapped <- c("api", "layout", "order", "target", "nn", "ppn", "xfer_bytes")
panels <- c("target", "nn", "order", "variant")

make_table <- function(records, inputs) {
  transfers <- add_variant(transfers_of(records), c("access", mapped))
  points <- summarise_records(transfers, bandwidth_all(transfers), c("access", mapped, "variant"), "MiB/s")
  if (nrow(points) == 0) {
    return(points)
  }
  pairs <- merge(points[access == "read" & n > 0], points[access == "write" & n > 0],
    by = c(mapped, "variant", "unit"), suffixes = c("", "_of_write")
  )
  pairs[, `:=`(
    n = pmin(n, n_of_write),
    verdict = ifelse(verdict == "DEGRADED" | verdict_of_write == "DEGRADED", "DEGRADED", verdict),
    n_invalid = n_invalid + n_invalid_of_write,
    emulated = emulated | emulated_of_write
  )]
  data.table::setorderv(pairs, panels)
  keep_extremes(pairs, panels, 12)
}

make_figure <- function(table) {
  table <- data.table::copy(table)
  table[, panel := in_order(describe_columns(.SD, varying_columns(.SD, panels)))]
  table[, size := as_size(xfer_bytes)]
  ggplot2::ggplot(table, ggplot2::aes(median_of_write, median, colour = size, shape = size)) +
    ggplot2::geom_abline(colour = "#b0b0b0", linewidth = 0.4) +
    ggplot2::geom_linerange(ggplot2::aes(ymin = lo, ymax = hi), linewidth = 0.25, na.rm = TRUE, show.legend = FALSE) +
    ggplot2::geom_linerange(
      ggplot2::aes(xmin = lo_of_write, xmax = hi_of_write),
      linewidth = 0.25, na.rm = TRUE, show.legend = FALSE
    ) +
    ggplot2::geom_point(ggplot2::aes(fill = fill_by(size, verdict)), size = 1.5, stroke = 0.4) +
    ggplot2::facet_wrap(~panel, ncol = columns_of(table)) +
    scale_sizes(table$xfer_bytes) +
    scale_x_rate("Write bandwidth in MiB/s") +
    scale_y_rate("Read bandwidth in MiB/s") +
    theme_weir()
}

columns_of <- function(table) {
  min(4, ceiling(sqrt(panel_count(table, panels))) + 1, panel_count(table, panels))
}

height_mm <- function(table) {
  columns <- columns_of(table)
  28 + ceiling(panel_count(table, panels) / columns) * min(70, 105 / columns + 6)
}
