# More stripes help large shared files, few stripes help many small ones.
advise <- function(evidence) {
  effects <- effects_that_matter(evidence, "stripe_count")
  measured <- each_row(effects[abs(log(ratio)) > log(1.1)], function(effect) {
    better <- if (effect$ratio > 1) effect$setting else effect$instead_of
    advice(
      sprintf("Set %s for %ss on %s.", better, effect$access, effect$target),
      sprintf("%s instead of %s give %s.", effect$setting, effect$instead_of, effect_words(effect)),
      "lfs setstripe -c on the directory, before the files are made.", abs(log(effect$ratio)), effect$difference
    )
  })
  c(measured, never_varied(evidence))
}

# Targets whose shared files had one stripe in all runs.
never_varied <- function(evidence) {
  records <- evidence$records
  shared <- records[emulated == FALSE & access == "write" & layout %in% "shared" & stripe_count > 0 &
    verdict %in% usable_verdicts]
  if (nrow(shared) == 0) {
    return(list())
  }
  found <- shared[, .(most = max(stripe_count), ranks = max(tasks_of(.SD)), count = .N), by = target]
  each_row(found[most == 1 & ranks > 1], function(one) {
    advice(
      sprintf("Measure more than one stripe on %s.", one$target),
      sprintf("%s of shared files with up to %d processes used one stripe each.",
        counted(one$count, "write"), one$ranks),
      "Add stripe_count: [1, 4] to the suite, or lfs setstripe -c -1 on the directory.", 0.4
    )
  })
}
