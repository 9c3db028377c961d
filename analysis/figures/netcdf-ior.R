title <- "NetCDF-Bench beside IOR"
place <- 26
statistic <- "Points: median bandwidth (bytes over open, transfer and close)"
needs <- "records of NetCDF-Bench and of IOR by MPI-IO with the same nodes and processes"
caption <- paste(
  "The same storage, nodes, processes and block sizes by NetCDF-Bench, which writes time steps of a variable, and by",
  "IOR, which calls MPI-IO itself, in sequential and in random order. What NetCDF-4 and HDF5 cost is the distance",
  "from a line on the left to the lines beside it; no other difference of the accesses is hidden in it only where IOR",
  "was run on a shared file."
)

mapped <- c("access", "target", "nn", "ppn", "xfer_bytes", "way", "program_of")

make_table <- function(records, inputs) {
  netcdf <- netcdf_transfers(records)[api == "NETCDF4"]
  ior <- transfers_of(records)[tool == "ior" & api == "MPIIO" & !layout %in% "file-per-process" & !is.na(xfer_bytes)]
  shape <- merge(unique(netcdf[, .(target, nn, ppn)]), unique(ior[, .(target, nn, ppn)]))
  if (nrow(shape) == 0) {
    return(data.table::data.table())
  }
  shape <- shape[order(-nn * ppn), .SD[1], by = target]
  both <- rbind(
    netcdf[, program_of := "NetCDF-Bench"],
    ior[, `:=`(way = way_of(.SD), program_of = paste("IOR,", order, "order"))]
  )[shape, on = c("target", "nn", "ppn")]
  both <- add_variant(both, c(mapped, "tool", "api", "order", "collective", "chunking", "experiment", "block_bytes"))
  points <- summarise_records(both, bandwidth_all(both), c(mapped, "variant"), "MiB/s")
  points[, program_of := factor(program_of, levels = programs)]
  place_panels(points, c(
    variant = "page", access = "page", nn = "page", ppn = "page", target = "row", program_of = "column"
  ))
}

programs <- c("NetCDF-Bench", "IOR, sequential order", "IOR, random order")

make_figure <- function(table) {
  shown <- table[n > 0]
  beside <- ggplot2::position_dodge(0.7)
  ggplot2::ggplot(shown, ggplot2::aes(xfer_bytes, median, colour = way, shape = way, group = way)) +
    ggplot2::geom_linerange(
      ggplot2::aes(ymin = lo, ymax = hi),
      linewidth = 0.35, na.rm = TRUE, show.legend = FALSE, position = beside
    ) +
    line_through(ggplot2::aes(group = way), position = beside) +
    ggplot2::geom_point(ggplot2::aes(fill = fill_by(way, verdict)), size = 1.3, stroke = 0.4, position = beside) +
    facet_panels(table) +
    ggplot2::scale_colour_manual("Access", values = way_colours) +
    ggplot2::scale_shape_manual("Access", values = way_shapes) +
    ggplot2::scale_fill_manual(values = way_colours, na.value = "white", guide = "none") +
    scale_x_powers("Size of one block", shown$xfer_bytes, bytes_words, panel_width_mm(table)) +
    scale_y_rate("Bandwidth in MiB/s") +
    theme_weir()
}

height_mm <- function(table) 38 + row_count(table) * if (row_count(table) > 4) 21 else 28
