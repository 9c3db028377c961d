title <- "Rates of operations on files and directories"
place <- 89
section <- "appendix"
needs <- "records of metadata: create, stat, read, rename, remove or find"
caption <- paste(
  "Operations per second on files and directories. N\u00d7P: nodes and processes per node; interval: 95 % bootstrap",
  "interval of the median; best: the fastest record; p50, p99: medians of the quantiles of single operations in",
  "microseconds, as one rank sees them (of a search: of one look at a file)."
)

make_table <- function(records, inputs) {
  metadata_points(records)
}

make_latex <- function(table) {
  shown <- table[n > 0]
  cells <- shown[, .(
    latex_name(access), latex_name(ifelse(nzchar(variant), paste(shape, variant, sep = "; "), shape)),
    latex_name(api_words(api)), sprintf("$%s\\times%s$", dash(nn), dash(ppn)), n, rate_words(median),
    interval_cell(lo, hi), rate_words(best), rate_words(p50_us), rate_words(p99_us)
  )]
  latex_table(
    name, caption, cells,
    c(wrapped_column(11), wrapped_column(30), wrapped_column(14), "r", "r", "r", "r", "r", "r", "r"),
    c("access", "shape", "interface", "$N\\times P$", "$n$", "median", "interval", "best", "p50", "p99"),
    groups = paste0(target_cell(shown$target, shown$emulated), ", ", latex_name(shown$kind)), in_place = TRUE
  )
}
