# What the memory of the servers holds, they need not read from their devices.
advise <- function(evidence) {
  on_servers <- network_targets(evidence$facts)
  reads <- evidence$records[emulated == FALSE & access == "read" & verdict %in% c(usable_verdicts, "DEGRADED") &
    # Unless their devices were seen to give the bytes.
    is.na(item) & target %in% on_servers & !proof %in% "devices"]
  only_if(nrow(reads) > 0)
  memory <- known_of_targets(evidence$facts, "server_memory_bytes")
  cached <- data.table::copy(reads)[, from_memory := has_finding(reads, "not-from-server-devices")]
  found <- cached[, .(largest = suppressWarnings(max(file_bytes, na.rm = TRUE)), from_memory = sum(from_memory),
    count = .N), by = target]
  found[, memory := memory$known[match(target, memory$target)]]
  each_row(found[from_memory > 0 | (is.finite(largest) & largest < memory)], function(one) {
    advice(
      sprintf("Reads on %s may be those of the servers' memory.", one$target),
      if (one$from_memory > 0) {
        sprintf("%s of %s came from the caches of the servers.", thousands(one$from_memory),
          counted(one$count, "read"))
      } else {
        sprintf("The largest file (%s) is %s %% of their memory (%s).", bytes_words(one$largest),
          whole_percent(one$largest / one$memory), bytes_words(one$memory))
      },
      "Drop the caches of the servers before each read (drop_server_caches of the target), or read larger files.", 0.7
    )
  })
}
