title <- "Rates of operations on files and directories"
position <- 89
section <- "appendix"
needs <- "records of metadata: create, stat, read, rename, remove or find"
caption <- paste(
  "Operations per second on files and directories. N\u00d7P: nodes and processes per node;",
  "interval: of the median, from six runs on; p50, p99: medians of the quantiles of single operations in",
  "microseconds, as one rank sees them (of a search: of one look at a file)."
)

make_table <- function(records, inputs) {
  emulated_last(metadata_points(records))
}

make_latex <- function(table) {
  measured <- table[n > 0]
  measured[, tasks := tasks_of(measured)]
  # Logs that do not tell their tasks may be of as many.
  shown <- measured[, .SD[is.na(tasks) | tasks == max(tasks, -Inf, na.rm = TRUE)],
    by = .(target_of = target, kind_of = kind)]
  remark <- if (nrow(measured) > nrow(shown)) {
    " Here are the most nodes and processes of each target; all points are in tables/metadata.csv."
  }
  cells <- shown[, .(
    latex_name(access), latex_name(ifelse(nzchar(variant), paste(shape, variant, sep = "; "), shape)),
    latex_name(api_words(api)), sprintf("$%s\\times%s$", dash(nn), dash(ppn)), n,
    paste0(short_rate_words(median), verdict_mark(verdict)),
    ifelse(is.na(lo), "--", paste0(short_rate_words(lo), "--", short_rate_words(hi))), rate_words(p50_us),
    rate_words(p99_us)
  )]
  latex_table(
    name, paste0(caption, " k: thousands, M: millions.", remark), cells,
    c(wrapped_column(10), wrapped_column(35), wrapped_column(14), "r", "r", "r", "r", "r", "r"),
    c("access", "shape", "interface", "$N\\times P$", "$n$", "median", "interval", "p50", "p99"),
    groups = paste0(target_cell(shown$target, shown$emulated), ", ", latex_name(shown$kind)), in_place = TRUE
  )
}
