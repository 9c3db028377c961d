title <- "Predicted over measured time of the phases of applications"
position <- 5
statistic <- "Points: geometric mean over the rounds of predicted over measured time"
interval_text <- "Bars: 95 % t interval over the rounds."
needs <- "records of the suite nersc-ior: the experiment `kernel` and an application"
if_empty <- "The study predicts no application."
caption <- paste(
  "The time that IOR with the parameters of an application predicts, over the time of the application itself, for",
  "each phase. Right of the line the prediction is too long, left of it too short; grey band: within a factor of",
  "1.25. N\u00d7P: nodes and processes per node."
)

make_table <- function(records, inputs) {
  table <- predictions(records)
  only_if(nrow(table) > 0)
  table[, `:=`(median = mean, level = interval_level, n_invalid = 0L, n_degraded = 0L)]
  table[, `:=`(page = "all", sheet = 1L)][]
}

make_figure <- function(table) {
  drawn <- mark_emulated(data.table::copy(table))
  drawn[, phase := factor(phase_names[access], levels = rev(phase_names))]
  # Where all have the same nodes and processes the subtitle tells them.
  shapes <- data.table::uniqueN(drawn, by = c("nn", "ppn"))
  drawn[, panel := if (shapes > 1) sprintf("%s\n%s\u00d7%s", target, nn, ppn) else target]
  drawn[, panel := factor(panel, levels = unique(panel[order(emulated, target, tasks_of(drawn), nn)]))]
  ggplot2::ggplot(drawn, ggplot2::aes(mean, phase, colour = application)) +
    ggplot2::annotate("rect", xmin = 1 / 1.25, xmax = 1.25, ymin = -Inf, ymax = Inf, fill = "#ececec") +
    ggplot2::geom_vline(xintercept = 1, colour = "#a0a0a0", linewidth = 0.3) +
    ggplot2::geom_linerange(ggplot2::aes(xmin = lo, xmax = hi), linewidth = 0.5, na.rm = TRUE, show.legend = FALSE) +
    ggplot2::geom_point(ggplot2::aes(fill = fill_by(application, verdict)), shape = 21, size = 1.6, stroke = 0.4) +
    unproven_marks() +
    ggplot2::facet_grid(rows = ggplot2::vars(panel), cols = ggplot2::vars(application)) +
    scale_looks(looks_by_place("storage", sort(unique(drawn$application)))) +
    ggplot2::guides(colour = "none") +
    ggplot2::scale_x_log10("Predicted over measured time", breaks = c(0.25, 0.5, 1, 2, 4), labels = format_plain) +
    theme_of_rows()
}

height_mm <- function(table) 34 + 20 * data.table::uniqueN(table, by = c("target", "nn", "ppn"))
