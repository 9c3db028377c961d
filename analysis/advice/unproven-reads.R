# A read that nobody saw coming from the storage may have come from a cache.
advise <- function(evidence) {
  reads <- evidence$records[emulated == FALSE & access == "read"]
  unproven <- reads[verdict == "UNPROVEN"]
  only_if(nrow(reads) > 0 && nrow(unproven) >= 0.2 * nrow(reads))
  remote <- mean(unproven$target %in% network_targets(evidence$facts)) > 0.5
  counting <- all(unproven$program %in% "weir-io")
  # What was measured so already needs something else.
  ways <- c(
    if (!counting) "Measure with weir-io (drop_caches: true)",
    if (remote) "name the servers in the target (server_addresses) or run as root, so that their bytes are counted",
    if (!remote && !all(unproven$direct %in% TRUE)) "read with O_DIRECT",
    if (!remote) "read files larger than the memory"
  )
  list(advice(
    "Prove the reads before they are quoted.",
    sprintf("%d of %d reads have no evidence that their bytes came from the storage.", nrow(unproven), nrow(reads)),
    paste0(capitalised(paste(ways, collapse = ", or ")), "."), 0.8
  ))
}
