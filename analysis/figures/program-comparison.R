title <- "NetCDF-Bench and IOR beside each other"
position <- 23
statistic <- "Points: medians"
needs <- "IOR by MPI-IO with a shared file, or NetCDF-Bench"
if_empty <- no_form
caption <- paste(
  "Bandwidth (bytes over open, transfer and close) of NetCDF-Bench, of IOR in sequential and of IOR in random order,",
  "all by MPI-IO and independently in one file, beside each other as in the slides: a line for each block size. A",
  "panel without points is of what the records do not hold."
)
page_limit <- 2L

programs <- c("NetCDF-Bench, NetCDF-4", "IOR, sequential", "IOR, random")
mapped <- c("access", "target", "nn", "ppn", "xfer_bytes", "program_of")

make_table <- function(records, inputs) {
  if (!wants_form(inputs, "figure program-comparison")) {
    return(data.table::data.table())
  }
  netcdf <- netcdf_transfers(records)[api == "NETCDF4"]
  if (nrow(netcdf) > 0) netcdf <- without_features(netcdf)[way == way_levels[1]]
  ior <- transfers_of(records)[purpose == "bandwidth" & api == "MPIIO" & !layout %in% "file-per-process" &
    order %in% order_levels & !collective %in% TRUE & !is.na(xfer_bytes)]
  netcdf[, program_of := programs[1]]
  ior[, program_of := paste0("IOR, ", order)]
  known <- rbind(netcdf, ior, fill = TRUE)[!is.na(nn) & !is.na(ppn)]
  if (nrow(known) == 0) {
    return(data.table::data.table())
  }
  # Over the nodes the processes of a node are as many as there are, over the processes of one node they vary.
  axis <- if (data.table::uniqueN(known$nn) > 1) "nn" else "ppn"
  known <- if (axis == "nn") known[ppn == max(ppn)] else known
  known <- add_variant(known, c(mapped, "api", "order", "layout", intersect("way", names(known))))
  table <- summarise_records(known, bandwidth_all(known), c(mapped, "variant"), "MiB/s")
  table[, `:=`(along = axis, workers = get(axis))]
  # Programs differ in more than the figure names; of each the settings that most points have are the ones compared.
  counts <- table[n > 0, .N, by = .(target, program_of, variant)][order(-N)][, .SD[1], by = .(target, program_of)]
  table <- table[counts, on = c("target", "program_of", "variant")][, N := NULL]
  table[, variant := NULL]
  table[, `:=`(page = target, sheet = 1L, row = factor(access, levels = access_levels))]
  table[, column := factor(program_of, levels = programs)][]
}

make_figure <- function(table) {
  drawn <- data.table::copy(table)[n > 0][, size := as_size(xfer_bytes)]
  empty <- data.table::CJ(row = droplevels(drawn$row), column = factor(programs, programs), unique = TRUE)
  empty <- empty[!drawn, on = c("row", "column")]
  middle <- c(sqrt(prod(range(drawn$workers))), sqrt(prod(range(drawn$median))))
  name <- c(nn = "Nodes", ppn = "Processes per node")[[table$along[1]]]
  ggplot2::ggplot(drawn, ggplot2::aes(workers, median, colour = size, shape = size, group = size)) +
    ggplot2::geom_linerange(ggplot2::aes(ymin = lo, ymax = hi), linewidth = 0.35, na.rm = TRUE, show.legend = FALSE) +
    run_marks() +
    line_through(ggplot2::aes(group = size), "workers", "size") +
    ggplot2::geom_point(ggplot2::aes(fill = fill_by(size, verdict)), size = 1.3, stroke = 0.4) +
    unproven_marks() +
    ggplot2::facet_grid(rows = ggplot2::vars(row), cols = ggplot2::vars(column), drop = FALSE) +
    scale_sizes(drawn$xfer_bytes) +
    scale_x_powers(name, drawn$workers, as.character, panel_width_mm(columns = 3)) +
    scale_y_rate("Bandwidth in MiB/s") +
    theme_weir() +
    (if (nrow(empty) > 0) {
      ggplot2::geom_text(ggplot2::aes(middle[1], middle[2], label = "no records"), data = empty, inherit.aes = FALSE,
        size = type_size_mm, family = sans_family, colour = "#707070")
    })
}

height_mm <- function(table) 36 + data.table::uniqueN(table$access) * (curve_mm + 2)
