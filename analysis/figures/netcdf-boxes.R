title <- "NetCDF-Bench"
place <- 24
statistic <- "Boxes: quartiles and extremes of the bandwidth (bytes over open, transfer and close)"
interval_mark <- "Thick lines in the boxes"
needs <- "records of NetCDF-Bench"
caption <- paste(
  "Bandwidth of NetCDF-Bench, a group of boxes for each way to access and store the variable and a box for each block",
  "size. The first pages are linear, where large blocks can be told apart, the last ones logarithmic, where small ones",
  "can. Compare within a group what the size of a block brings, and between groups what collective access and chunks",
  "do to the same block; a high box varies."
)

mapped <- c("access", "api", "layout", "target", "nn", "ppn", "xfer_bytes", "way")

make_table <- function(records, inputs) {
  records <- netcdf_transfers(records)
  if (nrow(records) == 0) {
    return(data.table::data.table())
  }
  records <- add_variant(records, c(mapped, "collective", "chunking"))
  by <- c(mapped, "variant")
  points <- summarise_records(records, bandwidth_all(records), by, "MiB/s")
  usable <- data.table::copy(records)[, bandwidth := bandwidth_all(records)][verdict != "INVALID" & !is.na(bandwidth)]
  boxes <- usable[, .(
    least = min(bandwidth), quarter = stats::quantile(bandwidth, 0.25, names = FALSE),
    three_quarters = stats::quantile(bandwidth, 0.75, names = FALSE), most = max(bandwidth)
  ), by = by]
  table <- boxes[points, on = by]
  table <- rbind(data.table::copy(table)[, axis := "linear axis"], table[, axis := "logarithmic axis"])
  place_panels(table, c(
    axis = "page", variant = "page", api = "page", target = "row", nn = "row", ppn = "row", access = "column",
    layout = "column"
  ))
}

make_figure <- function(table) {
  shown <- data.table::copy(table)[n > 0][, `:=`(size = as_size(xfer_bytes), way = factor(way, levels = way_levels))]
  beside <- ggplot2::position_dodge(0.85)
  ggplot2::ggplot(shown, ggplot2::aes(way, median, colour = size, group = interaction(way, size))) +
    ggplot2::geom_linerange(ggplot2::aes(ymin = least, ymax = most), linewidth = 0.3, position = beside) +
    ggplot2::geom_crossbar(
      ggplot2::aes(ymin = quarter, ymax = three_quarters, fill = fill_by(size, verdict)),
      width = 0.75, linewidth = 0.3, alpha = 0.35, position = beside
    ) +
    ggplot2::geom_linerange(ggplot2::aes(ymin = lo, ymax = hi), linewidth = 0.9, na.rm = TRUE, position = beside) +
    facet_panels(table, scales = "free_y") +
    scale_boxes(shown$xfer_bytes) +
    ggplot2::scale_x_discrete(NULL, labels = function(ways) gsub(", ", ",\n", ways, fixed = TRUE)) +
    if (shown$axis[1] == "linear axis") {
      list(ggplot2::scale_y_continuous("Bandwidth in MiB/s", labels = rate_words, limits = c(0, NA)), theme_weir())
    } else {
      list(scale_y_rate("Bandwidth in MiB/s"), theme_weir())
    }
}

scale_boxes <- function(sizes) {
  levels <- format_plain(sort(unique(sizes)))
  colours <- setNames(size_colours(length(levels)), levels)
  labels <- function(values) bytes_words(as.numeric(values))
  list(
    ggplot2::scale_colour_manual("Size of one block", values = colours, breaks = levels, labels = labels),
    ggplot2::scale_fill_manual(values = colours, na.value = "white", guide = "none")
  )
}

height_mm <- function(table) 36 + row_count(table) * if (row_count(table) > 4) 21 else 30
