title <- "NetCDF-Bench"
place <- 24
statistic <- "Boxes: quartiles and extremes of the bandwidth (bytes over open, transfer and close)"
interval_mark <- "Thick lines in the boxes"
needs <- "records of NetCDF-Bench"
caption <- paste(
  "Bandwidth of NetCDF-Bench, a group of boxes for each way to access and store the variable and for each further",
  "feature, a box for each block size. The first page is linear, where large blocks can be told apart, the last one",
  "logarithmic, where small ones can. Compare within a group what the size of a block brings, and between groups what",
  "collective access, chunks and features do to the same block; a long box varies."
)

mapped <- c("access", "api", "layout", "target", "nn", "ppn", "xfer_bytes", "way", "feature")

make_table <- function(records, inputs) {
  records <- netcdf_transfers(records)
  if (nrow(records) == 0) {
    return(data.table::data.table())
  }
  records[, feature := feature_of(records)]
  records <- add_variant(records, c(mapped, "collective", "chunking", features))
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
  shown <- data.table::copy(table)[n > 0][, `:=`(size = as_size(xfer_bytes), group = group_of(way, feature))]
  # In a group from small at the top to large.
  shown[, downwards := factor(size, levels = rev(levels(size)))]
  across <- function(geom, ...) geom(..., position = ggplot2::position_dodge(0.85))
  upright <- max(nchar(as.character(shown$row))) * mm_per_letter > row_mm(table)
  ggplot2::ggplot(shown, ggplot2::aes(median, group, colour = size, group = interaction(group, downwards))) +
    across(ggplot2::geom_linerange, ggplot2::aes(xmin = least, xmax = most), linewidth = 0.3) +
    across(
      ggplot2::geom_crossbar, ggplot2::aes(xmin = quarter, xmax = three_quarters, fill = fill_by(size, verdict)),
      width = 0.75, linewidth = 0.3, alpha = 0.35, fatten = 1.5
    ) +
    across(ggplot2::geom_linerange, ggplot2::aes(xmin = lo, xmax = hi), linewidth = 0.7, na.rm = TRUE) +
    facet_panels(table, upright = upright) +
    scale_boxes(shown$xfer_bytes) +
    ggplot2::scale_y_discrete(NULL, limits = rev) +
    (if (shown$axis[1] == "linear axis") {
      ggplot2::scale_x_continuous("Bandwidth in MiB/s", labels = rate_words, limits = c(0, NA))
    } else {
      scale_x_rate("Bandwidth in MiB/s", panel_mm = panel_width_mm(table) - 12)
    }) +
    theme_weir() +
    if (upright) upright_row_titles()
}

group_of <- function(way, feature) {
  known <- unique(feature)
  words <- function(way, feature) paste0(way, ifelse(nzchar(feature), paste0(", ", feature), ""))
  levels <- as.vector(outer(way_levels, sort(known), words))
  found <- words(way, feature)
  factor(found, levels = levels[levels %in% found])
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

height_mm <- function(table) 36 + row_count(table) * row_mm(table)

row_mm <- function(table) {
  groups <- nrow(unique(table[, .(way, feature)]))
  3 + groups * max(2.6, 1.3 * data.table::uniqueN(table$xfer_bytes))
}
