known_figures <- lapply(setNames(nm = part_names("figure", home)), load_part, kind = "figure", home = home)

# A study of one node like the suite `quick`, and one over nodes; synthetic both.
one_node <- function(...) {
  with_cells(read_synthetic(
    api = c("POSIX", "MPIIO"), xfer_bytes = c(2^14, 102400, 2^20), order = c("sequential", "random"), ...
  ))
}
many_nodes <- function(...) with_cells(read_synthetic(nn = c(1, 2, 4), ppn = c(1, 2), xfer_bytes = c(2^14, 2^20), ...))

study_for <- function(of_figure, ...) {
  switch(of_figure,
    netcdf = netcdf_study(...), "netcdf-boxes" = netcdf_study(...), "netcdf-ior" = netcdf_study(...),
    density = single_operations(...), latency = single_operations(...),
    "size-interface" = one_node(...), "transfer-size" = one_node(...),
    timeline = many_nodes(...)[, began := sprintf("2026-01-01T00:%02d:00", iteration)][],
    many_nodes(...)
  )
}
of_medians <- c("transfer-size", "read-write", "overhead", "scaling", "netcdf")
# Figures of one study each have tests of their own, with records of such a study.
of_studies <- c(
  "best-settings", "curves-layouts", "curves-processes", "curves-transfer-size", "file-size", "hints", "io500-radar",
  "io500-radar-published", "io500-submissions", "layers", "operations", "prediction", "program-comparison",
  "settings-by-nodes", "single-process"
)
figures <- known_figures[setdiff(names(known_figures), c("metadata-rates", of_studies))]

plot_of <- function(part, records, inputs = inputs_for(records)) {
  draw_page(split_pages(part$make_table(records, inputs))[[1]], part)
}

# What the layers of a kind draw.
layers_of <- function(plot, geom) {
  of_geom <- which(vapply(plot$layers, function(layer) inherits(layer$geom, geom), logical(1)))
  lapply(of_geom, function(i) ggplot2::layer_data(plot, i))
}

points_of <- function(plot, layer = 1) layers_of(plot, "GeomPoint")[[layer]]

# The layer that has the fills: small marks stand before and behind it.
filled_points <- function(plot) {
  Filter(function(layer) nrow(layer) > 0 && all(layer$shape %in% 21:25), layers_of(plot, "GeomPoint"))[[1]]
}

# The points of a drawn key, however deep they stand in it.
marks_of <- function(grob) {
  if (inherits(grob, "points")) {
    return(list(grob))
  }
  unlist(lapply(c(grob$grobs, grob$children), marks_of), recursive = FALSE)
}
# How many entries each key of a plot has.
entries_of_keys <- function(plot) {
  boxes <- laid_out(list(plot))[[1]]
  boxes <- boxes$grobs[startsWith(boxes$layout$name, "guide-box")]
  keys <- unlist(lapply(boxes, function(box) box$grobs), recursive = FALSE)
  keys <- Filter(function(grob) inherits(grob, "gtable"), keys)
  vapply(unname(keys), function(key) sum(startsWith(key$layout$name, "label")), 1L)
}

is_coloured <- function(fill) !is.na(fill) && !fill %in% c("white", "#FFFFFF", "transparent")

one_line <- function(text) gsub("\n", " ", text, fixed = TRUE)

written <- function(part, records) {
  stem <- scratch(part$name)
  write_figure(part, records, inputs_for(records), stem)
  as.list(setNames(paste0(stem, c(".pdf", ".svg", ".csv", ".tex", ".rst")), c("pdf", "svg", "csv", "tex", "rst")))
}
