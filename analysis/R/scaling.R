# Lines over the nodes, or over the processes of a node where there is one node: the figure of scaling,
# of any metric.

scaling_columns <- c("access", "api", "layout", "order", "target", "nn", "ppn", "xfer_bytes")

nothing_to_scale <- function(records) {
  known <- bulk_transfers(records)[!is.na(nn) & !is.na(xfer_bytes)]
  axis <- scaling_axis(known)
  if (nrow(known) == 0 || !is.na(axis)) {
    return("")
  }
  varying <- varying_columns(known, c("nn", "ppn"))
  numbers <- function(column) and_list(sort(unique(known[[column]])))
  nodes <- if ("nn" %in% varying) paste(numbers("nn"), "nodes") else counted(known$nn[1], "node")
  processes <- if ("ppn" %in% varying) paste(numbers("ppn"), axis_words[["ppn"]]) else column_words("ppn", known$ppn[1])
  if (length(varying) == 0) {
    return(sprintf("all records are of %s and %s; there is nothing to scale", nodes, processes))
  }
  sprintf("all records are of %s and of %s; a line needs three numbers of either", nodes, processes)
}

# What has values enough for a line: the ratio of two is among the effects of settings.
scaling_axis <- function(records) {
  has_several <- function(column) data.table::uniqueN(records[[column]], na.rm = TRUE) >= fewest_for_line
  several <- Filter(has_several, c("nn", "ppn"))
  if (length(several) == 0) NA_character_ else several[1]
}

scaling_table <- function(records, metric) {
  records <- bulk_transfers(records)[!is.na(nn) & !is.na(xfer_bytes)]
  axis <- scaling_axis(records)
  table <- variant_points(records, scaling_columns, metric)
  if (nrow(table) == 0 || is.na(axis)) {
    return(table)
  }
  table[, `:=`(along = axis, workers = get(axis), metric = ..metric$name)]
  others <- c(setdiff(scaling_columns, axis), "variant")
  alone <- table[, .(alone = data.table::uniqueN(workers) < fewest_for_line), by = others]
  table <- table[alone, on = others]
  remark <- if (any(table$alone)) {
    sprintf("Not drawn: %s on one or two numbers of %s.", counted(sum(table$alone), "point"), axis_words[[axis]])
  }
  table <- table[alone == FALSE][, alone := NULL]
  if (nrow(table) == 0) {
    return(table)
  }
  table <- if (axis == "nn") {
    place_panels(table, c(
      variant = "page", target = "page", api = "column", layout = "column", order = "column", access = "column",
      ppn = "row"
    ))
  } else {
    place_panels(table, c(
      variant = "page", target = "row", api = "row", layout = "row", nn = "row", order = "column", access = "column"
    ), most_rows = 8, flow = TRUE)
  }
  if (is.null(remark)) table else data.table::set(table, j = "remark", value = remark)[]
}

scaling_plot <- function(table) {
  table <- data.table::copy(table)[n > 0][, size := as_size(xfer_bytes)]
  name <- capitalised(axis_words[[table$along[1]]])
  width_mm <- panel_width_mm(table)
  ends <- labels_of_lines(table[, label := bytes_words(xfer_bytes)], "workers", "size", "label", width_mm,
    scaling_row_mm(table) - panel_gap_mm)
  sizes <- looks_of_sizes(levels(table$size))
  ggplot2::ggplot(table, ggplot2::aes(workers, median, colour = size, shape = size, group = size)) +
    proportional_slopes(table) +
    point_marks("size", 1.2, line = line_through("workers", "size")) +
    direct_labels(ends, "size", sizes[, setNames(colour, name)],
      2 * log2(max(table$workers) / min(table$workers)) / width_mm) +
    facet_panels(table, upright = on_one_node(table), height_mm = scaling_row_mm(table) - panel_gap_mm) +
    scale_sizes(table$xfer_bytes) +
    scale_x_powers(name, table$workers, as.character, width_mm, width_of_labels_mm(ends)) +
    scale_y_rate(axis_title(load_metric(table$metric[1]))) +
    theme_weir() +
    (if (!is.null(ends)) ggplot2::guides(colour = "none", shape = "none")) +
    (if (on_one_node(table)) upright_row_titles())
}

# How far the best of each access grew from the first number to the last, where one storage was measured.
scaling_words <- function(table) {
  if (data.table::uniqueN(table$target) != 1 || data.table::uniqueN(table$along) != 1) {
    return(NULL)
  }
  best_of <- if (load_metric(table$metric[1])$better == "lower") min else max
  ends <- table[verdict %in% usable_verdicts & workers %in% range(workers), .(best = best_of(median)),
    by = .(access, workers)][order(match(access, access_levels), workers)]
  grown <- ends[, if (.N == 2) .(first = best[1], last = best[2]), by = access]
  if (nrow(grown) == 0) {
    return(NULL)
  }
  sprintf(
    "In these panels, from %s to %s %s, %s%s.", min(table$workers), max(table$workers), axis_words[[table$along[1]]],
    and_list(sprintf("the best %s goes from %s to %s %s (\u00d7%s)", grown$access, rate_words(grown$first),
      rate_words(grown$last), table$unit[1], two_digits(grown$last / grown$first))),
    if (all(table$emulated)) emulated_mark else ""
  )
}

on_one_node <- function(table) table$along[1] == "ppn"

# One slope through every other power of ten at one node.
proportional_slopes <- function(table) {
  decades <- seq(floor(log10(min(table$median) / max(table$workers))), ceiling(log10(max(table$median))))
  ggplot2::geom_abline(slope = log10(2), intercept = decades, colour = "#d8d8d8", linewidth = 0.3)
}

scaling_row_mm <- function(table) if (on_one_node(table)) 17 else if (row_count(table) > 4) 26 else 32

scaling_height_mm <- function(table) 38 + row_count(table) * scaling_row_mm(table)
