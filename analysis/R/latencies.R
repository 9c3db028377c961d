# latencies.csv: buckets of the times of single operations.

read_latencies <- function(path) {
  table <- read_text_table(path, "latencies")
  for (column in c("run", "iteration", "upper_us", "count")) {
    data.table::set(table, j = column, value = as_typed(table[[column]], "number", path, column))
  }
  # A logarithmic axis has no place for an operation that took no time the clock could tell.
  table[is.finite(upper_us) & count > 0][upper_us <= 0, upper_us := 0.01][]
}

# A quantile of counted values, without a row for each of them; the values rise.
counted_quantile <- function(values, counts, chance) {
  reached <- cumsum(counts)
  values[which(reached >= chance * reached[length(reached)])[1]]
}
