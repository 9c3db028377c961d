title <- "Every point"
position <- 90
section <- "appendix"
needs <- "records of writes or reads"
caption <- paste(
  "Bandwidth of every point in MiB/s; invalid records give no number. N\u00d7P: nodes and processes per node;",
  "interval: of the median, from six runs on; best: the fastest record."
)
most_points <- 100

make_table <- function(records, inputs) {
  emulated_last(bandwidth_points(records))
}

make_latex <- function(table) {
  shown <- highest_of_each(table)
  remark <- if (nrow(table) > nrow(shown)) {
    sprintf(
      " Of each target and access the %d highest medians; all %d points are in tables/summary.csv.",
      max(shown[, .N, by = .(target, access)]$N), nrow(table)
    )
  }
  cells <- shown[, .(
    latex_name(api_words(api)), latex_name(described(.SD)), dash(bytes_words(xfer_bytes)),
    sprintf("$%s\\times%s$", dash(nn), dash(ppn)), n, paste0(rate_words(median), verdict_mark(verdict)),
    interval_cell(lo, hi),
    rate_words(best)
  )]
  latex_table(
    name, paste0(caption, remark), cells, c(wrapped_column(16), wrapped_column(42), "r", "r", "r", "r", "r", "r"),
    c("interface", "with", "transfer", "$N\\times P$", "$n$", "median", "interval", "best"),
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

described <- function(points) {
  words <- points[, .(in_words(layout, c(shared = "shared", "file-per-process" = "per process")), order, variant)]
  apply(words, 1, function(row) paste(row[!is.na(row) & nzchar(row)], collapse = ", "))
}
