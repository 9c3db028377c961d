title <- "Rates of operations on files and directories"
position <- 89
section <- "appendix"
needs <- "records of metadata: create, stat, read, rename, remove or find"
caption <- paste(
  "Operations per second on files and directories. N\u00d7P: nodes and processes per node;",
  "interval: of the median, from six runs on; p50, p99: medians of the quantiles of single operations in",
  "microseconds, as one rank sees them (of a search: of one look at a file)."
)

make_table <- function(records, inputs) emulated_last(metadata_points(records))

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
    access = latex_name(access), shape = latex_name(ifelse(nzchar(variant), paste(shape, variant, sep = "; "), shape)),
    interface = latex_name(api_words(api)), "$N\\times P$" = shape_cell(nn, ppn), "$n$" = n,
    median = paste0(short_rate_words(median), verdict_mark(verdict)),
    interval = interval_cell(lo, hi, short_rate_words), p50 = rate_words(p50_us), p99 = rate_words(p99_us)
  )]
  latex_table(
    name, paste0(caption, " k: thousands, M: millions.", remark), cells,
    c(access = wrapped_column(10), shape = wrapped_column(35), interface = wrapped_column(14)),
    groups = paste0(target_cell(shown$target, shown$emulated), ", ", latex_name(shown$kind)), in_place = TRUE
  )
}
