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

# Over the processes, of one size of a transfer; `of` is the figure, as a sidecar names it.
points_over_processes <- function(records, inputs, of, mapped) {
  known <- records[!is.na(nn) & !is.na(ppn) & !is.na(xfer_bytes)]
  only_if(wants_form(inputs, of) && nrow(known) > 0)
  known <- filled_nodes(known)[, tasks := tasks_of(.SD)]
  points <- variant_points(known[xfer_bytes == size_of_curve(known)], mapped, apart = c(mapped, "nn", "ppn"))
  enough_for_curve(points, "tasks", c(setdiff(mapped, "tasks"), "variant"))
}

# A line needs so many values of `x`; other points are named in a note.
enough_for_curve <- function(points, x, apart) {
  points[, values_along := data.table::uniqueN(.SD[[1]]), by = apart, .SDcols = x]
  points[values_along >= fewest_for_line][, values_along := NULL][]
}

# `series` is the column that has looks, `labels` the terms for its values; `title` and `values` are those of the axis.
curves <- function(table, x, series, title, values = as.character, labels = ggplot2::waiver()) {
  drawn <- data.table::copy(table)[n > 0]
  shown <- looks_of(series, drawn[[series]])
  drawn[, `:=`(along = get(x), series = factor(get(series), levels = shown$name))]
  ggplot2::ggplot(drawn, ggplot2::aes(along, median, colour = series, shape = series, group = series)) +
    point_marks("series", line = line_through("along", "series", ggplot2::aes(linetype = series))) +
    facet_panels(table, scales = "free_y", height_mm = curve_mm) +
    scale_looks(shown, labels = labels) +
    ggplot2::scale_y_continuous("Bandwidth in MiB/s", labels = rate_words, limits = c(0, NA),
      expand = ggplot2::expansion(mult = c(0.025, 0.07))) +
    # A mark on the axis is whole.
    ggplot2::coord_cartesian(clip = "off") +
    theme_weir() +
    scale_x_powers(title, table[[x]], values, panel_width_mm(table))
}

curve_mm <- 32

curves_height_mm <- function(table) 36 + row_count(table) * (curve_mm + 4)
