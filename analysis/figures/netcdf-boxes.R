title <- "NetCDF-Bench: boxes of its measurements"
position <- 25
statistic <- "Boxes: quartiles of all measurements, iterations too; whiskers reach to the lowest and the highest"
needs <- "records of NetCDF-Bench of two sizes of a block"
interval_text <- ""
caption <- paste(
  "Bandwidth of NetCDF-Bench by access of calls and storage of the variable, a box for each size of a block; the",
  "axis is logarithmic. A high box varies from measurement to measurement."
)
page_limit <- 4L

mapped <- c("access", "api", "target", "nn", "ppn", "xfer_bytes", "way")

make_table <- function(records, inputs) {
  records <- netcdf_transfers(records)
  only_if(nrow(records) > 0 && data.table::uniqueN(records$xfer_bytes) > 1)
  records <- add_variant(without_features(records), c(mapped, "collective", "chunking", features))
  by <- c(mapped, "variant")
  table <- summarise_records(records, bandwidth_all(records), by, "MiB/s")
  records[, bandwidth := bandwidth_all(records)]
  boxes <- records[verdict %in% usable_verdicts & is.finite(bandwidth), .(
    lowest = min(bandwidth), lower = stats::quantile(bandwidth, 0.25), middle = stats::median(bandwidth),
    upper = stats::quantile(bandwidth, 0.75), highest = max(bandwidth), measurements = .N
  ), by = by]
  # A box is of usable records alone.
  table <- boxes[table, on = by][is.na(middle), n := 0L]
  place_panels(table, c(
    variant = "page", target = "row", nn = "page", ppn = "page", api = "page", access = "column"
  ), most_rows = 5, panels = 10)
}

make_figure <- function(table) {
  shown <- table[!is.na(middle)][, `:=`(size = as_size(xfer_bytes), way = factor(way, levels = looks_of("way")$name))]
  sizes <- looks_of_sizes(levels(shown$size))
  ggplot2::ggplot(shown, ggplot2::aes(way, group = interaction(way, size), colour = size)) +
    ggplot2::geom_boxplot(ggplot2::aes(ymin = lowest, lower = lower, middle = middle, upper = upper, ymax = highest),
      stat = "identity", width = 0.7, linewidth = 0.35, fill = "white", position = ggplot2::position_dodge(0.8)) +
    facet_panels(table, height_mm = row_mm(row_count(table)) - panel_gap_mm) +
    ggplot2::scale_colour_manual("Block", values = setNames(sizes$colour, sizes$name),
      labels = function(bytes) bytes_words(as.numeric(bytes))) +
    ggplot2::scale_x_discrete(NULL, labels = function(ways) sub(", ", "\n", ways, fixed = TRUE)) +
    scale_y_rate("Bandwidth in MiB/s") +
    theme_weir()
}

# One row of panels is so low that three figures of it stand on a page, and five rows fill one.
height_mm <- function(table) 34 + row_count(table) * row_mm(row_count(table))
row_mm <- function(rows) if (rows == 1) 35 else if (rows > 3) 31 else 42
