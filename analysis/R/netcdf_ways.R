# How NetCDF-Bench accesses and stores: the four combinations that the figures of NetCDF tell apart.

way_of <- function(records) {
  chunked <- !is.na(records$chunking) & records$chunking != "contiguous"
  paste0(
    ifelse(records$collective %in% TRUE, "collective", "independent"), ", ",
    ifelse(chunked, "chunked", "contiguous")
  )
}

# Only what NetCDF-Bench wrote or read, each with its access path.
netcdf_transfers <- function(records) {
  found <- transfers_of(records)[purpose == "format" & !is.na(xfer_bytes)]
  if (nrow(found) == 0) found else found[, way := way_of(found)][]
}

# What NetCDF-Bench did beyond its four access paths, as text; nothing where it used no feature.
features <- c("fill", "unlimited", "deflate_level")

feature_of <- function(records) {
  joined_words(records[, .(
    ifelse(fill %in% TRUE, "pre-filled", ""), ifelse(unlimited %in% TRUE, "unlimited", ""),
    ifelse(is.na(deflate_level) | deflate_level == 0, "", paste("deflate", deflate_level))
  )])
}

# Features have a figure of their own; beside other programs NetCDF-Bench stands without them.
without_features <- function(records) {
  plain <- records[!purpose %in% "format" | !nzchar(feature_of(records))]
  plain[, (features) := NA][]
}

netcdf_feature_note <- function(records) {
  if (any(nzchar(feature_of(records)))) {
    "Of NetCDF-Bench what used no further feature: no filling, no unlimited dimension, no compression."
  }
}
