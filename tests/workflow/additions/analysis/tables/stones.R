title <- "Stones"
position <- 96
section <- "appendix"
needs <- "transfers"
caption <- "Bandwidth of pebbles in MiB/s by the bytes of the file, median with its 95 % bootstrap interval."

make_table <- function(records, inputs) {
  records <- transfers_of(records)
  summarise_records(records, bandwidth_all(records), c("access", "target", "moved_bytes"), "MiB/s")
}

make_latex <- function(table) {
  cells <- table[, .(
    latex_name(target), dash(bytes_words(moved_bytes)), n, rate_words(median), interval_cell(lo, hi)
  )]
  latex_table(
    name, caption, cells, c("l", "r", "r", "r", "r"), c("target", "bytes", "$n$", "median", "interval")
  )
}
