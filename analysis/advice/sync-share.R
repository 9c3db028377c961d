# Where most of a write is the synchronisation, its bandwidth is the rate at which the device empties a cache.
advise <- function(evidence) {
  points <- evidence$points
  found <- points[emulated == FALSE & access == "write" & sync_share > 0.5 & n > 0,
    .(share = stats::median(sync_share), count = .N), by = target]
  # Who measured with fsync alone follows the advice already.
  records <- evidence$records
  without <- records$target[records$access == "write" & records$sync %in% FALSE]
  each_row(found[target %in% without], function(one) {
    advice(
      sprintf("Writes on %s wait for fsync.", one$target),
      sprintf("%s %% of the time of a write is the synchronisation at its end (median of %s).",
        whole_percent(one$share), counted(one$count, "setting")),
      "Quote bandwidth with fsync only; applications that never call fsync see the speed of the page cache.",
        log(1 / (1 - min(one$share, 0.95))) / 4, general = TRUE
    )
  })
}
