# The radar of the twelve phases of IO500: a polygon for each storage, its corners the share of the best of those drawn.

# Adds `x` and `y` to phases with `median`: the rim is the best, each ring within it a tenth of the one around it.
on_radar <- function(points, decades) {
  points[, share := median / max(median), by = phase]
  points[, radius := pmax(0, 1 + log10(share) / decades)]
  points[, angle := 2 * pi * (match(phase, io500_phases$phase) - 1) / nrow(io500_phases)]
  points[, `:=`(x = radius * sin(angle), y = radius * cos(angle))][]
}

# Rings and spokes below, polygons of `series` above; `shown` are the looks of its values, `widths` of their lines.
radar <- function(drawn, decades, shown, widths = rep(0.5, nrow(shown))) {
  rim <- data.table::CJ(turn = seq(0, 2 * pi, length.out = 121), ring = seq_len(decades) / decades)
  spokes <- data.table::copy(io500_phases)[, angle := 2 * pi * (seq_len(.N) - 1) / .N]
  spokes[, `:=`(x = sin(angle), y = cos(angle), titled = gsub("_", " ", phase))]
  drawn[, series := factor(series, levels = shown$name)]
  drawn <- drawn[order(series, angle)]
  inner <- seq_len(decades - 1)
  # Between the first two spokes, where no corner stands.
  between <- pi / nrow(io500_phases)
  rings <- data.table::data.table(radius = 1 - inner / decades, label = paste0("1/", format_plain(10^inner)))
  ggplot2::ggplot(drawn, ggplot2::aes(x, y, colour = series)) +
    ggplot2::geom_path(
      ggplot2::aes(ring * sin(turn), ring * cos(turn), group = ring), data = rim, colour = "#c8c8c8", linewidth = 0.3
    ) +
    ggplot2::geom_segment(
      ggplot2::aes(x = 0, y = 0, xend = x, yend = y), data = spokes, colour = "#d8d8d8", linewidth = 0.3
    ) +
    ggplot2::geom_polygon(ggplot2::aes(group = series, linewidth = series, linetype = series), fill = NA,
      key_glyph = "path") +
    ggplot2::geom_point(ggplot2::aes(fill = fill_by(series, verdict), shape = series), size = 1.4, stroke = 0.4) +
    unproven_marks() +
    ggplot2::geom_label(ggplot2::aes(radius * sin(between), radius * cos(between), label = label), data = rings,
      colour = "#606060", fill = "white", size = type_size_mm, family = sans_family, label.size = 0,
      label.padding = grid::unit(0.3, "mm")) +
    ggplot2::geom_text(
      ggplot2::aes(1.1 * x, 1.06 * y, label = titled, hjust = ifelse(abs(x) < 0.1, 0.5, ifelse(x > 0, 0, 1))),
      data = spokes, colour = "#202020", size = type_size_mm, family = sans_family
    ) +
    scale_looks(shown, entries = max(3, ceiling(nrow(shown) / 2))) +
    ggplot2::scale_linewidth_manual(values = setNames(widths, shown$name), guide = "none") +
    # As wide as the text, so that the note below begins where those of all figures do.
    ggplot2::coord_fixed(xlim = c(-2.2, 2.2), ylim = c(-1.15, 1.15)) +
    theme_weir() +
    ggplot2::theme(
      axis.text = ggplot2::element_blank(), axis.title = ggplot2::element_blank(),
      axis.ticks = ggplot2::element_blank(), panel.grid.major = ggplot2::element_blank(),
      panel.border = ggplot2::element_blank()
    )
}
