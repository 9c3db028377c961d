# How every figure looks beside the palette: one type size, one mark for each verdict. Nothing here knows what is
# plotted.

# The width of the text of an A4 report.
page_width_mm <- 166
# What leaves room for a caption of five lines on a page.
page_height_mm <- 200
# Every letter has this size: smaller ones are not readable in print.
type_size_pt <- 7
type_size_mm <- type_size_pt * 25.4 / 72.27 # points of TeX, as ggplot2::.pt: to look there would load it at each start
panel_gap_mm <- 1.8
# What a letter takes of a line, on the average and at most.
mm_per_letter <- 1.25

sans_family <- local({
  wanted <- c("Latin Modern Sans", "LM Sans 10", "DejaVu Sans")
  installed <- systemfonts::system_fonts()$family
  found <- wanted[wanted %in% installed]
  if (length(found) > 0) found[1] else "sans"
})

theme_weir <- function() {
  ggplot2::theme_minimal(base_size = type_size_pt, base_family = sans_family) +
    ggplot2::theme(
      text = ggplot2::element_text(colour = "#202020"),
      axis.text = ggplot2::element_text(colour = "#404040", size = type_size_pt),
      axis.ticks = ggplot2::element_line(colour = "#a0a0a0", linewidth = 0.25),
      panel.grid.major = ggplot2::element_line(colour = "#e4e4e4", linewidth = 0.25),
      panel.grid.minor = ggplot2::element_blank(),
      panel.border = ggplot2::element_rect(fill = NA, colour = "#a0a0a0", linewidth = 0.3),
      panel.spacing = grid::unit(panel_gap_mm, "mm"),
      strip.text = ggplot2::element_text(size = type_size_pt, margin = ggplot2::margin(1, 1, 1.2, 1, "mm")),
      strip.text.y = ggplot2::element_text(angle = -90),
      legend.position = "bottom",
      legend.box = "horizontal",
      legend.key.width = grid::unit(7, "mm"),
      legend.key.height = grid::unit(3.4, "mm"),
      legend.margin = ggplot2::margin(0, 2, 0, 2, "mm"),
      legend.box.margin = ggplot2::margin(-2, 0, 0, 0, "mm"),
      legend.title = ggplot2::element_text(
        size = type_size_pt, margin = ggplot2::margin(r = 2.5, unit = "mm")
      ),
      legend.text = ggplot2::element_text(size = type_size_pt),
      plot.title.position = "plot",
      plot.caption.position = "plot",
      plot.subtitle = ggplot2::element_text(size = type_size_pt, margin = ggplot2::margin(b = 1.5, unit = "mm")),
      plot.caption = ggplot2::element_text(
        size = type_size_pt, hjust = 0, colour = "#505050", lineheight = 1.1,
        margin = ggplot2::margin(t = 1.5, unit = "mm")
      ),
      plot.margin = ggplot2::margin(1, 1, 1, 1, "mm")
    )
}

# A line through three values and more; `x` is the column that the line goes along, `apart` what tells lines apart.
line_through <- function(x, apart, mapping = NULL, ...) {
  ggplot2::geom_line(mapping, data = function(drawn) {
    drawn <- drawn[!is.na(median)]
    apart <- intersect(c(apart, "row", "column"), names(drawn))
    drawn[, several := data.table::uniqueN(.SD[[1]]) >= fewest_for_line, by = apart, .SDcols = x]
    drawn[several == TRUE]
  }, linewidth = 0.4, ...)
}

as_size <- function(bytes) {
  factor(bytes, levels = sort(unique(bytes)), labels = format_plain(sort(unique(bytes))))
}

# Degraded points are hollow: the fill is missing and the scales print missing as white.
fill_by <- function(levels, verdict) {
  ifelse(verdict == "DEGRADED", NA, as.character(levels))
}

# Powers of two apart; every value has its grid line, but only so many have a label as the panels are wide.
scale_x_powers <- function(name, values, labels, panel_mm, beyond_mm = 0) {
  values <- sort(unique(values))
  spaced <- spaced_labels(labels(values), log2(values), panel_mm, beyond_mm)
  ggplot2::scale_x_continuous(name, trans = "log2", breaks = values, labels = spaced$labels, expand = spaced$expand)
}

# The finest of 1 to 9, 1-2-5, 1-3, decades and every other decade that leaves few enough labels; in a range too narrow
# for two of them, round numbers.
decade_breaks <- function(limits, most = 5) {
  if (!all(is.finite(limits)) || limits[1] <= 0) {
    return(numeric())
  }
  decades <- 10^seq(floor(log10(limits[1])), ceiling(log10(limits[2])))
  finer <- lapply(list(1:9, c(1, 2, 5), c(1, 3), 1), function(steps) as.vector(outer(steps, decades)))
  coarser <- decades[log10(decades) %% 2 == 0]
  within <- lapply(c(finer, list(coarser)), function(breaks) breaks[breaks >= limits[1] & breaks <= limits[2]])
  chosen <- within[[which(lengths(within) <= most | seq_along(within) == length(within))[1]]]
  whole <- within[[4]]
  if (length(chosen) >= 2) chosen else if (length(whole) >= 2) range(whole) else pretty(limits, 3)
}

# `beyond` is the room at both ends, for labels above the points there. At least a label of six letters stays within its
# panel, so that it does not run into that of the next one; a longer one that would leave it is not printed.
scale_x_rate <- function(name, limits = NULL, panel_mm = 100, beyond = 0.07) {
  half_mm <- 3 * mm_per_letter + label_air_mm
  beyond <- max(beyond, min(0.3, half_mm / max(1, panel_mm - 2 * half_mm)))
  most <- max(2, floor(panel_mm / 14))
  breaks <- function(range) within_panel(decade_breaks(range, most), range, panel_mm, beyond)
  ggplot2::scale_x_log10(name, breaks = breaks, labels = rate_words, limits = limits,
    expand = ggplot2::expansion(mult = beyond))
}

# Between a label and the edge of its panel; labels of neighbours are twice as far apart and the gap of the panels.
label_air_mm <- 0.8

# The breaks whose labels stay within the panel, if two of them do.
within_panel <- function(breaks, range, panel_mm, beyond) {
  span <- log10(range[2] / range[1])
  if (length(breaks) < 2 || !is.finite(span) || span <= 0) {
    return(breaks)
  }
  at_mm <- (log10(breaks / range[1]) / span + beyond) / (1 + 2 * beyond) * panel_mm
  half_mm <- nchar(rate_words(breaks)) * mm_per_letter / 2 + label_air_mm
  kept <- breaks[at_mm >= half_mm & at_mm <= panel_mm - half_mm]
  if (length(kept) < 2) breaks else kept
}

scale_y_rate <- function(name, limits = NULL) {
  ggplot2::scale_y_log10(name, breaks = decade_breaks, labels = rate_words, limits = limits,
    expand = ggplot2::expansion(mult = 0.07))
}

upright_row_titles <- function() {
  ggplot2::theme(strip.text.y = ggplot2::element_text(angle = 0, hjust = 0, size = type_size_pt))
}

# Where the lines of panels have names, their axis needs none.
theme_of_rows <- function() list(ggplot2::labs(y = NULL), theme_weir(), upright_row_titles())

# No line begins with the unit of the number that ends the line before it.
wrap_words <- function(text, width = 138) {
  kept <- gsub("(?<=[0-9]) (?=(%|[KMGT]iB(/s)?|s|ms|\u00b5s)([ .,;:)]|$))", "\u0001", text, perl = TRUE)
  gsub("\u0001", " ", paste(strwrap(kept, width), collapse = "\n"), fixed = TRUE)
}

# Unproven points have a white centre where others are valid; the layer has the mapping and the position of the points.
unproven_marks <- function(position = "identity", size = 0.35) {
  centres <- ggplot2::geom_point(
    data = function(drawn) drawn[verdict %in% "UNPROVEN" & n > 0 & has_valid(drawn)], shape = 16, size = size,
    colour = "white", show.legend = FALSE, na.rm = TRUE, position = position
  )
  centres$draws_unproven <- TRUE
  centres
}

# The points of a figure and what belongs to them: their intervals or runs, their `line` and the marks of verdicts.
# `series` is the column that has the looks, `along` the axis of the values.
point_marks <- function(series, size = 1.4, along = "y", position = "identity", line = NULL) {
  ends <- if (along == "y") ggplot2::aes(ymin = lo, ymax = hi) else ggplot2::aes(xmin = lo, xmax = hi)
  list(
    ggplot2::geom_linerange(ends, linewidth = 0.4, na.rm = TRUE, show.legend = FALSE, position = position),
    run_marks(position, along), line,
    ggplot2::geom_point(ggplot2::aes(fill = fill_by(!!as.name(series), verdict)), size = size, stroke = 0.4,
      na.rm = TRUE, position = position),
    unproven_marks(position)
  )
}

has_valid <- function(table) any(table$verdict[table$n > 0] %in% "VALID")

# Where runs are too few for an interval, the runs themselves. `along` is the axis of the values.
run_marks <- function(position = "identity", along = "y") {
  at <- if (along == "y") ggplot2::aes(y = value) else ggplot2::aes(x = value)
  marks <- ggplot2::geom_point(
    at,
    data = runs_to_draw, shape = 16, size = 0.45, alpha = 0.6, show.legend = FALSE, na.rm = TRUE,
    position = position
  )
  marks$draws_runs <- TRUE
  marks
}

# Whether a layer of the figure is of this kind: draws_runs or draws_unproven.
has_layer <- function(plot, kind) {
  any(vapply(plot$layers, function(layer) isTRUE(layer[[kind]]), logical(1)))
}

runs_to_draw <- function(drawn) {
  few <- drawn[n > 1 & is.na(lo)]
  if (nrow(few) == 0) {
    return(few[, value := numeric()])
  }
  long <- few[rep(seq_len(nrow(few)), lengths(few$values))]
  data.table::set(long, j = "value", value = unlist(few$values))
}

# A line suggests values between the points; two points do not support that.
fewest_for_line <- 3L

save_plots <- function(plots, heights_mm, stem) {
  grobs <- laid_out(plots)
  save_pdf(grobs, heights_mm, paste0(stem, ".pdf"))
  save_svg(grobs, heights_mm, paste0(stem, ".svg"))
}

inches <- function(length_mm) length_mm / 25.4

# To lay plots out takes longer than to draw them, so that it is done once for both files; on a device of its own, as to
# measure text begins a page.
laid_out <- function(plots) {
  path <- tempfile(fileext = ".pdf")
  open_pdf(path)
  on.exit(unlink(path))
  grobs <- lapply(plots, function(plot) if (grid::is.grob(plot)) plot else ggplot2::ggplotGrob(plot))
  grDevices::dev.off()
  grobs
}

# cairo writes the date with the offset of a time zone that it asks for once: the same figure would have another size
# elsewhere.
open_pdf <- function(path, ...) {
  zone <- Sys.getenv("TZ", NA)
  Sys.setenv(TZ = "UTC")
  on.exit(if (is.na(zone)) Sys.unsetenv("TZ") else Sys.setenv(TZ = zone))
  grDevices::cairo_pdf(path, ..., family = sans_family)
}

# A page for each plot, all as high as the highest, drawn from the top.
save_pdf <- function(grobs, heights_mm, path) {
  highest <- max(heights_mm)
  open_pdf(path, inches(page_width_mm), inches(highest), onefile = TRUE)
  for (i in seq_along(grobs)) {
    grid::grid.newpage()
    draw_at(grobs[[i]], highest, highest, heights_mm[i])
  }
  grDevices::dev.off()
}

# All pages below each other.
save_svg <- function(grobs, heights_mm, path) {
  whole <- sum(heights_mm)
  svglite::svglite(path, inches(page_width_mm), inches(whole), bg = "white")
  grid::grid.newpage()
  for (i in seq_along(grobs)) {
    draw_at(grobs[[i]], whole, whole - sum(heights_mm[seq_len(i - 1)]), heights_mm[i])
  }
  grDevices::dev.off()
  name_fallback_fonts(path)
}

draw_at <- function(grob, whole_mm, top_mm, height_mm) {
  grid::pushViewport(grid::viewport(y = top_mm / whole_mm, height = height_mm / whole_mm, just = "top"))
  grid::grid.draw(grob)
  grid::popViewport()
}

# A browser elsewhere may lack the font; the widths are fixed in the file, so any sans serif keeps the layout.
name_fallback_fonts <- function(path) {
  lines <- readLines(path, encoding = "UTF-8", warn = FALSE)
  lines <- gsub('font-family: "([^"]+)";', 'font-family: "\\1", Arial, Helvetica, sans-serif;', lines)
  writeLines(lines, path, useBytes = TRUE)
}
