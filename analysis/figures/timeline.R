title <- "The campaign over time"
position <- 75
section <- "appendix"
statistic <- "Points: one run each, over the median of its cell"
interval_text <- "Line: median of each twentieth of the campaign."
needs <- "runs that tell when they began, at least two of a cell"
caption <- paste(
  "Each run over the median of its cell, in the order of time. Level and even is a campaign without drift; a step or a",
  "slope shows that the storage, or what else ran on it, changed while it was measured, and comparisons of what was",
  "measured early with what was measured late are of two storages."
)

make_table <- function(records, inputs) {
  metric <- metric_of(inputs)
  records <- metric$of(records)[verdict %in% usable_verdicts & !is.na(began)]
  only_if(nrow(records) > 0)
  runs <- run_values(records, metric$value(records), c("target", "access"))
  runs <- runs[, `:=`(ratio = value / stats::median(value), repeated = .N), by = .(target, access, cell)][repeated > 1]
  runs <- runs[, at := seconds_of(began)][!is.na(at)]
  only_if(nrow(runs) > 0 && data.table::uniqueN(runs$at) > 1)
  emulated_ones <- unique(records[emulated == TRUE]$target)
  runs[, minutes := (at - min(at)) / 60]
  runs[, .(
    target, access, cell, round, minutes, median = ratio, n = repeated,
    emulated = target %in% emulated_ones, page = "all", sheet = 1L, column = factor(access), row = factor(target),
    unit = "factor"
  )]
}

# More points cover each other, and make a file that no viewer opens.
most_runs <- 2000L
one_in <- function(table) ceiling(nrow(table) / most_runs)

verdict_text <- function(table) {
  paste0(
    sprintf("%s, valid and unproven; degraded and invalid ones are not drawn.", counted(nrow(table), "run")),
    if (one_in(table) > 1) sprintf(" 1 in %d is drawn; the line is of all.", one_in(table))
  )
}

make_figure <- function(table) {
  table <- mark_emulated(table)[, storage := target]
  table[, slice := cut(minutes, 20, labels = FALSE)]
  middle <- table[, .(minutes = stats::median(minutes), median = stats::median(median)), by = slice][order(slice)]
  ends <- stats::quantile(table$median, c(0.005, 0.995))
  shown <- table[order(minutes)][seq(1, .N, by = one_in(table))]
  ggplot2::ggplot(shown, ggplot2::aes(minutes, median)) +
    ggplot2::geom_hline(yintercept = 1, colour = "#808080", linewidth = 0.3) +
    ggplot2::geom_point(ggplot2::aes(colour = access, shape = access, fill = access), size = 0.4, stroke = 0.2,
      alpha = 0.4) +
    ggplot2::geom_line(data = middle, linewidth = 0.5, colour = "#202020") +
    scale_access(shown$access, size = 1.5, alpha = 1) +
    ggplot2::scale_y_log10("Run over the median of its cell", labels = format_plain) +
    ggplot2::coord_cartesian(ylim = c(min(0.8, ends[1]), max(1.25, ends[2]))) +
    ggplot2::labs(x = "Minutes since the first run") +
    theme_weir()
}

height_mm <- function(table) 55
