# Reads of a cache are as fast as memory, and say nothing about the storage.
advise <- function(evidence) {
  reads <- evidence$records[emulated == FALSE & access == "read" & verdict != "INVALID"]
  on_servers <- network_targets(evidence$facts)
  reads <- data.table::copy(reads)[, remote := target %in% on_servers]
  reads[, cached := has_finding(reads, "read-from-cache") | has_finding(reads, "read-after-write") |
    has_finding(reads, "not-from-servers")]
  found <- reads[, .(cached = sum(cached), count = .N, dropped = all(has_finding(.SD, "not-from-servers")[cached]),
    named = any(has_finding(.SD, "mount-decides")[cached])), by = remote]
  each_row(found[cached >= 0.2 * count & cached > 0][order(remote)], function(one) {
    advice(
      "Do not quote these reads as those of the storage.",
      sprintf("%s of %s came from %s in large part.", thousands(one$cached), counted(one$count, "read"),
        if (one$remote) "caches of the client" else "the page cache"),
      if (!one$remote) {
        "Drop the caches before the read, use O_DIRECT, let another node read, or read more than the memory holds."
      } else if (one$named) {
        "Turn off the cache of the client that the note mount-decides names, or let another node read."
      } else if (one$dropped) {
        "Turn off the cache that the client program has beside the page cache, or let another node read."
      } else {
        "Drop the caches before the read, or let another node read."
      },
      0.9
    )
  })
}
