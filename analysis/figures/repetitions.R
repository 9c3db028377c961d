title <- "What repetitions buy"
place <- 70
section <- "reservations"
statistic <- "Lines: the middle point of each storage and access; a point is a median"
needs <- "points with at least five repetitions"
fewest_repetitions <- 5
interval_said <- "Bands: from the tenth to the ninetieth of a hundred points."
caption <- paste(
  "How wide the 95 % interval of a median would have been with other numbers of repetitions, in percent of the median,",
  "expected from resampling the repetitions that there are. The dashed line is the number that was measured. To the",
  "right of it the curves assume that more repetitions come from the same distribution as these. Of fewer than six no",
  "interval can cover 95 %, so that the narrow ones on the left are none to trust."
)
counts <- c(3L, 4L, 5L, 7L, 10L, 15L, 20L, 30L, 50L, 100L)

applies <- function(records) {
  most <- transfers_of(records)[, .N, by = .(cell, access)]
  few <- nrow(most) > 0 && max(most$N) < fewest_repetitions
  if (few) sprintf("no point has %d repetitions; fewer say nothing of how they vary", fewest_repetitions) else ""
}

make_table <- function(records, inputs) {
  records <- transfers_of(records)[verdict != "INVALID" & !is.na(cell)]
  if (nrow(records) == 0) {
    return(data.table::data.table())
  }
  records[, bandwidth := bandwidth_all(records)]
  points <- records[!is.na(bandwidth), .(
    values = list(sort(bandwidth)), n = .N, degraded = any(verdict == "DEGRADED"), emulated = any(emulated)
  ), by = .(target, tool, access, cell)][n >= fewest_repetitions]
  if (nrow(points) == 0) {
    return(data.table::data.table())
  }
  widths <- points[, .(
    repetitions = counts, width = expected_widths(values[[1]]), n, emulated
  ), by = .(target, tool, access, cell)]
  table <- widths[, .(
    points = .N, n = as.integer(stats::median(n)), median = stats::median(width),
    lo = stats::quantile(width, 0.1, names = FALSE), hi = stats::quantile(width, 0.9, names = FALSE), unit = "%",
    verdict = "VALID", n_invalid = 0L, emulated = any(emulated)
  ), by = .(target, tool, access, repetitions)]
  place_panels(table, c(tool = "row", access = "column"))
}

# The expected ends of the interval are expected order statistics of samples drawn from the values.
expected_widths <- function(values) {
  vapply(counts, function(n) {
    ranks <- interval_ranks(n)
    100 * diff(expected_order_statistics(values, n, ranks)) / stats::median(values)
  }, numeric(1))
}

interval_ranks <- function(n) {
  middle <- rowMeans(bootstrap_ranks(n))
  pmin(n, pmax(1, stats::quantile(middle, c(0.025, 0.975), names = FALSE, type = 3)))
}

expected_order_statistics <- function(values, n, ranks) {
  below <- seq(0, length(values)) / length(values)
  vapply(ranks, function(rank) {
    reached <- stats::pbinom(ceiling(rank) - 1, n, below, lower.tail = FALSE)
    sum(values * diff(reached))
  }, numeric(1))
}

make_figure <- function(table) {
  colours <- target_colours(table$target)
  ggplot2::ggplot(table, ggplot2::aes(repetitions, median, colour = target)) +
    ggplot2::geom_ribbon(ggplot2::aes(ymin = lo, ymax = hi, fill = target), alpha = 0.12, colour = NA) +
    ggplot2::geom_vline(ggplot2::aes(xintercept = n), linewidth = 0.3, linetype = "32", colour = "#707070") +
    ggplot2::geom_line(linewidth = 0.45) +
    ggplot2::geom_point(size = 0.9) +
    facet_panels(table) +
    ggplot2::scale_colour_manual("Storage", values = colours) +
    ggplot2::scale_fill_manual("Storage", values = colours) +
    scale_x_powers("Repetitions", counts, as.character, panel_width_mm(table)) +
    scale_y_rate("Width of the interval in % of the median") +
    theme_weir()
}

height_mm <- function(table) 36 + row_count(table) * 34
