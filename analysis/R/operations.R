# What a cell of single operations did, from its label; a figure and a table need it.

cache_states <- c("discarded", "cached", "not cached")

# The label of a cell has the values that differ from the defaults.
operation_kinds <- function(labels) {
  word <- function(pattern, otherwise) {
    found <- regmatches(labels, regexec(paste0(" (", pattern, ")( |$)"), labels))
    vapply(found, function(match) if (length(match) > 1) match[2] else otherwise, "")
  }
  data.table::data.table(
    locality = word("off0|seq|rnd|reverse[0-9]*", "seq"), memory = word("memory-rnd", "off0"),
    cached = word("cached|uncached|discarded", "untouched")
  )
}

# Settings that a label has and no column: hints, and the offsets and the cache of single operations. Cells that
# differ in them are no pair; whether offsets are random has a column.
options_of_labels <- function(labels) {
  known <- unique(labels)
  kinds <- operation_kinds(known)
  kinds[locality == "rnd", locality := "seq"]
  words <- paste(kinds$locality, kinds$memory, kinds$cached, hints_of_labels(known))
  words[match(labels, known)]
}

# The same as text, empty for the usual ones.
option_words <- function(labels) {
  known <- unique(labels)
  kinds <- operation_kinds(known)
  hints <- gsub("romio_", "", gsub(", ", " ", hints_of_labels(known), fixed = TRUE), fixed = TRUE)
  joined_words(list(
    in_words(kinds$locality, c(off0 = "one offset", rnd = "", seq = "")),
    ifelse(kinds$memory == "memory-rnd", "random buffers", ""),
    in_words(kinds$cached, c(uncached = "not cached", untouched = "")), hints
  ))[match(labels, known)]
}
