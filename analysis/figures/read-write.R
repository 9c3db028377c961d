title <- "Read against write"
position <- 20
statistic <- "Points: median bandwidths (bytes over open, transfer and close)"
needs <- "writes and reads of the same kind, three configurations of it"
caption <- paste(
  "Read against write bandwidth, one point for each configuration that did both; the larger the point, the larger its",
  "transfers. On the grey diagonal reading is as fast as writing; above it reads win, most where a cache below the",
  "file system still holds what was written. Horizontal bars are intervals of the write, vertical ones of the read",
  "median."
)

# On one node a read comes from its cache as often as not, and the ranking shows more.
applies <- function(records) {
  if (data.table::uniqueN(records$nn, na.rm = TRUE) < 2) "all records are of one number of nodes" else ""
}

paired <- c("api", "layout", "order", "target", "nn", "ppn", "xfer_bytes")

make_table <- function(records, inputs) {
  transfers <- add_variant(bulk_transfers(records), c("access", paired))
  points <- summarise_records(transfers, bandwidth_all(transfers), c("access", paired, "variant"), "MiB/s")
  if (nrow(points) == 0) {
    return(points)
  }
  pairs <- several_pairs(pair_accesses(points))
  place_panels(pairs, c(variant = "column", target = "column", order = "column", nn = "column"), 1, most_panels)
}

finding <- function(table) {
  ratios <- table$read / table$write
  sprintf("Reading is faster than writing in %d of %s, in the median \u00d7%s.", sum(ratios > 1),
    counted(length(ratios), "configuration"), format_plain(signif(stats::median(ratios), 2)))
}

pair_accesses <- function(points) {
  pairs <- merge(points[access == "read"], points[access == "write"],
    by = c(paired, "variant", "unit"), suffixes = c("_of_read", "_of_write")
  )
  remark <- alone_words(nrow(points) - 2 * nrow(pairs))
  pairs[, .(
    api, layout, order, target, nn, ppn, xfer_bytes, variant, unit,
    read = median_of_read, read_lo = lo_of_read, read_hi = hi_of_read,
    write = median_of_write, write_lo = lo_of_write, write_hi = hi_of_write,
    n = pmin(n_of_read, n_of_write), level = pmin(level_of_read, level_of_write),
    verdict = worse_verdict(verdict_of_read, verdict_of_write), n_invalid = n_invalid_of_read + n_invalid_of_write,
    n_degraded = n_degraded_of_read + n_degraded_of_write,
    emulated = emulated_of_read | emulated_of_write, note = rep(remark, .N)
  )]
}

# A panel with a point or two shows less than the table of the points.
fewest_pairs <- 3L

several_pairs <- function(pairs) {
  pairs[, beside := .N, by = .(variant, target, order, nn)]
  dropped <- sum(pairs$beside < fewest_pairs)
  kept <- pairs[beside >= fewest_pairs][, beside := NULL]
  if (dropped == 0 || nrow(kept) == 0) {
    return(kept)
  }
  add_note(kept, sprintf("Not drawn: %s without two others like it.", counted(dropped, "configuration")))
}

alone_words <- function(count) {
  if (count == 0) "" else sprintf("Not drawn: %s with one access only.", counted(count, "configuration"))
}

worse_verdict <- function(first, second) {
  verdicts[pmax(match(first, verdicts), match(second, verdicts))]
}

make_figure <- function(table) {
  points <- table[n > 0]
  ends <- range(points[, .(read, read_lo, read_hi, write, write_lo, write_hi)], na.rm = TRUE)
  sizes <- sort(unique(points$xfer_bytes))
  interval <- function(...) ggplot2::geom_linerange(..., linewidth = 0.25, na.rm = TRUE, show.legend = FALSE)
  ggplot2::ggplot(points, ggplot2::aes(write, read, colour = api, shape = api)) +
    ggplot2::geom_abline(colour = "#b0b0b0", linewidth = 0.4) +
    interval(ggplot2::aes(ymin = read_lo, ymax = read_hi)) +
    interval(ggplot2::aes(xmin = write_lo, xmax = write_hi)) +
    ggplot2::geom_point(
      ggplot2::aes(fill = fill_by(api, verdict), size = factor(xfer_bytes, levels = sizes)),
      stroke = 0.35
    ) +
    unproven_marks() +
    wrap_panels(table) +
    scale_api(points$api) +
    scale_point_sizes(sizes) +
    scale_x_rate("Write bandwidth in MiB/s", ends, panel_width_mm(columns = wrapped_counts(table)[["columns"]])) +
    scale_y_rate("Read bandwidth in MiB/s", ends) +
    theme_weir() +
    ggplot2::theme(
      legend.box = "vertical", legend.spacing.y = grid::unit(0, "mm"), plot.margin = ggplot2::margin(1, 3, 1, 1, "mm")
    )
}

height_mm <- function(table) {
  wrapped <- wrapped_counts(table)
  38 + wrapped[["rows"]] * (min(66, 108 / wrapped[["columns"]]) + 4)
}
