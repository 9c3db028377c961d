# What claims are decided on: points with the value of each round, of records or of published values.

claim_columns <- c(
  "role", "site", "target", "tool", "purpose", "access", "api", "layout", "order", "nn", "ppn", "xfer_bytes",
  "collective", "chunked", "chunking"
)
point_keys <- c(claim_columns, "variant", "statistic")

# One point for each combination of claim_columns and of what else tells cells apart, of valid and unproven records.
# `rounds` has the value of each round by its name, the median over the iterations, and `times` when it began.
evidence_of <- function(records, facts, value_of) {
  records <- records[verdict %in% usable_verdicts]
  records <- add_roles(records, facts)
  records[, chunked := !is.na(chunking) & chunking != "contiguous"]
  records <- round_names(records)[, value_of_record := value_of(records)][is.finite(value_of_record)]
  by <- c(claim_columns, "variant")
  records <- add_variant(records, claim_columns)
  runs <- records[, .(value = median(value_of_record), began = began[1]), by = c(by, "round")]
  runs[, began := seconds_of(began)]
  points <- runs[, .(median = median(value), n = .N), by = by]
  lists <- runs[, .(rounds = list(setNames(value, round)), times = list(setNames(began, round))), by = by]
  points[, `:=`(rounds = lists$rounds, times = lists$times)]
  points <- about_points(records, by)[points, on = by]
  data.table::setorderv(points, by)
  points[, `:=`(statistic = "median", wire_mib_s = wire_rate(facts$site$wire_gbit_s))][]
}

# What else a claim may need of a point. What differs among the records of a point is evaluated record by record.
about_points <- function(records, by) {
  facts <- records[, c(by, "requested_bytes", "emulated"), with = FALSE]
  facts[, unproven := records$verdict == "UNPROVEN"]
  about <- facts[, .(
    requested_bytes = median(requested_bytes), emulated = sum(emulated), unproven = sum(unproven)
  ), by = by]
  about[, `:=`(emulated = emulated > 0, unproven = unproven > 0)]
  reasons <- unique(records[, c(by, "reasons"), with = FALSE])[, .(
    reasons = if (.N == 1) reasons else paste(unique(unlist(strsplit(reasons, ";", fixed = TRUE))), collapse = ";")
  ), by = by]
  others <- setdiff(following, claim_columns)
  values <- unique(records[, c(by, others), with = FALSE])
  values <- values[, if (.N == 1) .SD else lapply(.SD, first_known), by = by, .SDcols = others]
  values[reasons[about, on = by], on = by]
}

# The rate of one node's network in MiB/s, where it is known.
wire_rate <- function(gbit_s) if (is.null(gbit_s)) NA_real_ else gbit_s * 1e9 / 8 / mib

no_evidence <- data.table::data.table()

# The values that a paper printed: aggregates, each a point without records and so without an interval.
published_evidence <- function(path, source_name, wire_gbit_s = NULL) {
  if (is.null(path)) {
    return(no_evidence)
  }
  values <- read_published(path)
  values <- values[source == source_name & metric == "bandwidth"]
  values[, .(
    role = in_words(target, c("ime-native" = "native", lustre = "file system", "ime-fuse" = "fuse")), target,
    tool = NA_character_, purpose, access, api = in_words(api, published_apis), layout,
    order, nn, ppn, xfer_bytes, collective = access_mode == "collective", chunked = FALSE, chunking, variant = "",
    median = value_mib_s, n = 1L, rounds = lapply(value_mib_s, setNames, "printed"), emulated = FALSE,
    unproven = FALSE, reasons = "", site = system, statistic, wire_mib_s = wire_rate(wire_gbit_s),
    times = lapply(value_mib_s, function(value) c(printed = NA_real_)), requested_bytes = NA_real_
  )]
}

published_apis <- c(NetCDF4 = "NETCDF4", PNetCDF = "PNETCDF")

# Units as they were printed, in MiB/s; what is not a bandwidth has none.
read_published <- function(path) {
  values <- read_text_table(path, "published values", c("nn", "ppn", "xfer_kib", "value"))
  values[, value_mib_s := value * unname(c("MiB/s" = 1, "GiB/s" = 1024, "GB/s" = 1e9 / mib)[unit])]
  values[, purpose := ifelse(api %in% names(published_apis), "format", "bandwidth")]
  values[, xfer_bytes := xfer_kib * 1024][]
}
