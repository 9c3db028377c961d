title <- "NetCDF-Bench by size of a block"
position <- 24
statistic <- "Points: medians of the bandwidth (bytes over open, transfer and close)"
needs <- "records of NetCDF-Bench"
caption <- paste(
  "Bandwidth of NetCDF-Bench by the size of one block, for each combination of access, storage of the variable and",
  "further feature; the axis is logarithmic. Compare along a row what the size of a block brings, and between rows",
  "what collective access, chunks and features do to the same block."
)

mapped <- c("access", "api", "layout", "target", "nn", "ppn", "xfer_bytes", "way", "feature")

make_table <- function(records, inputs) {
  records <- netcdf_transfers(records)
  only_if(nrow(records) > 0)
  metric <- metric_of(inputs)
  records[, feature := feature_of(records)]
  table <- variant_points(records, mapped, metric, apart = c(mapped, "collective", "chunking", features))
  if (nrow(table) > 0) table[, metric := ..metric$name]
  place_panels(table, c(
    variant = "page", api = "page", target = "row", nn = "row", ppn = "row", access = "column", layout = "column"
  ))
}

make_figure <- function(table) {
  shown <- data.table::copy(table)[n > 0][, `:=`(size = as_size(xfer_bytes), group = group_of(way, feature))]
  upright <- max(nchar(as.character(shown$row))) * mm_per_letter > row_mm(table)
  ggplot2::ggplot(shown, ggplot2::aes(median, group, colour = size, shape = size)) +
    point_marks("size", 1.5, along = "x") +
    facet_panels(table, upright = upright) +
    scale_sizes(shown$xfer_bytes) +
    ggplot2::scale_y_discrete(NULL, limits = rev) +
    scale_x_rate(axis_title(load_metric(shown$metric[1])), panel_mm = panel_width_mm(table) - 12) +
    theme_weir() +
    if (upright) upright_row_titles()
}

group_of <- function(way, feature) {
  known <- unique(feature)
  words <- function(way, feature) paste0(way, ifelse(nzchar(feature), paste0(", ", feature), ""))
  levels <- as.vector(outer(looks_of("way")$name, sort(known), words))
  found <- words(way, feature)
  factor(found, levels = levels[levels %in% found])
}

height_mm <- function(table) 36 + row_count(table) * row_mm(table)

row_mm <- function(table) 5 + 4 * nrow(unique(table[, .(way, feature)]))
