title <- "NetCDF-Bench beside IOR"
place <- 26
statistic <- "Points: median bandwidth (bytes over open, transfer and close)"
needs <- "records of NetCDF-Bench and of IOR by MPI-IO or HDF5 with the same nodes and processes"
caption <- paste(
  "The same storage, nodes, processes and block sizes by NetCDF-Bench, which writes time steps of a variable, and by",
  "IOR, which calls MPI-IO itself or HDF5 with a dataset for each block. What NetCDF-4 costs is the distance from a",
  "line of NetCDF-Bench to the line of the same colour beside it; where IOR lies far above, IOR does not tell what an",
  "application of NetCDF will see."
)

mapped <- c("access", "target", "nn", "ppn", "xfer_bytes", "way", "program_of")

make_table <- function(records, inputs) {
  netcdf <- netcdf_transfers(records)[api == "NETCDF4"]
  ior <- transfers_of(records)[tool == "ior" & api %in% c("MPIIO", "HDF5") & !layout %in% "file-per-process"]
  ior <- ior[!is.na(xfer_bytes)]
  shape <- merge(unique(netcdf[, .(target, nn, ppn)]), unique(ior[, .(target, nn, ppn)]))
  if (nrow(shape) == 0) {
    return(data.table::data.table())
  }
  shape <- shape[order(-nn * ppn), .SD[1], by = target]
  both <- rbind(
    netcdf[, program_of := "NetCDF-Bench"],
    ior[, `:=`(way = way_of(.SD), program_of = ifelse(api == "HDF5", "IOR\nHDF5", paste0("IOR\n", order)))]
  )[shape, on = c("target", "nn", "ppn")]
  said <- said_of_features(both)
  both <- add_variant(
    without_features(both),
    c(mapped, "tool", "api", "order", "collective", "chunking", "experiment", "block_bytes", "segments", features)
  )
  points <- summarise_records(both, bandwidth_all(both), c(mapped, "variant"), "MiB/s")
  points[, program_of := factor(program_of, levels = programs)]
  points <- place_panels(points, c(
    variant = "page", nn = "page", ppn = "page", target = "row", access = "column", program_of = "column"
  ), most_columns = 6)
  if (is.null(said)) points else add_note(points, said)
}

programs <- c("NetCDF-Bench", "IOR\nsequential", "IOR\nrandom", "IOR\nHDF5")

make_figure <- function(table) {
  shown <- data.table::copy(table)[n > 0][, way := factor(way, levels = way_levels)]
  beside <- ggplot2::position_dodge(0.7)
  key <- ggplot2::guide_legend(nrow = 2, byrow = TRUE)
  narrow <- panel_width_mm(table) < 18
  ggplot2::ggplot(shown, ggplot2::aes(xfer_bytes, median, colour = way, shape = way, group = way)) +
    ggplot2::geom_linerange(
      ggplot2::aes(ymin = lo, ymax = hi),
      linewidth = 0.35, na.rm = TRUE, show.legend = FALSE, position = beside
    ) +
    line_through(ggplot2::aes(group = way), position = beside) +
    ggplot2::geom_point(ggplot2::aes(fill = fill_by(way, verdict)), size = 1.3, stroke = 0.4, position = beside) +
    facet_panels(table) +
    ggplot2::scale_colour_manual("Access", values = way_colours, guide = key) +
    ggplot2::scale_shape_manual("Access", values = way_shapes, guide = key) +
    ggplot2::scale_fill_manual(values = way_colours, na.value = "white", guide = "none") +
    scale_x_powers("Size of one block", shown$xfer_bytes, bytes_words, if (narrow) 60 else panel_width_mm(table)) +
    scale_y_rate("Bandwidth in MiB/s") +
    theme_weir() +
    if (narrow) ggplot2::theme(axis.text.x = ggplot2::element_text(angle = 90, hjust = 1, vjust = 0.5))
}

height_mm <- function(table) 44 + row_count(table) * if (row_count(table) > 4) 21 else 28
