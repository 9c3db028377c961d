title <- "The highest median of every target, interface and access"
place <- 5
needs <- "records of writes or reads"
caption <- paste(
  "The highest median of every target, interface and access in MiB/s. Interval: 95 % bootstrap interval of that",
  "median; I/O only: the same records by the time of the transfers alone; mean: over the medians of all points of the",
  "row; best: the fastest single record; N\u00d7P: nodes and processes per node. A dagger marks a median with degraded",
  "records, where there is no valid one."
)

make_table <- function(records, inputs) {
  points <- best_points(bandwidth_points(records), c("target", "access", "api"))
  if (nrow(points) == 0) {
    return(points)
  }
  points[, reached_with := place_cell(.SD)]
  points[, .(
    target, access, api, points, n, median, lo, hi, median_io, mean_of_points, best_record, unit, verdict, reached_with,
    emulated
  )]
}

make_latex <- function(table) {
  cells <- table[, .(
    latex_name(api_words(api)), points, n, paste0(rate_words(median), dagger(verdict)), interval_cell(lo, hi),
    rate_words(median_io), rate_words(mean_of_points), rate_words(best_record), latex_name(reached_with)
  )]
  latex_table(
    name, caption, cells,
    c(wrapped_column(16), "r", "r", "r", "r", "r", "r", "r", wrapped_column(33)),
    c("interface", "points", "$n$", "median", "interval", "I/O only", "mean", "best", "reached with"),
    groups = access_groups(table), lines = 2 * nrow(table)
  )
}

dagger <- function(verdict) ifelse(verdict == "DEGRADED", "\\rlap{$^\\dagger$}", "")

place_cell <- function(points) {
  words <- points[, .(
    in_words(layout, c(shared = "shared", "file-per-process" = "per process")), order, bytes_words(xfer_bytes),
    sprintf("%s\u00d7%s", nn, ppn), variant
  )]
  apply(words, 1, function(row) paste(row[!is.na(row) & nzchar(row)], collapse = ", "))
}
