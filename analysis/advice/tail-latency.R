# A job waits for its slowest operation. In sequential order the slow operations are those that read-ahead and writeback
# let wait, and most others end in memory: no sign of trouble.
advise <- function(evidence) {
  records <- evidence$records[emulated == FALSE & verdict %in% usable_verdicts & is.finite(lat_p99_us) &
    lat_p50_us > 0 & ops >= 1000 & (order %in% "random" | !is.na(item))]
  found <- records[, .(ratio = stats::median(lat_p99_us / lat_p50_us), p99 = stats::median(lat_p99_us)),
    by = .(target, access, files = !is.na(item))]
  each_row(found[ratio > 10 & p99 >= 1000], function(one) {
    advice(
      sprintf("Some %ss on %s take far longer than usual.", one$access, one$target),
      sprintf("The 99th percentile of %s is %s, %.0f times the median (medians over the settings).",
        if (one$files) "operations on files" else "random operations", duration_words(one$p99), one$ratio),
      "Look for other load, for writeback, and for one slow device; a synchronous program waits for the slowest rank.",
      log(one$ratio) / 8, general = TRUE
    )
  })
}
