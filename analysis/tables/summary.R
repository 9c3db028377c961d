title <- "Every point"
place <- 90
section <- "appendix"
needs <- "records of writes or reads"
caption <- paste(
  "Bandwidth of every point in MiB/s. N\u00d7P: nodes and processes per node; interval: 95 % bootstrap interval of the",
  "median; best: the fastest record; verdict: degraded where at least one record is. Invalid records give no number."
)
most_rows <- 400

make_table <- function(records, inputs) {
  bandwidth_points(records)
}

make_latex <- function(table) {
  shown <- utils::head(table, most_rows)
  said <- if (nrow(table) > most_rows) {
    sprintf(" The first %d of %d points; all of them are in tables/summary.csv.", most_rows, nrow(table))
  }
  cells <- shown[, .(
    latex_name(api_words(api)), layout_cell(layout), latex_name(dash(order)), dash(bytes_words(xfer_bytes)),
    sprintf("$%s\\times%s$", dash(nn), dash(ppn)), n, rate_words(median), interval_cell(lo, hi), rate_words(best),
    tolower(verdict)
  )]
  latex_table(
    name, paste0(caption, said), cells,
    c(wrapped_column(15.5), wrapped_column(14.5), wrapped_column(13), "r", "r", "r", "r", "r", "r", "l"),
    c("interface", "layout", "order", "transfer", "$N\\times P$", "$n$", "median", "interval", "best", "verdict"),
    groups = access_groups(shown), in_place = TRUE
  )
}
