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
order_colours <- c(sequential = "#16325c", reverse = "#1b7f79", random = "#d1495b")

make_table <- function(records, inputs) {
  known <- transfers_of(records)[nn %in% 1 & ppn %in% 1 & !is.na(xfer_bytes) & xfer_bytes > 0]
  known <- known[order %in% names(order_colours)]
  if (!wants_form(inputs, "figure single-process") || nrow(known) == 0) {
    return(data.table::data.table())
  }
  known <- add_variant(known, c(mapped, "nn", "ppn"))
  points <- summarise_records(known, bandwidth_all(known), c(mapped, "variant"), "MiB/s")
  points <- enough_for_curve(points, "xfer_bytes", c(setdiff(mapped, "xfer_bytes"), "variant"))
  place_panels(points, c(variant = "page", target = "row", api = "row", layout = "row", access = "column"))
}

# A slope is a time of an access: of a microsecond, of ten, and so on.
make_figure <- function(table) {
  shown <- order_colours[intersect(names(order_colours), table$order)]
  drawn <- data.table::copy(table)[n > 0][, order := factor(order, levels = names(shown))]
  times_us <- 10^(0:7)
  shapes <- c(sequential = 21, reverse = 24, random = 22)[names(shown)]
  ggplot2::ggplot(drawn, ggplot2::aes(xfer_bytes, median, colour = order, shape = order, group = order)) +
    ggplot2::geom_abline(slope = log10(2), intercept = log10(1e6 / times_us / mib), colour = "#d8d8d8",
      linewidth = 0.3) +
    ggplot2::geom_linerange(ggplot2::aes(ymin = lo, ymax = hi), linewidth = 0.35, na.rm = TRUE, show.legend = FALSE) +
    run_marks() +
    line_through(ggplot2::aes(group = order), "xfer_bytes", "order") +
    ggplot2::geom_point(ggplot2::aes(fill = fill_by(order, verdict)), size = 1.4, stroke = 0.4) +
    unproven_marks() +
    facet_panels(table, height_mm = curve_mm) +
    ggplot2::scale_colour_manual("Order in the file", values = shown, guide = filled_key(shown)) +
    ggplot2::scale_shape_manual("Order in the file", values = shapes, guide = filled_key(shown)) +
    ggplot2::scale_fill_manual(values = shown, na.value = "white", guide = "none") +
    scale_x_powers("Size of one access", drawn$xfer_bytes, bytes_words, panel_width_mm(table)) +
    scale_y_rate("Throughput in MiB/s") +
    theme_weir()
}

height_mm <- curves_height_mm
