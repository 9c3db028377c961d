# Curves as talks draw them: bandwidth on an axis from zero, a line for each access or layout, a panel for each storage.

# Along the processes a node is filled before the next one is taken: those of one node, then full nodes.
filled_nodes <- function(records) {
  ends <- records[, .(first = min(nn), most = max(ppn)), by = target]
  records[ends, on = "target"][nn == first | ppn == most][, `:=`(first = NULL, most = NULL)][]
}

# The size of a transfer that most numbers of processes have, and the largest of these.
size_of_curve <- function(records) {
  counts <- records[, .(numbers = data.table::uniqueN(tasks)), by = xfer_bytes]
  counts[order(-numbers, -xfer_bytes)]$xfer_bytes[1]
}

# A line needs so many values of `x`; other points are named in a note.
enough_for_curve <- function(points, x, apart) {
  if (nrow(points) == 0) {
    return(points)
  }
  points[, values_along := data.table::uniqueN(.SD[[1]]), by = apart, .SDcols = x]
  points[values_along >= fewest_for_line][, values_along := NULL][]
}

# `series` is the column that has looks, `labels` the terms for its values.
curves <- function(table, x, series, labels = ggplot2::waiver()) {
  drawn <- data.table::copy(table)[n > 0]
  shown <- looks_of(series, drawn[[series]])
  drawn[, `:=`(along = get(x), series = factor(get(series), levels = shown$name))]
  ggplot2::ggplot(drawn, ggplot2::aes(along, median, colour = series, shape = series, group = series)) +
    ggplot2::geom_linerange(ggplot2::aes(ymin = lo, ymax = hi), linewidth = 0.35, na.rm = TRUE, show.legend = FALSE) +
    run_marks() +
    line_through(ggplot2::aes(group = series, linetype = series), "along", "series") +
    ggplot2::geom_point(ggplot2::aes(fill = fill_by(series, verdict)), size = 1.4, stroke = 0.4) +
    unproven_marks() +
    facet_panels(table, scales = "free_y", height_mm = curve_mm) +
    scale_looks(shown, labels = labels) +
    ggplot2::scale_y_continuous("Bandwidth in MiB/s", labels = rate_words, limits = c(0, NA),
      expand = ggplot2::expansion(mult = c(0.025, 0.07))) +
    # A mark on the axis is whole.
    ggplot2::coord_cartesian(clip = "off") +
    theme_weir()
}

curve_mm <- 32

curves_height_mm <- function(table) 36 + row_count(table) * (curve_mm + 4)
