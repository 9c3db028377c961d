# The points that tables and prose speak of: one for each combination that a reader tells apart, in both definitions.

point_columns <- c("target", "access", "api", "layout", "order", "nn", "ppn", "xfer_bytes")

bandwidth_points <- function(records) {
  records <- add_variant(transfers_of(records), point_columns)
  by <- c(point_columns, "variant")
  points <- summarise_records(records, bandwidth_all(records), by, "MiB/s")
  if (nrow(points) == 0) {
    return(points)
  }
  alone <- summarise_records(records, bandwidth_io(records), by, "MiB/s")
  points[alone, median_io := i.median, on = by]
  in_access_order(points, c("target", "access", "variant", setdiff(point_columns, c("target", "access"))))
}

# Writes stand before reads: so they happened.
in_access_order <- function(points, by) {
  columns <- lapply(setNames(nm = by), function(column) {
    if (column == "access") match(points$access, access_levels) else points[[column]]
  })
  ranked <- do.call(base::order, unname(columns))
  points[ranked]
}

# Of each group the point with the highest median: of the valid ones, and only where there is none of the degraded.
best_points <- function(points, by = c("target", "access")) {
  usable <- if (nrow(points) > 0) points[n > 0] else points
  if (nrow(usable) == 0) {
    return(usable)
  }
  best <- usable[order(verdict != "VALID", -median)][, c(
    .SD[1], list(points = .N, mean_of_points = mean(median), best_record = max(best))
  ), by = by]
  in_access_order(best, by)
}

# Where a point was reached, in words: what its row of a table does not say already.
describe_points <- function(points, said = c("target", "access")) {
  shown <- setdiff(c("api", "layout", "order", "xfer_bytes", "nn", "ppn", "variant"), said)
  describe_columns(points, shown)
}

# What a choice changes: points that differ in one column only, as ratios of their medians. Degraded points would blame
# the choice for what made them degraded, so they take no part.
choice_ratios <- function(points) {
  data.table::rbindlist(lapply(names(choices), function(column) ratios_of_column(points, column)))
}

# What is compared: the other values with the first, or the largest with the smallest.
choices <- list(order = "each", layout = "each", api = "each", xfer_bytes = "ends", ppn = "ends", nn = "ends")

# What each feature of NetCDF-Bench changes, beside the same without it.
feature_ratios <- function(records) {
  records <- netcdf_transfers(records)
  if (nrow(records) == 0) {
    return(data.table::data.table())
  }
  records[, `:=`(
    calls = ifelse(collective %in% TRUE, "collective calls", "independent calls"),
    chunks = ifelse(is.na(chunking) | chunking == "contiguous", "contiguous variable", "chunks"),
    filling = ifelse(fill %in% TRUE, "filling", "no filling"),
    dimensions = ifelse(unlimited %in% TRUE, "unlimited dimension", "fixed dimensions"),
    compression = ifelse(deflate_level %in% c(0, NA), "no compression", "compression")
  )]
  points <- summarise_records(records, bandwidth_all(records), c(point_columns, feature_columns), "MiB/s")
  data.table::rbindlist(lapply(feature_columns, function(column) ratios_of_column(points, column)))
}

feature_columns <- c("calls", "chunks", "filling", "dimensions", "compression")
plain_features <- c(
  "independent calls", "contiguous variable", "no filling", "fixed dimensions", "no compression"
)

# Experiments that measured the same: the ratio is what another day and another stonewall made of it.
experiment_ratios <- function(records) {
  transfers <- transfers_of(records)
  points <- summarise_records(transfers, bandwidth_all(transfers), c(point_columns, "experiment"), "MiB/s")
  ratios_of_column(points, "experiment")
}

ratios_of_column <- function(points, column) {
  valid <- if (nrow(points) > 0) points[verdict == "VALID"] else points
  values <- if (nrow(valid) > 0) sort(unique(valid[[column]]))
  if (length(values) < 2) {
    return(data.table::data.table())
  }
  ends <- identical(choices[[column]], "ends")
  usual <- intersect(c("sequential", "shared", "POSIX", plain_features), values)
  first <- if (!ends && length(usual) > 0) usual[1] else values[1]
  others <- if (ends) values[length(values)] else setdiff(values, first)
  data.table::rbindlist(lapply(others, function(other) ratios_of_pair(valid, column, first, other)))
}

ratios_of_pair <- function(points, column, first, other) {
  known <- intersect(c(point_columns, feature_columns, "variant", "experiment"), names(points))
  same <- setdiff(known, column)
  pairs <- merge(points[points[[column]] == first], points[points[[column]] == other], by = same)
  if (nrow(pairs) == 0) {
    return(NULL)
  }
  pairs[, ratio := median.y / median.x]
  found <- pairs[, .(
    column = column, choice = column_words(column, other), instead_of = column_words(column, first), pairs = .N,
    ratio = stats::median(ratio), lowest = min(ratio), highest = max(ratio), emulated = any(emulated.x | emulated.y)
  ), by = c("target", "access")]
  in_access_order(found, c("target", "access"))
}
