title <- "Operations on files and directories"
position <- 60
statistic <- "Points: median rate (operations of all ranks over the time from the first start to the last stop)"
needs <- "records of metadata: create, stat, read, rename, remove or find"
caption <- paste(
  "Operations per second by access and shape (a read opens, reads and closes a file; a search counts the files that",
  "it passed); the axis is logarithmic, all panels have the same. An own directory is one for each rank: where it is",
  "faster than a shared one, the ranks wait for each other."
)

applies <- function(records) {
  if (nrow(metadata_of(records)) == 0) "no record is of files or directories as such" else ""
}

make_table <- function(records, inputs) {
  points <- metadata_points(records)
  only_if(nrow(points) > 0)
  place_panels(points, c(
    kind = "page", variant = "page", target = "column", api = "column", nn = "row", ppn = "row"
  ))
}

make_figure <- function(table) {
  drawn <- data.table::copy(table)[n > 0]
  drawn[, access := factor(access, levels = intersect(metadata_accesses, access))]
  drawn[, shape := factor(shape, levels = unique(shape[order(by_size(shape))]))]
  ggplot2::ggplot(drawn, ggplot2::aes(access, median, colour = shape, shape = shape, group = shape)) +
    point_marks("shape", position = ggplot2::position_dodge(0.6)) +
    facet_panels(table) +
    scale_looks(looks_of_sizes(levels(drawn$shape)), lines = FALSE, entries = 2) +
    ggplot2::scale_x_discrete(NULL) +
    scale_y_rate("Operations per second in op/s") +
    theme_weir() +
    ggplot2::theme(axis.text.x = ggplot2::element_text(angle = 45, hjust = 1), legend.box = "vertical")
}

height_mm <- function(table) {
  48 + row_count(table) * if (row_count(table) > 3) 26 else 34
}
