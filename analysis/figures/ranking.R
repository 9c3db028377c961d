title <- "The best setting of every storage, access and interface"
position <- 5
section <- "opening"
statistic <- "Points: best median"
needs <- "records of writes or reads"
caption <- paste(
  "Best median of each storage, access and interface, the axis is logarithmic. Ticks are the medians of the",
  "other settings: their distance is what a wrong setting costs. The best observed of many medians reads high; the",
  "small cross is what the best setting gave in rounds that did not choose it."
)

make_table <- function(records, inputs) {
  metric <- metric_of(inputs)
  points <- metric_points(records, metric)
  only_if(nrow(points) > 0)
  winners <- best_points(points, c("target", "access", "api"), metric$better)
  only_if(nrow(winners) > 0)
  # A degraded median right of the best usable one would be a better setting than the best.
  usable <- points[n > 0]
  winners[, others := lapply(seq_len(.N), function(i) {
    usable[target == winners$target[i] & access == winners$access[i] & api %in% winners$api[i] &
      (verdict == "DEGRADED") == (winners$verdict[i] == "DEGRADED")]$median
  })]
  words <- describe_points(winners, c("target", "access", "api"))
  winners[, `:=`(page = "all", sheet = 1L, reached_with = words, metric = ..metric$name)][]
}

# Rows are storage and interface; the real storage stands above the emulated one.
make_figure <- function(table) {
  table <- mark_emulated(table)[order(emulated, target, match(api, looks_of("api")$name), api)]
  table[, series := paste0(target, ", ", api_words(api))]
  table[, series := factor(series, levels = rev(unique(series)))]
  table[, access := factor(access, levels = c(intersect(access_levels, access), setdiff(access, access_levels)))]
  others <- table[, .(median = unlist(others)), by = .(series, access, api)]
  metric <- load_metric(table$metric[1])
  ggplot2::ggplot(table, ggplot2::aes(median, series, colour = api, shape = api)) +
    ggplot2::geom_segment(
      ggplot2::aes(xend = median, y = as.numeric(series) - 0.2, yend = as.numeric(series) + 0.2),
      data = others, alpha = 0.35, linewidth = 0.3, show.legend = FALSE
    ) +
    ggplot2::geom_linerange(ggplot2::aes(xmin = lo, xmax = hi), linewidth = 0.5, na.rm = TRUE, show.legend = FALSE) +
    run_marks(along = "x") +
    ggplot2::geom_point(ggplot2::aes(expected, series), shape = 4, size = 1, colour = "#303030", na.rm = TRUE) +
    ggplot2::geom_point(ggplot2::aes(fill = fill_by(api, verdict)), size = 1.7, stroke = 0.4, show.legend = FALSE) +
    unproven_marks() +
    ggplot2::geom_text(ggplot2::aes(label = rate_words(median)),
      size = type_size_mm, vjust = -0.9, family = sans_family, colour = "#202020", show.legend = FALSE
    ) +
    ggplot2::facet_grid(cols = ggplot2::vars(access)) +
    scale_api(table$api) +
    ggplot2::guides(colour = "none", shape = "none") +
    scale_x_rate(axis_title(metric), panel_mm = 60, beyond = 0.12) +
    ggplot2::labs(y = NULL) +
    ggplot2::scale_y_discrete(expand = ggplot2::expansion(add = c(0.5, 0.8))) +
    theme_weir()
}

height_mm <- function(table) 26 + 6.5 * nrow(unique(table[, .(target, api)]))
