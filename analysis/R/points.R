# The points that tables and prose use: one for each combination that a reader tells apart, in both definitions.

point_columns <- c("target", "access", "api", "layout", "order", "nn", "ppn", "xfer_bytes")

bandwidth_points <- function(records) remembered(points_of_bandwidth, records)

points_of_bandwidth <- function(records) {
  records <- add_variant(transfers_of(records), point_columns)
  by <- c(point_columns, "variant")
  points <- summarise_records(records, bandwidth_all(records), by, "MiB/s")
  alone <- summarise_records(records, bandwidth_io(records), by, "MiB/s")
  points[alone, median_io := i.median, on = by]
  in_access_order(points, c("target", "access", "variant", setdiff(point_columns, c("target", "access"))))
}

is_bandwidth <- function(metric) metric$name %in% c("bandwidth", "bandwidth-io")

# The points of any metric, over everything that it is of but what stands in figures of its own.
metric_points <- function(records, metric) {
  records <- metric$of(records)
  variant_points(if (is_bandwidth(metric)) rates_of_storage(records) else records, point_columns, metric)
}

# A point for each combination of `by` and of what else than `apart` tells cells apart.
variant_points <- function(records, by, metric = load_metric("bandwidth"), apart = by) {
  records <- add_variant(records, apart)
  summarise_records(records, metric$value(records), c(by, "variant"), metric$unit)
}

# Writes stand before reads: so they happened.
in_access_order <- function(points, by) {
  columns <- lapply(setNames(nm = by), function(column) {
    if (column == "access") match(points$access, access_levels) else by_size(points[[column]])
  })
  ranked <- do.call(base::order, unname(columns))
  points[ranked]
}

# Sentences are of real storage; those of a study that has none name what it measured, marked.
real_storage <- function(rows) if (all(rows$emulated)) rows else rows[emulated == FALSE]

each_row <- function(table, make) lapply(seq_len(nrow(table)), function(i) make(table[i]))

# Tables begin with what was measured of a product.
emulated_last <- function(rows) if (nrow(rows) > 0) rows[order(emulated)] else rows

# A target of which several stacks (or other columns) gave numbers is a storage for each of them: "disk (debian)".
name_apart <- function(rows, columns = "stack", within = "target") {
  if (nrow(rows) == 0) {
    return(rows)
  }
  words <- joined_words(lapply(columns, function(column) {
    varies <- rows[, .(values = data.table::uniqueN(.SD)), by = within, .SDcols = column][values > 1]$target
    ifelse(rows$target %in% varies, column_words(column, rows[[column]]), "")
  }))
  data.table::copy(rows)[, target := ifelse(nzchar(words), sprintf("%s (%s)", target, words), target)][]
}

# The point of each group with the best median, of those of usable records and only where there is none of the degraded
# ones. The best of k medians reads high: `expected` is what the best setting gives if other rounds choose it, `tied`
# how many of the others the rounds do not tell from it.
best_points <- function(points, by = c("target", "access"), better = "higher") {
  usable <- usable_points(points, by)
  if (nrow(usable) == 0) {
    return(usable)
  }
  sign <- if (better == "higher") 1 else -1
  best <- usable[order(-sign * median)][, c(.SD[1], as.list(rank_of_best(.SD, sign))), by = by]
  in_access_order(best, by)
}

# Degraded points only where a group has no others.
usable_points <- function(points, by) {
  usable <- points[n > 0]
  usable[sort(usable[, .I[verdict != "DEGRADED" | all(verdict == "DEGRADED")], by = by]$V1)]
}

# `points` are of one group, the best first.
rank_of_best <- function(points, sign) {
  # The rounds count that all settings have which have the most.
  known <- points[lengths(values) == max(lengths(values))]
  common <- Reduce(intersect, lapply(known$values, names))
  rounds <- sign * log(do.call(rbind, lapply(known$values, function(it) it[common])))
  expected <- if (ncol(rounds) < 2) NA_real_ else exp(sign * expected_best(rounds))
  list(points = nrow(points), expected = expected, tied = ties_of(points))
}

# Points whose interval, or where there is none whose range, reaches that of the best. One run tells nothing apart.
ties_of <- function(points) {
  if (max(points$n) < 2) {
    return(NA_integer_)
  }
  low <- ifelse(is.na(points$lo), vapply(points$values, min, numeric(1)), points$lo)
  high <- ifelse(is.na(points$hi), vapply(points$values, max, numeric(1)), points$hi)
  sum(low[-1] <= high[1] & high[-1] >= low[1])
}

# Where a point was reached, as text: what its row of a table does not show already.
describe_points <- function(points, known = c("target", "access")) {
  shown <- setdiff(c("api", "layout", "order", "xfer_bytes", "nn", "ppn", "variant"), known)
  describe_columns(points, shown)
}
