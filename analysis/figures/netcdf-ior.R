title <- "NetCDF-Bench over IOR"
position <- 26
statistic <- "Points: ratio of medians, NetCDF-Bench over IOR"
interval_text <- function(shown) if (any(shown$n > 1)) "Small marks: the ratios of the rounds that both have." else ""
needs <- "records of NetCDF-Bench and of IOR by MPI-IO or HDF5 with the same nodes and processes"
caption <- paste(
  "What NetCDF-4 leaves of the bandwidth that IOR reaches by MPI-IO or HDF5 on the same storage, with the same nodes,",
  "processes and block sizes. At 1 they are alike; far below, IOR does not tell what an application of NetCDF will see."
)

mapped <- c("access", "target", "nn", "ppn", "xfer_bytes", "way")

make_table <- function(records, inputs) {
  netcdf <- netcdf_transfers(records)[api == "NETCDF4"]
  ior <- transfers_of(records)[purpose == "bandwidth" & api %in% c("MPIIO", "HDF5") & !layout %in% "file-per-process"]
  ior <- ior[!is.na(xfer_bytes)]
  only_if(nrow(netcdf) > 0 && nrow(ior) > 0)
  note <- netcdf_feature_note(netcdf)
  netcdf <- without_features(netcdf)
  ior[, program_of := ifelse(api == "HDF5", "IOR HDF5", paste0("IOR MPI-IO, ", order))]
  ior[, calls := data.table::uniqueN(collective %in% TRUE), by = program_of]
  ior[calls > 1, program_of := paste0(program_of, ", ", column_words("collective", collective %in% TRUE))]
  ours <- summarise_records(netcdf, bandwidth_all(netcdf), mapped, "MiB/s")
  theirs <- summarise_records(ior, bandwidth_all(ior), c(setdiff(mapped, "way"), "program_of"), "MiB/s")
  pairs <- merge(ours[n > 0], theirs[n > 0], by = setdiff(mapped, "way"), allow.cartesian = TRUE)
  only_if(nrow(pairs) > 0)
  table <- pairs[, .(
    access, target, nn, ppn, xfer_bytes, way, program_of, median = median.x / median.y, unit = "factor",
    n = pmin(n.x, n.y), lo = NA_real_, hi = NA_real_, level = NA_real_,
    verdict = worse_verdict(verdict.x, verdict.y),
    n_invalid = n_invalid.x + n_invalid.y, n_degraded = n_degraded.x + n_degraded.y, emulated = emulated.x | emulated.y,
    verdict.x, verdict.y, n_invalid.x, n_invalid.y, n_degraded.x, n_degraded.y,
    values = Map(ratios_of_rounds, values.x, values.y)
  )]
  # All panels have one axis of ratios, so that storage, accesses and programs are compared on one page.
  table <- place_panels(table, c(nn = "page", ppn = "page", target = "column", access = "row", program_of = "row"),
    most_columns = 6, panels = 24
  )
  if (is.null(note)) table else add_note(table, note)
}

# A point of one program is in the ratios over all points of the other.
verdict_text <- function(table) {
  shared <- setdiff(mapped, "way")
  sides <- lapply(c(way = "x", program_of = "y"), function(side) {
    of_side <- paste(c("verdict", "n_invalid", "n_degraded"), side, sep = ".")
    data.table::setnames(table[, c(shared, of_side), with = FALSE], of_side, sub("..$", "", of_side))
  })
  points <- unique(data.table::rbindlist(sides, idcol = "side")[, of := c(paste(table$way), table$program_of)])
  verdict_words(table, records = points[, n := 1L])
}

# The values of a point have the names of their rounds.
ratios_of_rounds <- function(ours, theirs) {
  both <- intersect(names(ours), names(theirs))
  ours[both] / theirs[both]
}

make_figure <- function(table) {
  shown <- data.table::copy(table)[, way := factor(way, levels = looks_of("way")$name)]
  beside <- ggplot2::position_dodge(0.7)
  narrow <- panel_width_mm(table) < 18
  ggplot2::ggplot(shown, ggplot2::aes(xfer_bytes, median, colour = way, shape = way, group = way)) +
    ggplot2::geom_hline(yintercept = 1, colour = "#808080", linewidth = 0.3) +
    point_marks("way", 1.3, position = beside,
      line = line_through("xfer_bytes", "way", position = beside)) +
    facet_panels(table) +
    scale_looks(looks_of("way", shown$way), entries = 2) +
    scale_x_powers("Size of one block", shown$xfer_bytes, bytes_words, if (narrow) 60 else panel_width_mm(table)) +
    ggplot2::scale_y_log10("NetCDF-Bench over IOR", labels = format_plain) +
    theme_weir() +
    if (narrow) ggplot2::theme(axis.text.x = ggplot2::element_text(angle = 90, hjust = 1, vjust = 0.5))
}

# One row of panels is so low that three figures of it stand on a page.
row_mm <- function(rows) if (rows == 1) 23 else if (rows > 4) 21 else 28

height_mm <- function(table) 44 + row_count(table) * row_mm(row_count(table))
