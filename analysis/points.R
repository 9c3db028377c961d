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
  in_access_order(points, by)
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
  valid <- if (nrow(points) > 0) points[verdict == "VALID"] else points
  rows <- lapply(names(choices), function(column) {
    if (nrow(valid) == 0) NULL else ratios_of_column(valid, column)
  })
  data.table::rbindlist(rows)
}

# What is compared: the other values with the first, or the largest with the smallest.
choices <- list(order = "each", layout = "each", api = "each", xfer_bytes = "ends", ppn = "ends", nn = "ends")

ratios_of_column <- function(points, column) {
  values <- sort(unique(points[[column]]))
  if (length(values) < 2) {
    return(NULL)
  }
  usual <- intersect(c("sequential", "shared", "POSIX"), values)
  first <- if (choices[[column]] == "each" && length(usual) > 0) usual[1] else values[1]
  others <- if (choices[[column]] == "each") setdiff(values, first) else values[length(values)]
  same <- setdiff(c(point_columns, "variant"), column)
  data.table::rbindlist(lapply(others, function(other) {
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
  }))
}
