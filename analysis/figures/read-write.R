title <- "Read against write"
position <- 20
statistic <- "Points: median bandwidths (bytes over open, transfer and close)"
needs <- "writes and reads of the same kind, three configurations of it"
caption <- paste(
  "Read against write bandwidth, a line for each transfer size through its numbers of nodes. On the grey diagonal",
  "reading is as fast as writing; above it reads win."
)

# On one node a read comes from its cache as often as not, and the ranking shows more.
applies <- function(records) {
  if (data.table::uniqueN(records$nn, na.rm = TRUE) < 2) "all records are of one number of nodes" else ""
}

paired <- c("api", "layout", "order", "target", "nn", "ppn", "xfer_bytes")

make_table <- function(records, inputs) {
  points <- variant_points(bulk_transfers(records), c("access", paired))
  only_if(nrow(points) > 0)
  pairs <- several_pairs(pair_accesses(points))
  # The sums are of all pairs, also of numbers of processes that have no panel; those of real storage stand beside no
  # page of emulated storage.
  counted <- real_storage(pairs)
  ratios <- counted[n > 0 & verdict %in% usable_verdicts, read / write]
  pairs[, all_pairs := 0L]
  pairs[emulated %in% counted$emulated,
    `:=`(all_pairs = length(ratios), all_faster = sum(ratios > 1), all_ratio = stats::median(ratios))]
  place_panels(pairs, c(
    variant = "page", target = "page", order = "page", api = "row", layout = "row", ppn = "column"
  ), 3, 3)
}

finding <- function(table) {
  if (table$all_pairs[1] == 0) {
    return(NULL)
  }
  words <- "Reading is faster than writing in %d of %s; in the median a read has %s times the write's bandwidth."
  table[1, sprintf(words, all_faster, counted(all_pairs, "configuration"), two_digits(all_ratio))]
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
  pairs[, beside := .N, by = .(variant, target, order, api, layout, ppn)]
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

make_figure <- function(table) {
  points <- data.table::copy(table)[n > 0][, size := as_size(xfer_bytes)]
  ends <- range(points[, .(read, read_lo, read_hi, write, write_lo, write_hi)], na.rm = TRUE)
  interval <- function(...) ggplot2::geom_linerange(..., linewidth = 0.25, na.rm = TRUE, show.legend = FALSE)
  ggplot2::ggplot(points[order(nn)], ggplot2::aes(write, read, colour = size, shape = size)) +
    ggplot2::geom_abline(colour = "#b0b0b0", linewidth = 0.4) +
    interval(ggplot2::aes(ymin = read_lo, ymax = read_hi)) +
    interval(ggplot2::aes(xmin = write_lo, xmax = write_hi)) +
    ggplot2::geom_path(ggplot2::aes(group = size), linewidth = 0.3, show.legend = FALSE) +
    ggplot2::geom_point(ggplot2::aes(fill = fill_by(size, verdict)), size = 1.4, stroke = 0.35) +
    unproven_marks() +
    facet_panels(table, height_mm = panel_mm(table)) +
    scale_sizes(points$xfer_bytes) +
    scale_x_rate("Write bandwidth in MiB/s", ends, panel_width_mm(table)) +
    scale_y_rate("Read bandwidth in MiB/s", ends) +
    theme_weir()
}

# Square as far as the page allows.
panel_mm <- function(table) min(52, panel_width_mm(table), 160 / row_count(table) - 6)

height_mm <- function(table) 34 + row_count(table) * panel_mm(table)
