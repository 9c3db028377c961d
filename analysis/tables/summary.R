title <- "Every point"
position <- 90
section <- "appendix"
needs <- "records of writes or reads"
caption <- paste(
  "Bandwidth of every point in MiB/s; invalid records give no number. N\u00d7P: nodes and processes per node;",
  "interval: of the median, from six runs on; best: the fastest record."
)
most_points <- 100

make_table <- function(records, inputs) emulated_last(bandwidth_points(records))

make_latex <- function(table) {
  shown <- highest_of_each(table)
  remark <- if (nrow(table) > nrow(shown)) {
    sprintf(
      " Of each target and access the %d highest medians; all %d points are in tables/summary.csv.",
      max(shown[, .N, by = .(target, access)]$N), nrow(table)
    )
  }
  cells <- shown[, .(
    interface = latex_name(api_words(api)),
    with = latex_name(joined_words(list(short_layout(layout), order, variant))),
    transfer = dash(bytes_words(xfer_bytes)), "$N\\times P$" = shape_cell(nn, ppn), "$n$" = n,
    median = paste0(rate_words(median), verdict_mark(verdict)), interval = interval_cell(lo, hi),
    best = rate_words(best)
  )]
  latex_table(
    name, paste0(caption, remark), cells, c(interface = wrapped_column(16), with = wrapped_column(42)),
    groups = paste0(target_cell(shown$target, shown$emulated), ", ", latex_name(shown$access)), in_place = TRUE
  )
}

# All points, or of a large study as many of each target and access, the fastest.
highest_of_each <- function(table) {
  if (nrow(table) <= most_points) {
    return(table)
  }
  groups <- data.table::uniqueN(table[, .(target, access)])
  ranked <- table[, .(at = .I[order(-median)]), by = .(target, access)]
  chosen <- ranked[, .(at = utils::head(at, max(5, most_points %/% groups))), by = .(target, access)]
  table[chosen$at]
}
