title <- "Time of an operation by its size, order and memory layout"
position <- 29
statistic <- "Points: median time of an operation, over the runs"
needs <- "records of the experiment `operations` of the suite mistral"
if_empty <- "The study has no sweep of single operations by size and order."
caption <- paste(
  "Median time of one operation of one process against its size; both axes are logarithmic, along the grey slopes",
  "the time is that of the bytes alone. Columns: what the page cache holds when the access begins (discarded:",
  "/dev/null and /dev/zero, the cost of the call itself). Colour: order in the file (off0: the same bytes again and",
  "again); dashed: order rnd in memory instead of one buffer that is used again."
)

make_table <- function(records, inputs) {
  records <- transfers_of(records)[experiment %in% "operations" & purpose %in% "latency" & !is.na(lat_p50_us)]
  only_if(nrow(records) > 0)
  records <- name_apart(cbind(records, operation_kinds(records$label)))
  by <- c("target", "access", "cached", "locality", "memory", "xfer_bytes")
  table <- summarise_records(records, records$lat_p50_us, by, "us")
  table[, kind := factor(cached, levels = c("discarded", "cached", "uncached"), labels = cache_states)]
  place_panels(table, c(target = "row", access = "row", kind = "column"), flow = TRUE)
}

make_figure <- function(table) {
  drawn <- data.table::copy(table)[n > 0]
  slopes <- seq(-10, 6)
  ggplot2::ggplot(drawn, ggplot2::aes(xfer_bytes, median, colour = locality, shape = locality, linetype = memory)) +
    ggplot2::geom_abline(slope = log10(2), intercept = slopes, colour = "#e0e0e0", linewidth = 0.3) +
    point_marks("locality", 1.2, line = line_through("xfer_bytes", c("locality", "memory"),
      ggplot2::aes(group = interaction(locality, memory)))) +
    facet_panels(table) +
    scale_looks(looks_of("locality", drawn$locality), "Order in the file", lines = FALSE) +
    scale_lines(looks_of("memory", drawn$memory), "in memory",
      function(memory) in_words(memory, c(off0 = "one buffer", "memory-rnd" = "rnd"))) +
    scale_x_powers("Size of the operation", drawn$xfer_bytes, bytes_words, panel_width_mm(table)) +
    scale_y_rate("Time of an operation in microseconds") +
    theme_weir()
}

height_mm <- function(table) 40 + row_count(table) * 30
