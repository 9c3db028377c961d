# What claims are decided on: points with resampled medians, of records or of published values.

claim_resamples <- 500L
claim_columns <- c(
  "role", "target", "tool", "access", "api", "layout", "order", "nn", "ppn", "xfer_bytes", "collective", "chunked",
  "chunking"
)

# One point for each combination of claim_columns and of what else tells cells apart. `values` are its usable records,
# `draws` the medians of as many resamples as there are records in it; a single record has no draws.
evidence_of <- function(records, facts, value_of) {
  if (nrow(records) == 0) {
    return(no_evidence)
  }
  records <- add_roles(records[verdict != "INVALID"], facts)
  records[, chunked := !is.na(chunking) & chunking != "contiguous"]
  records[, value_of_record := value_of(records)]
  records <- records[!is.na(value_of_record)]
  if (nrow(records) == 0) {
    return(no_evidence)
  }
  points <- add_variant(records, claim_columns)[, .(
    median = stats::median(value_of_record), n = .N, values = list(sort(value_of_record)),
    site = site[1], requested_bytes = stats::median(requested_bytes),
    emulated = any(emulated), degraded = any(verdict == "DEGRADED"),
    reasons = paste(unique(unlist(strsplit(reasons, ";", fixed = TRUE))), collapse = ";")
  ), by = c(claim_columns, "variant")]
  data.table::setorderv(points, c(claim_columns, "variant"))
  wire_gbit_s <- facts$site$wire_gbit_s
  points[, `:=`(statistic = "median", wire_mib_s = wire_rate(if (is.null(wire_gbit_s)) NA_real_ else wire_gbit_s))]
  points[, draws := resampled_medians(values)][]
}

# Of one node's network.
wire_rate <- function(gbit_s) gbit_s * 1e9 / 8 / mib

no_evidence <- data.table::data.table()

resampled_medians <- function(values) {
  with_seed(bootstrap_seed, lapply(values, function(sorted) {
    if (length(sorted) < fewest_for_interval) {
      return(rep(NA_real_, claim_resamples))
    }
    ranks <- bootstrap_ranks(length(sorted))[sample.int(resamples, claim_resamples), ]
    (sorted[ranks[, 1]] + sorted[ranks[, 2]]) / 2
  }))
}

# The values that a paper printed: aggregates, each a point without records and so without an interval.
published_evidence <- function(path, source_name, wire_gbit_s = NA_real_) {
  if (is.null(path)) {
    return(no_evidence)
  }
  values <- read_published(path)
  values <- values[source == source_name & metric == "bandwidth"]
  if (nrow(values) == 0) {
    return(no_evidence)
  }
  values[, .(
    role = in_words(target, c("ime-native" = "native", lustre = "file system", "ime-fuse" = "fuse")), target,
    tool = ifelse(tool == "NetCDF-Bench", "netcdf-bench", "ior"), access, api = in_words(api, published_apis), layout,
    order, nn, ppn, xfer_bytes, collective = access_mode == "collective", chunked = FALSE, chunking, variant = "",
    median = value_mib_s, n = 1L, values = as.list(value_mib_s), emulated = FALSE, degraded = FALSE, reasons = "",
    site = system, statistic, wire_mib_s = wire_rate(wire_gbit_s), draws = rep(list(rep(NA_real_, claim_resamples)), .N)
  )]
}

published_apis <- c(NetCDF4 = "NETCDF4", PNetCDF = "PNETCDF")

# Units as they were printed, in MiB/s; what is no bandwidth has none.
read_published <- function(path) {
  values <- read_text_table(path, "published values")
  for (column in c("nn", "ppn", "xfer_kib", "value")) {
    data.table::set(values, j = column, value = as_typed(values[[column]], "number", path, column))
  }
  values[, value_mib_s := value * unname(c("MiB/s" = 1, "GiB/s" = 1024, "GB/s" = 1e9 / mib)[unit])]
  values[, xfer_bytes := xfer_kib * 1024][]
}
