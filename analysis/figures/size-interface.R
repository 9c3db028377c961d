title <- "Transfer size and interface at a glance"
position <- 8
statistic <- "Cells: best median of the other settings"
interval_text <- "A cell without a number was not measured or has no usable record."
needs <- "at least two transfer sizes and two interfaces of one storage"
caption <- paste(
  "Best median bandwidth for each transfer size and interface, as a share of the best of the same storage and access:",
  "the darker, the nearer. A number is the median in MiB/s. Light cells are combinations to avoid."
)

make_table <- function(records, inputs) {
  metric <- metric_of(inputs)
  points <- metric_points(records, metric)
  points <- if (nrow(points) > 0) points[n > 0 & verdict %in% usable_verdicts & !is.na(xfer_bytes)] else points
  only_if(nrow(points) > 0)
  several <- points[, .(
    several = data.table::uniqueN(xfer_bytes) > 1 & data.table::uniqueN(paste(api, layout)) > 1
  ), by = .(target, access)]
  points <- points[several[several == TRUE], on = .(target, access)]
  only_if(nrow(points) > 0)
  sign <- if (metric$better == "higher") 1 else -1
  cells <- points[order(-sign * median)][, .SD[1], by = .(target, access, api, layout, xfer_bytes)]
  cells[, share := if (sign > 0) median / max(median) else min(median) / median, by = .(target, access)]
  place_panels(cells, c(target = "row", access = "column"))
}

verdict_text <- tile_words

make_figure <- function(table) {
  drawn <- data.table::copy(table)
  drawn[, way := paste0(api_words(api), ifelse(layout %in% "file-per-process", ", own files", ""))]
  drawn[, size := as_size(xfer_bytes)]
  ggplot2::ggplot(drawn, ggplot2::aes(size, way, fill = share)) +
    ggplot2::geom_tile(colour = "white", linewidth = 0.4) +
    ggplot2::geom_text(
      ggplot2::aes(label = mark_tile(short_rate_words(median), verdict),
        colour = ink_on(shade(share, "#eef3f8", "#16325c"))),
      size = type_size_mm, family = sans_family, show.legend = FALSE
    ) +
    facet_panels(table, upright = TRUE, scales = "free", space = "free_y") +
    ggplot2::scale_colour_identity() +
    ggplot2::scale_fill_gradient("Share of the best", low = "#eef3f8", high = "#16325c", limits = c(0, 1),
      breaks = c(0, 0.5, 1), labels = c("0", "0.5", "1")
    ) +
    ggplot2::scale_x_discrete(NULL, labels = words_of_size) +
    theme_of_rows() +
    ggplot2::theme(panel.grid.major = ggplot2::element_blank(), axis.text.x = size_labels(drawn))
}

# Two sizes may read the same, as 1 MiB and 1052672 bytes do: the numbers are the levels.
words_of_size <- function(sizes) bytes_words(as.numeric(sizes))

# Upright where the sizes of a panel do not fit beside each other.
size_labels <- function(drawn) {
  cell_mm <- (panel_width_mm(drawn) - 18) / max(drawn[, .(sizes = data.table::uniqueN(size)), by = column]$sizes)
  fits <- max(nchar(words_of_size(levels(drawn$size))) + 1) * mm_per_letter <= cell_mm
  if (fits) ggplot2::element_text() else ggplot2::element_text(angle = 90, hjust = 1, vjust = 0.5)
}

height_mm <- function(table) {
  ways <- table[, .(ways = nrow(unique(.SD))), by = row, .SDcols = c("api", "layout")]
  32 + sum(4.2 * ways$ways + 6)
}
