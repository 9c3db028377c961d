title <- "Throughput of a single process"
position <- 45
statistic <- "Points: medians"
needs <- "one process with three transfer sizes"
if_empty <- no_form
caption <- paste(
  "Throughput of one process (bytes over open, transfer and close) against the size of one access, a line for each",
  "order in the file, as the talk on Mistral draws it; both axes are logarithmic. Along the grey slopes every access",
  "takes the same time; where a line is flat, larger accesses bring nothing."
)
page_limit <- 1L

mapped <- c("access", "api", "layout", "order", "target", "xfer_bytes")

make_table <- function(records, inputs) {
  known <- transfers_of(records)[nn %in% 1 & ppn %in% 1 & !is.na(xfer_bytes) & xfer_bytes > 0]
  known <- known[order %in% looks_of("order")$name]
  only_if(wants_form(inputs, "figure single-process") && nrow(known) > 0)
  points <- variant_points(known, mapped, apart = c(mapped, "nn", "ppn"))
  points <- enough_for_curve(points, "xfer_bytes", c(setdiff(mapped, "xfer_bytes"), "variant"))
  place_panels(points, c(variant = "page", target = "row", api = "row", layout = "row", access = "column"))
}

finding <- function(table) {
  orders <- unique(as.character(table$order))
  if (length(orders) == 1) sprintf("All accesses are in %s order.", orders)
}

# A slope is a time of an access: of a microsecond, of ten, and so on.
make_figure <- function(table) {
  shown <- looks_of("order", table[n > 0]$order)
  drawn <- data.table::copy(table)[n > 0][, order := factor(order, levels = shown$name)]
  times_us <- 10^(0:7)
  ggplot2::ggplot(drawn, ggplot2::aes(xfer_bytes, median, colour = order, shape = order, group = order)) +
    ggplot2::geom_abline(slope = log10(2), intercept = log10(1e6 / times_us / mib), colour = "#d8d8d8",
      linewidth = 0.3) +
    point_marks("order", line = line_through("xfer_bytes", "order")) +
    facet_panels(table, height_mm = curve_mm) +
    scale_looks(shown, "Order in the file") +
    scale_x_powers("Size of one access", drawn$xfer_bytes, bytes_words, panel_width_mm(table)) +
    scale_y_rate("Throughput in MiB/s") +
    theme_weir()
}

height_mm <- curves_height_mm
