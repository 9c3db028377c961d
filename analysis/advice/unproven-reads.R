# A read that nobody saw coming from the storage may have come from a cache.
advise <- function(evidence) {
  reads <- evidence$records[emulated == FALSE & access == "read"]
  unproven <- reads[verdict == "UNPROVEN"]
  if (nrow(reads) == 0 || nrow(unproven) < 0.2 * nrow(reads)) {
    return(list())
  }
  list(advice(
    "Prove the reads before they are quoted.",
    sprintf("%d of %d reads have no evidence that their bytes came from the storage.", nrow(unproven), nrow(reads)),
    "Measure with weir-io (drop_caches: true), with O_DIRECT, or with files larger than the memory.", 0.8
  ))
}
