title <- "Radar chart of the phases of IO500"
position <- 2
statistic <- "Corners: median of a phase over the best of the storage shown, logarithmic"
interval_text <- ""
needs <- "records of the suite io500 on two targets"
if_empty <- "The study does not measure the phases of IO500."
caption <- paste(
  "The twelve phases of IO500, one polygon for each storage: the rim is the best of the storage shown, the rings are",
  "a tenth and a hundredth of it, the centre a thousandth. A dent is a phase in which a storage falls behind the",
  "others. It compares the storage of this study alone."
)
decades <- 3

make_table <- function(records, inputs) {
  points <- phases_of_io500(records)
  if (nrow(points) == 0) {
    return(points)
  }
  points <- points[n > 0]
  if (data.table::uniqueN(points$target) < 2) {
    return(points[0])
  }
  points[, share := median / max(median), by = phase]
  points[, radius := pmax(0, 1 + log10(share) / decades)]
  points[, angle := 2 * pi * (match(phase, io500_phases$phase) - 1) / nrow(io500_phases)]
  points[, `:=`(x = radius * sin(angle), y = radius * cos(angle), level = NA_real_, page = "all", sheet = 1L)]
  without <- points[nzchar(why)]
  if (nrow(without) == 0) {
    return(points)
  }
  add_note(points, sprintf("Not a valid IO500 score: %s.", without[, why_words(target, emulated, why)]))
}

make_figure <- function(table) {
  drawn <- mark_emulated(data.table::copy(table))
  drawn[, target := factor(target, levels = unique(target[order(emulated)]))]
  rim <- data.table::CJ(turn = seq(0, 2 * pi, length.out = 121), ring = seq_len(decades) / decades)
  spokes <- data.table::copy(io500_phases)[, angle := 2 * pi * (seq_len(.N) - 1) / .N]
  spokes[, `:=`(x = sin(angle), y = cos(angle), titled = gsub("_", " ", phase))]
  colours <- target_colours(drawn$target)
  ggplot2::ggplot(drawn, ggplot2::aes(x, y, colour = target)) +
    ggplot2::geom_path(
      ggplot2::aes(ring * sin(turn), ring * cos(turn), group = ring), data = rim, colour = "#c8c8c8", linewidth = 0.3
    ) +
    ggplot2::geom_segment(
      ggplot2::aes(x = 0, y = 0, xend = x, yend = y), data = spokes, colour = "#d8d8d8", linewidth = 0.3
    ) +
    ggplot2::geom_polygon(ggplot2::aes(group = target), fill = NA, linewidth = 0.5) +
    ggplot2::geom_point(ggplot2::aes(fill = fill_by(target, verdict)), shape = 21, size = 1.2, stroke = 0.4) +
    unproven_marks() +
    ggplot2::geom_text(
      ggplot2::aes(1.1 * x, 1.06 * y, label = titled, hjust = ifelse(abs(x) < 0.1, 0.5, ifelse(x > 0, 0, 1))),
      data = spokes, colour = "#202020", size = type_size_mm, family = sans_family
    ) +
    ggplot2::scale_colour_manual(NULL, values = colours) +
    ggplot2::scale_fill_manual(values = colours, na.value = "white", guide = "none") +
    ggplot2::coord_fixed(xlim = c(-1.7, 1.7), ylim = c(-1.15, 1.15)) +
    theme_weir() +
    ggplot2::theme(
      axis.text = ggplot2::element_blank(), axis.title = ggplot2::element_blank(),
      axis.ticks = ggplot2::element_blank(), panel.grid.major = ggplot2::element_blank(),
      panel.border = ggplot2::element_blank()
    )
}

height_mm <- function(table) 100
