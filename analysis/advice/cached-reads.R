# Reads of a cache are as fast as memory, and say nothing about the storage.
advise <- function(evidence) {
  reads <- evidence$records[emulated == FALSE & access == "read" & verdict != "INVALID"]
  if (nrow(reads) == 0) {
    return(list())
  }
  cached <- sum(has_finding(reads, "read-from-cache") | has_finding(reads, "read-after-write"))
  if (cached < 0.2 * nrow(reads)) {
    return(list())
  }
  list(advice(
    "Do not quote these reads as those of the storage.",
    sprintf("%s of %s came from the page cache in large part.", thousands(cached), counted(nrow(reads), "read")),
    "Drop the caches before the read, use O_DIRECT, let another node read, or read more than the memory holds.",
    0.9
  ))
}
