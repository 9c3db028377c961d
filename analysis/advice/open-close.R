# Where opening and closing take most of the time, the metadata decides and not the bandwidth.
advise <- function(evidence) {
  records <- evidence$records[emulated == FALSE & verdict %in% usable_verdicts & access %in% c("write", "read") &
    total_s > 0 & is.finite(open_s + close_s)]
  only_if(nrow(records) > 0)
  of_cell <- records[, .(share = stats::median((open_s + close_s) / total_s), shared = all(layout %in% "shared")),
    by = .(target, access, cell)]
  found <- of_cell[, .(share = max(share), many = sum(share > 0.3), cells = .N, shared = all(shared[share > 0.3])),
    by = .(target, access)]
  each_row(found[many > 0], function(one) {
    # There is no fewer than one file for all ranks.
    title <- if (one$shared) "Move more in %ss on %s each time the file is open." else "Open fewer files for %ss on %s."
    action <- if (one$shared) "Keep the file open and move more" else "Keep files open and put more into each"
    advice(
      sprintf(title, one$access, one$target),
      sprintf("Opening and closing take up to %s %% of the time (more than 30 %% in %d of %s).",
        whole_percent(min(1, one$share)), one$many, counted(one$cells, "setting")),
      paste0(action, "; on a parallel file system look at the load of its metadata servers."),
      log(1 / (1 - min(one$share, 0.95))) / 4
    )
  })
}
