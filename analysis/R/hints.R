# What MPI-IO hints change: the bandwidth with hints over that without, round by round.

# The hints at the end of a label, such as "romio_cb_read=disable romio_cb_write=disable"; empty without any.
hints_of_labels <- function(labels) {
  found <- regmatches(labels, gregexpr("[a-z][a-z0-9_]*=[^ ]+", labels))
  vapply(found, function(pairs) paste(sort(pairs), collapse = ", "), "")
}

# One row for each target, access, size of transfers and set of hints: the factor with a t interval over the rounds.
hint_effects <- function(records) {
  records <- transfers_of(records)[experiment %in% "hints" & verdict %in% usable_verdicts]
  records <- records[!is.na(bw_mib_s) & bw_mib_s > 0]
  records <- round_names(records)[, hints := hints_of_labels(label)]
  runs <- records[, .(mib_s = stats::median(bw_mib_s), unproven = any(verdict == "UNPROVEN")),
    by = .(target, stack, emulated, access, nn, ppn, xfer_bytes, hints, round)]
  plain <- runs[hints == "", .(target, stack, access, nn, ppn, xfer_bytes, round, plain_mib_s = mib_s,
    plain_unproven = unproven)]
  pairs <- merge(runs[hints != ""], plain, by = c("target", "stack", "access", "nn", "ppn", "xfer_bytes", "round"))
  effects <- pairs[, c(
    list(mib_s = stats::median(mib_s), plain_mib_s = stats::median(plain_mib_s)),
    lapply(mean_interval(log(mib_s / plain_mib_s))[c("mean", "lo", "hi")], exp),
    list(n = .N, verdict = point_verdict(TRUE, FALSE, sum(unproven | plain_unproven)))
  ), by = .(target, stack, emulated, access, nn, ppn, xfer_bytes, hints)]
  name_apart(effects)
}
