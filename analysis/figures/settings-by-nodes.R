title <- "Share of the best bandwidth by stripe count, processes per node and nodes"
position <- 3
statistic <- "Cells: share of the best setting with the same number of nodes, in per cent"
interval_text <- ""
needs <- "records of the experiment `defaults` of the suite mistral on two numbers of nodes"
if_empty <- "The study has no sweep of stripes and processes on several numbers of nodes."
caption <- paste(
  "Share of the best bandwidth with the same number of nodes that each combination of stripe count and processes per",
  "node reaches: dark is best. Where the dark cells move as nodes are added, no default suits all jobs."
)

make_table <- function(records, inputs) {
  records <- transfers_of(records)[experiment %in% "defaults"]
  if (nrow(records) == 0 || data.table::uniqueN(records$nn) < 2) {
    return(data.table::data.table())
  }
  points <- summarise_records(records, bandwidth_all(records), c(default_situations, default_settings), "MiB/s")[n > 0]
  points[, share := median / max(median), by = default_situations]
  points[, page := paste0(target, ifelse(emulated, emulated_mark, ""), ", ", access, ", ", api_words(api))]
  points[, sheet := 1L][]
}

make_figure <- function(table) {
  drawn <- data.table::copy(table)
  stripes <- sort(unique(drawn$stripe_count))
  drawn[, lines := factor(ifelse(stripe_count %in% c(0, NA), "none", stripe_count),
    levels = c("none", setdiff(stripes, 0)))]
  drawn[, nodes := factor(counted(nn, "node"), levels = counted(sort(unique(nn)), "node"))]
  drawn[, text := paste0(sprintf("%.0f", 100 * share), data.table::fcoalesce(setting_marks[verdict], ""))]
  ggplot2::ggplot(drawn, ggplot2::aes(factor(ppn), lines, fill = 100 * share)) +
    ggplot2::geom_tile(colour = "white", linewidth = 0.4) +
    ggplot2::geom_text(ggplot2::aes(label = text, colour = share > 0.5),
      size = 2.1, family = sans_family, show.legend = FALSE) +
    ggplot2::facet_wrap(ggplot2::vars(nodes), ncol = 2) +
    ggplot2::scale_fill_gradient("Share of the best in %", low = "#f2f5fa", high = "#123a6b", limits = c(0, 100)) +
    ggplot2::scale_colour_manual(values = c("FALSE" = "#202020", "TRUE" = "white")) +
    ggplot2::labs(x = "Processes per node", y = "Stripes of a file") +
    theme_weir()
}

# A circle for unproven, a dagger for degraded records.
setting_marks <- c(UNPROVEN = "\u00b0", DEGRADED = "\u2020")

height_mm <- function(table) {
  rows <- ceiling(data.table::uniqueN(table$nn) / 2)
  30 + rows * (10 + 6 * data.table::uniqueN(table$stripe_count))
}
