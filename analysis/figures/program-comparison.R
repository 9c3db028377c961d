title <- "NetCDF-Bench and IOR beside each other"
position <- 23
statistic <- "Points: medians"
needs <- "IOR by MPI-IO with a shared file, or NetCDF-Bench"
if_empty <- no_form
caption <- paste(
  "Bandwidth (bytes over open, transfer and close) of the programs in the slides, all by MPI-IO and independently in",
  "one file: a line for each transfer size."
)
page_limit <- 2L

programs <- c("NetCDF-Bench, NetCDF-4", "IOR, sequential", "IOR, random")
programs_in_words <- setNames(sub("IOR, (.*)", "IOR in \\1 order", sub(", NetCDF-4", "", programs)), programs)
mapped <- c("access", "target", "nn", "ppn", "xfer_bytes", "program_of")

make_table <- function(records, inputs) {
  only_if(wants_form(inputs, "figure program-comparison"))
  netcdf <- netcdf_transfers(records)[api == "NETCDF4"]
  if (nrow(netcdf) > 0) netcdf <- without_features(netcdf)[way == looks_of("way")$name[1]]
  ior <- transfers_of(records)[purpose == "bandwidth" & api == "MPIIO" & !layout %in% "file-per-process" &
    order %in% order_levels & !collective %in% TRUE & !is.na(xfer_bytes)]
  netcdf[, program_of := programs[1]]
  ior[, program_of := paste0("IOR, ", order)]
  known <- rbind(netcdf, ior, fill = TRUE)[!is.na(nn) & !is.na(ppn)]
  only_if(nrow(known) > 0)
  # Over the nodes the processes of a node are as many as there are, over the processes of one node they vary.
  axis <- if (data.table::uniqueN(known$nn) > 1) "nn" else "ppn"
  known <- if (axis == "nn") known[ppn == max(ppn)] else known
  table <- variant_points(known, mapped, apart = c(mapped, "api", "order", "layout", intersect("way", names(known))))
  table[, `:=`(along = axis, workers = get(axis))]
  # Programs differ in more than the figure names; of each the settings that most points have are the ones compared.
  counts <- table[n > 0, .N, by = .(target, program_of, variant)][order(-N)][, .SD[1], by = .(target, program_of)]
  table <- table[counts, on = c("target", "program_of", "variant")][, N := NULL]
  table[, variant := NULL]
  table[, `:=`(page = target, sheet = 1L, row = factor(access, levels = access_levels))]
  table[, column := factor(program_of, levels = programs)][]
}

# A program without records has no panel: the caption names it.
finding <- function(table) {
  missing <- setdiff(programs, as.character(table$program_of))
  if (length(missing) > 0) {
    sprintf("Of the programs in the slides the records of %s hold %s.", and_list(unique(table$target)),
      and_list(paste("no", programs_in_words[missing])))
  }
}

# Writes and reads of a single program stand beside each other, else its panels would be as wide as the page.
make_figure <- function(table) {
  drawn <- data.table::copy(table)[n > 0][, size := as_size(xfer_bytes)]
  titles <- paste(rep(programs, each = length(access_levels)), access_levels, sep = ", ")
  drawn[, titled := factor(paste(program_of, access, sep = ", "), levels = titles)]
  panels <- if (is_of_one_program(drawn)) {
    ggplot2::facet_grid(cols = ggplot2::vars(titled))
  } else {
    ggplot2::facet_grid(rows = ggplot2::vars(row), cols = ggplot2::vars(column))
  }
  name <- capitalised(axis_words[[table$along[1]]])
  ggplot2::ggplot(drawn, ggplot2::aes(workers, median, colour = size, shape = size, group = size)) +
    point_marks("size", 1.3, line = line_through("workers", c("size", "program_of", "access"))) +
    panels +
    scale_sizes(drawn$xfer_bytes) +
    scale_x_powers(name, drawn$workers, as.character, panel_width_mm(columns = columns_of(drawn))) +
    scale_y_rate("Bandwidth in MiB/s") +
    theme_weir()
}

is_of_one_program <- function(drawn) data.table::uniqueN(drawn$program_of) == 1
columns_of <- function(drawn) data.table::uniqueN(if (is_of_one_program(drawn)) drawn$access else drawn$program_of)

height_mm <- function(table) {
  drawn <- table[n > 0]
  36 + (if (is_of_one_program(drawn)) 1 else data.table::uniqueN(drawn$access)) * (curve_mm + 2)
}
