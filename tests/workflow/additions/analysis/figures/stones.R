title <- "Bandwidth of stones"
position <- 95
section <- "appendix"
statistic <- "Points: median bandwidth"
needs <- "transfers"
caption <- "Median bandwidth against the bytes of the file; bars are intervals of the median."

make_table <- function(records, inputs) {
  records <- transfers_of(records)
  summarise_records(records, bandwidth_all(records), c("access", "target", "moved_bytes"), "MiB/s")
}

make_figure <- function(table) {
  ggplot2::ggplot(table, ggplot2::aes(moved_bytes, median)) +
    ggplot2::geom_linerange(ggplot2::aes(ymin = lo, ymax = hi), na.rm = TRUE) +
    ggplot2::geom_point(na.rm = TRUE) +
    scale_x_powers("Bytes of the file", table$moved_bytes, bytes_words, 120) +
    scale_y_rate("Bandwidth in MiB/s") +
    theme_weir()
}

height_mm <- function(table) 60
