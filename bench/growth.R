# Draws what bench/growth.py measured: Rscript bench/growth.R TABLE.csv FIGURE.svg
#
# Time and peak memory of weir plan and weir collect over the number of cells or records; rings are the goals.

suppressPackageStartupMessages({
  library(data.table)
  source("analysis/load.R")
})
load_analysis("analysis")

arguments <- commandArgs(TRUE)
costs <- fread(arguments[1], colClasses = list(numeric = c("time_s", "peak_mib", "goal_s", "goal_mib")))
panels <- c(time_s = "Time (s)", peak_mib = "Peak memory of a process (MiB)")
measured <- melt(costs, c("what", "size"), names(panels), variable.name = "panel")
goals <- melt(costs[size == 1e5], c("what", "size"), c("goal_s", "goal_mib"), variable.name = "panel")
goals[, panel := factor(names(panels)[as.integer(panel)], names(panels))]
drawn <- ggplot2::ggplot(measured, ggplot2::aes(size, value, colour = what)) +
  ggplot2::geom_line() +
  ggplot2::geom_point() +
  ggplot2::geom_point(data = goals, shape = 1, size = 4) +
  ggplot2::facet_wrap("panel", scales = "free_y", labeller = ggplot2::as_labeller(panels)) +
  ggplot2::scale_x_log10("Cells of the plan, or records", labels = scales::comma) +
  ggplot2::scale_y_log10(NULL, labels = scales::comma) +
  ggplot2::scale_colour_manual(NULL, values = c("#0072b2", "#d55e00", "#009e73")) +
  theme_weir() +
  ggplot2::theme(legend.position = "bottom")
svglite::svglite(arguments[2], width = 7, height = 3.2)
print(drawn)
invisible(dev.off())
