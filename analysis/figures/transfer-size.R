title <- "Bandwidth against transfer size"
position <- 10
statistic <- "Points: medians"
needs <- "writes or reads of three transfer sizes"
caption <- paste(
  "Bandwidth (bytes over open, transfer and close) against the size of one transfer, axes logarithmic: where a line",
  "rises, the cost of a call dominates; where it is flat, the storage does. Where the lines of a shared file and of a",
  "file per process part, they show the price of sharing."
)

mapped <- c("access", "api", "layout", "order", "target", "nn", "ppn", "xfer_bytes")

make_table <- function(records, inputs) {
  metric <- metric_of(inputs)
  known <- bulk_transfers(records)[!is.na(xfer_bytes) & xfer_bytes > 0]
  table <- several_sizes(variant_points(known, mapped, metric))
  if (nrow(table) > 0) table[, metric := ..metric$name]
  place_panels(table, c(
    variant = "page", access = "column", order = "column", target = "row", nn = "row", ppn = "row"
  ))
}

# One size shows nothing here, and two are in the heat map and among the effects of settings.
several_sizes <- function(table) {
  table[, sizes := data.table::uniqueN(xfer_bytes), by = .(target, variant)]
  table[sizes >= fewest_for_line][, sizes := NULL][]
}

make_figure <- function(table) {
  beside <- ggplot2::position_dodge(0.8) # a little apart, so that equal values do not hide each other
  series <- ggplot2::aes(xfer_bytes, median, colour = api, shape = api, group = interaction(api, layout))
  drawn <- tell_layouts(table[n > 0])
  ggplot2::ggplot(drawn, series) +
    point_marks("api", 1.3, position = beside,
      line = line_through("xfer_bytes", c("api", "layout"), ggplot2::aes(linetype = layout), position = beside)) +
    facet_panels(table, scales = "free_y") +
    scale_api(drawn$api) +
    scale_lines(looks_of("layout", drawn$layout), "Layout", layout_words) +
    scale_x_powers("Size of one transfer", table$xfer_bytes, bytes_words, panel_width_mm(table)) +
    scale_y_rate(axis_title(load_metric(table$metric[1]))) +
    theme_weir() +
    # Beside the layouts there is room for so many interfaces.
    ggplot2::theme(legend.box = if (data.table::uniqueN(table$api) > 3) "vertical" else "horizontal")
}

# Layouts are told by their lines; where too few sizes make a line they are told by colour and shape.
tell_layouts <- function(drawn) {
  sizes <- drawn[, .(sizes = data.table::uniqueN(xfer_bytes)), by = .(api, layout)]$sizes
  if (max(sizes, 0) >= fewest_for_line || data.table::uniqueN(drawn$layout) < 2) {
    return(drawn)
  }
  data.table::copy(drawn)[layout %in% "file-per-process", api := paste0(api_words(api), ", own files")]
}

height_mm <- function(table) {
  42 + row_count(table) * if (row_count(table) > 4) 23 else 28
}
