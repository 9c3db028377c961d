# latencies.csv: buckets of the times of single operations.

read_latencies <- function(path) {
  table <- read_text_table(path, "latencies", c("run", "iteration", "upper_us", "count"))
  # A logarithmic axis has no place for an operation that took no time the clock could tell.
  table[is.finite(upper_us) & count > 0][upper_us <= 0, upper_us := 0.01][]
}

# Each bucket with the record that it is of.
buckets_of_records <- function(records, inputs) {
  records[read_latencies(inputs$latencies), on = c("cell", "run", "access", "iteration"), nomatch = NULL]
}

apart_in_latencies <- c("target", "tool", "api", "access", "order", "nn", "ppn", "xfer_bytes")

# Names the storages whose reads were served from the page cache: their times are not those of the storage.
note_cached_reads <- function(table, records) {
  reads <- records[access == "read" & verdict %in% usable_verdicts]
  cached <- reads[, .(is_cached = all(fetched_bytes %in% 0)), by = .(emulated, target)][is_cached == TRUE]
  if (nrow(cached) == 0) {
    return(table)
  }
  names <- cached[order(emulated, target), mark_name(target, emulated)]
  add_note(table, sprintf("Reads of %s were served from the page cache.", and_list(names)))
}

# The panels of a figure with a line for each storage.
panels_of_storages <- function(table) {
  table[, storage := if (data.table::uniqueN(api) > 1) paste0(target, ", ", api_words(api)) else target]
  place_panels(table, c(
    variant = "page", tool = "page", nn = "page", ppn = "page", xfer_bytes = "row", order = "column", access = "column"
  ), panels = 8)
}

# `line_of` makes the points of a line from a row of the table. Real storage first.
lines_of_storages <- function(table, line_of) {
  drawn <- mark_emulated(data.table::copy(table))
  drawn[emulated == TRUE, storage := paste0(storage, emulated_mark)]
  lines <- drawn[, line_of(.SD), by = .(storage, row, column)]
  storages <- unique(drawn[order(emulated, storage), .(storage, emulated)])
  lines[, storage := factor(storage, levels = storages$storage)]
  list(lines = lines, looks = looks_of_storages(setNames(storages$emulated, storages$storage)))
}

# The column lat_histogram of records is "e:c;c;c": numbers of operations in classes of powers of two of a microsecond,
# the first of them up to 2^e. One row for each class of each group: the exponent of its upper edge and the operations.
sum_histograms <- function(texts, group) {
  pattern <- "^-?[0-9]{1,2}:[0-9]+(;[0-9]+)*$"
  known <- which(grepl(pattern, texts))
  counts <- strsplit(sub("^[^:]*:", "", texts[known]), ";", fixed = TRUE)
  first <- as.integer(sub(":.*", "", texts[known]))
  classes <- data.table::data.table(
    group = rep(group[known], lengths(counts)), exponent = rep(first, lengths(counts)) + sequence(lengths(counts)) - 1L,
    count = as.numeric(unlist(counts))
  )
  classes[, .(count = sum(count)), keyby = .(group, exponent)]
}

# For the page: of each group the exponent of the first class, then the counts of all classes; empty where no record
# has a histogram.
histogram_arrays <- function(texts, group, groups) {
  classes <- sum_histograms(texts, group)
  if (nrow(classes) == 0) {
    return(rep(list(I(numeric())), length(groups)))
  }
  arrays <- classes[, .(array = list(I(c(exponent[1], filled_counts(exponent, count))))), by = group]
  found <- arrays$array[match(groups, arrays$group)]
  lapply(found, function(array) if (is.null(array)) I(numeric()) else array)
}

# Also of the classes between that are empty; exponents rise.
filled_counts <- function(exponents, counts) {
  filled <- numeric(exponents[length(exponents)] - exponents[1] + 1)
  filled[exponents - exponents[1] + 1] <- counts
  filled
}

# A quantile of counted values, without a row for each of them; the values rise.
counted_quantile <- function(values, counts, chance) {
  reached <- cumsum(counts)
  values[which(reached >= chance * reached[length(reached)])[1]]
}
