# How much of the links of the clients was reached: what limits, and whether more clients or more processes would help.
advise <- function(evidence) {
  links <- known_of_targets(evidence$facts, "links_mbit_s")
  points <- evidence$points
  # Logs may not tell their nodes or processes.
  points <- points[emulated == FALSE & verdict %in% usable_verdicts & of_storage(points) & target %in% links$target &
    !is.na(nn) & !is.na(ppn)]
  only_if(nrow(points) > 0)
  points[, share := median / (nn * links$known[match(target, links$target)] * 1e6 / 8 / mib)]
  # One client per node; the best of each number of them.
  found <- points[order(-share), .(share = share[1], mib_s = median[1], nodes = nn[1], most = max(nn),
    processes = max(ppn)), by = .(target, access)]
  each_row(found, function(one) {
    full <- one$share >= full_link
    advice(
      sprintf(if (full) {
        "The links limit %ss on %s."
      } else if (one$share >= 0.5) {
        "The links are more than half used by %ss on %s."
      } else {
        "The links do not limit %ss on %s."
      }, one$access, one$target),
      sprintf("%s MiB/s are %s %% of what the links of %s carry.", rate_words(one$mib_s), whole_percent(one$share),
        counted(one$nodes, "client")),
      if (full) {
        sprintf("Measure with more than %s before the servers are judged.", counted(one$most, "client"))
      } else if (one$most == 1) {
        sprintf("Measure with several clients, or with more than %s each.", counted(one$processes, "process",
          "processes"))
      } else {
        "Look at the servers, their devices and their load."
      },
      log(1 / max(1 - one$share, 0.05)) / 4, general = !full && one$most > 1
    )
  })
}

full_link <- 0.85
