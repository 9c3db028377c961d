# How NetCDF-Bench accesses and stores: the four ways that the figures of NetCDF tell apart.

way_levels <- c(
  "independent, contiguous", "independent, chunked", "collective, contiguous", "collective, chunked"
)
way_colours <- setNames(c("#16325c", "#1b7f79", "#d1495b", "#e9a820"), way_levels)
way_shapes <- setNames(c(21, 22, 24, 23), way_levels)

way_of <- function(records) {
  chunked <- !is.na(records$chunking) & records$chunking != "contiguous"
  paste0(
    ifelse(records$collective %in% TRUE, "collective", "independent"), ", ",
    ifelse(chunked, "chunked", "contiguous")
  )
}

# Only what NetCDF-Bench wrote or read, each with its way.
netcdf_transfers <- function(records) {
  found <- transfers_of(records)[tool == "netcdf-bench" & !is.na(xfer_bytes)]
  if (nrow(found) == 0) found else found[, way := way_of(found)][]
}
