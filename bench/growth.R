# Draws what bench/growth.py measured: Rscript bench/growth.R TABLE.csv FIGURE.svg [BEFORE.csv]
#
# Time, CPU time and peak memory of weir plan and weir collect over the number of cells or records. Rings are the goals
# for 100,000; dashed lines are the table of an earlier version.

suppressPackageStartupMessages({
  library(data.table)
  source("analysis/load.R")
})
load_analysis("analysis")

panels <- c(time_s = "Time (s)", cpu_s = "CPU time (s)", peak_mib = "Peak memory of a process (MiB)")
versions <- c("this version", "before")

read_costs <- function(file, version) {
  costs <- fread(file, colClasses = list(numeric = c("size", names(panels), "goal_s", "goal_mib")))
  costs[, version := factor(version, versions)][]
}

goals_of <- function(costs) {
  goals <- unique(costs[, .(what, time_s = goal_s, peak_mib = goal_mib)])
  goals <- melt(goals, "what", variable.name = "panel", variable.factor = FALSE)
  # Commands with the same goal have one ring.
  goals <- goals[, .(text = paste(what, collapse = ", ")), by = .(panel, value)]
  goals[panel == "peak_mib", text := "all"]
  goals[, .(panel = factor(panel, names(panels)), size = 1e5, value, text = paste("goal:", text))]
}

drawn_costs <- function(costs) {
  measured <- melt(costs, c("what", "size", "version"), names(panels), variable.name = "panel")
  goals <- goals_of(costs)
  ggplot2::ggplot(measured, ggplot2::aes(size, value)) +
    ggplot2::geom_line(ggplot2::aes(colour = what, linetype = version)) +
    ggplot2::geom_point(ggplot2::aes(colour = what, shape = what)) +
    ggplot2::geom_point(data = goals, shape = 1, size = 4) +
    ggplot2::geom_label(ggplot2::aes(label = text), goals,
      size = 2.2, family = sans_family, hjust = 1, nudge_x = -0.1, label.size = 0, label.padding = grid::unit(0.5, "mm")
    ) +
    ggplot2::facet_wrap("panel", scales = "free_y", labeller = ggplot2::as_labeller(panels)) +
    ggplot2::scale_x_log10("Cells of the plan, or records", labels = scales::comma) +
    ggplot2::scale_y_log10(NULL, labels = scales::comma) +
    ggplot2::scale_colour_manual(NULL, values = c("#0072b2", "#d55e00", "#009e73")) +
    ggplot2::scale_shape_manual(NULL, values = c(16, 17, 15)) +
    ggplot2::scale_linetype_manual(NULL,
      values = c("solid", "22"), guide = if (uniqueN(costs$version) > 1) "legend" else "none"
    ) +
    ggplot2::coord_cartesian(clip = "off") +
    theme_weir()
}

files <- commandArgs(TRUE)
costs <- rbindlist(Map(read_costs, files[-2], versions[seq_along(files[-2])]))
svglite::svglite(files[2], width = 7.5, height = 3)
print(drawn_costs(costs))
invisible(dev.off())
