# Operations on files and directories: their rates, and a text of what was created, looked up and removed.

metadata_accesses <- c("create", "stat", "read", "rename", "remove", "find")

metadata_of <- function(records) {
  records[!is.na(item) & !is.na(ops_s)]
}

# Files and directories differ in kind; a search walks over names, wherever they are.
kind_words <- function(access, item) {
  ifelse(access == "find", "search", ifelse(item == "file", "files", "directories"))
}

# The shape of what was worked on; for a search it is in the label, which has more of it than there are columns.
shape_words <- function(records) {
  place <- in_words(records$directories, c(own = "own directory", shared = "shared directory"))
  size <- ifelse(records$xfer_bytes > 0, bytes_words(records$xfer_bytes), "empty")
  size <- ifelse(records$item == "file" & !is.na(records$xfer_bytes), size, NA)
  words <- ifelse(is.na(size), place, ifelse(is.na(place), size, paste(place, size, sep = ", ")))
  ifelse(records$access == "find" & !is.na(records$label), search_words(records$label), words)
}

# A label begins with target, stack and the like, up to the number of files.
search_words <- function(labels) sub("^.*?(?=[0-9]+ files )", "", labels, perl = TRUE)

metadata_columns <- c("target", "kind", "access", "shape", "api", "nn", "ppn")

metadata_points <- function(records) {
  records <- metadata_of(records)
  records[, `:=`(kind = kind_words(access, item), shape = shape_words(records))]
  records <- add_variant(records, metadata_columns)
  by <- c(metadata_columns, "variant")
  points <- summarise_records(records, above_zero(records$ops_s), by, "op/s")
  used <- records[verdict %in% usable_verdicts]
  used[, `:=`(p50 = load_metric("p50")$value(used), p99 = load_metric("p99")$value(used))]
  tails <- used[, .(p50_us = stats::median(p50), p99_us = stats::median(p99)), by = by]
  points <- tails[points, on = by]
  points[order(by_size(target), by_size(variant), kind, by_size(shape), api, nn, ppn,
    match(access, metadata_accesses))]
}
