title <- "Times of single operations"
place <- 28
statistic <- "Lines: density of the times of single operations, on a logarithmic axis; points: their median,"
interval_mark <- "Bars at the points"
needs <- "times of single operations (latencies.csv) of io-model"
caption <- paste(
  "How long single operations take, a line for each storage. A narrow peak is storage that always takes the same time;",
  "a second one to the right is where a cache did not answer. Compare the orders along a column: a line that does not",
  "move is of storage that does not mind. Operations of one run are no independent samples, so that the intervals are",
  "those of these runs."
)

apart <- c("target", "tool", "api", "access", "order", "nn", "ppn", "xfer_bytes")
grid_points <- 256L

make_table <- function(records, inputs) {
  if (is.null(inputs$latencies) || nrow(records) == 0) {
    return(data.table::data.table())
  }
  buckets <- read_latencies(inputs$latencies)
  keys <- c("cell", "run", "access", "iteration")
  buckets <- add_variant(records, c(apart, "collective"))[buckets, on = keys, nomatch = NULL]
  if (nrow(buckets) == 0) {
    return(data.table::data.table())
  }
  n_invalid <- unique(buckets[verdict == "INVALID"], by = keys)[, .(n_invalid = .N), by = c(apart, "variant")]
  table <- buckets[verdict != "INVALID", density_of(upper_us, count, verdict, emulated), by = c(apart, "variant")]
  table <- n_invalid[table, on = c(apart, "variant")][is.na(n_invalid), n_invalid := 0L]
  table[, storage := if (data.table::uniqueN(api) > 1) paste0(target, ", ", api_words(api)) else target]
  place_panels(table, c(
    variant = "page", tool = "page", nn = "page", ppn = "page", xfer_bytes = "row", order = "row",
    access = "column"
  ))
}

read_latencies <- function(path) {
  table <- read_text_table(path, "latencies")
  for (column in c("run", "iteration", "upper_us", "count")) {
    data.table::set(table, j = column, value = as_typed(table[[column]], "number", path, column))
  }
  table
}

# Buckets are at most 0.8 % wide; the smoothing is six times as wide.
density_of <- function(upper_us, count, verdict, emulated) {
  found <- data.table::data.table(log_us = log10(upper_us), count)[, .(count = sum(count)), by = log_us][order(log_us)]
  smooth <- suppressWarnings(stats::density(
    found$log_us,
    weights = found$count / sum(found$count), bw = 0.02, n = grid_points, from = min(found$log_us) - 0.08,
    to = max(found$log_us) + 0.08
  ))
  middle <- median_interval(rep(10^found$log_us, found$count))
  list(
    n = as.integer(middle$n), median = middle$median, lo = middle$lo, hi = middle$hi, unit = "us",
    verdict = point_verdict(verdict), emulated = any(emulated), lat_us = list(10^smooth$x), density = list(smooth$y)
  )
}

make_figure <- function(table) {
  curves <- table[, .(lat_us = unlist(lat_us), density = unlist(density)), by = .(storage, row, column)]
  colours <- target_colours(table$storage)
  heights <- curves[, .(top = max(density)), by = .(storage, row, column)]
  points <- heights[table, on = c("storage", "row", "column")]
  ggplot2::ggplot(curves, ggplot2::aes(lat_us, density, colour = storage)) +
    ggplot2::geom_line(ggplot2::aes(group = storage), linewidth = 0.45) +
    ggplot2::geom_linerange(
      ggplot2::aes(median, top / 2, xmin = lo, xmax = hi),
      data = points, linewidth = 0.5, na.rm = TRUE, show.legend = FALSE
    ) +
    ggplot2::geom_point(
      ggplot2::aes(median, top / 2, fill = fill_by(storage, verdict)),
      data = points, shape = 21, size = 1.3, stroke = 0.4
    ) +
    facet_panels(table, scales = "free_y") +
    ggplot2::scale_colour_manual(
      "Storage",
      values = colours, guide = ggplot2::guide_legend(nrow = ceiling(length(colours) / 3), byrow = TRUE)
    ) +
    ggplot2::scale_fill_manual(values = colours, na.value = "white", guide = "none") +
    scale_x_rate("Time of one operation in microseconds", panel_mm = panel_width_mm(table)) +
    ggplot2::labs(y = "Density") +
    theme_weir()
}

height_mm <- function(table) 40 + row_count(table) * if (row_count(table) > 4) 21 else 28
