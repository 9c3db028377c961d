# A job waits for its slowest operation.
function(evidence) {
  records <- evidence$records[emulated == FALSE & verdict %in% usable_verdicts & is.finite(lat_p99_us) &
    lat_p50_us > 0 & ops >= 1000]
  if (nrow(records) == 0) {
    return(list())
  }
  found <- records[, .(ratio = stats::median(lat_p99_us / lat_p50_us), p99 = stats::median(lat_p99_us)),
    by = .(target, access)]
  each_row(found[ratio > 10], function(one) {
    advice(
      sprintf("Some %ss on %s take far longer than usual.", one$access, one$target),
      sprintf("The 99th percentile is %s, %.0f times the median operation (medians over all settings).",
        duration_words(one$p99), one$ratio),
      "Look for other load, for writeback, and for one slow device; a synchronous program waits for the slowest rank.",
      log(one$ratio) / 8
    )
  })
}
