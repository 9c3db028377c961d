# Labels at the right end of lines, instead of a key, where the panels have room for them.

label_height_mm <- 2.6
# A panel that gives up more of its width for labels shows too little of its lines.
most_share_of_labels <- 0.25

# One row for each line and panel with `label`, `at` on the axis `x`, and `label_at`, where the label stands so that it
# covers no other; NULL where a key is better: a line that ends before the others, or too little room. `apart` is what
# tells the lines of a panel apart, `labels` their names, a column.
labels_of_lines <- function(drawn, x, apart, labels, width_mm, height_mm) {
  panels <- intersect(c("row", "column"), names(drawn))
  drawn <- drawn[!is.na(median)]
  lines <- drawn[, .(values = data.table::uniqueN(.SD[[1]]), at = max(.SD[[1]])), by = c(panels, apart), .SDcols = x]
  names_mm <- max(nchar(as.character(drawn[[labels]]))) * mm_per_letter + 2.5
  fits <- names_mm <= most_share_of_labels * width_mm &&
    max(lines[, .(lines = .N), by = panels]$lines) * label_height_mm <= height_mm
  if (!fits || any(lines$values < fewest_for_line) || data.table::uniqueN(lines$at) > 1) {
    return(NULL)
  }
  ends <- drawn[drawn[[x]] == lines$at[1]]
  limits <- log10(range(unlist(drawn[, intersect(c("median", "lo", "hi"), names(drawn)), with = FALSE]), na.rm = TRUE))
  gap <- label_height_mm / height_mm * 1.14 * max(diff(limits), 0.1)
  ends[, `:=`(label = as.character(.SD[[1]]), at = lines$at[1]), .SDcols = labels]
  ends[, label_at := 10^kept_apart(log10(median), gap, limits), by = panels]
  data.table::setattr(ends, "names_mm", names_mm)[]
}

# The nearest positions with at least `gap` between them, within the limits as far as that is possible.
kept_apart <- function(at, gap, limits) {
  rank <- order(at)
  steps <- seq_along(at) * gap
  apart <- stats::isoreg(at[rank] - steps)$yf + steps
  apart <- pmax(pmin(apart, limits[2] + steps - max(steps)), limits[1] + steps - min(steps))
  replace(at, rank, apart)
}

# In the ink of its line, `colours` are those of the values of `series`; `nudge` is what keeps a label off its mark, on
# the axis of the figure.
direct_labels <- function(ends, series, colours, nudge) {
  if (!is.null(ends)) {
    # No line of the panel strikes a label out.
    ggplot2::geom_label(ggplot2::aes(at, label_at, label = label),
      data = ends, colour = ink_of(colours[as.character(ends[[series]])]), hjust = 0, nudge_x = nudge,
      size = type_size_mm, family = sans_family, show.legend = FALSE,
      fill = "white", label.size = 0, label.padding = grid::unit(0.25, "mm"), label.r = grid::unit(0, "mm")
    )
  }
}

width_of_labels_mm <- function(ends) if (is.null(ends)) 0 else attr(ends, "names_mm")
