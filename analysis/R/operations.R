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
