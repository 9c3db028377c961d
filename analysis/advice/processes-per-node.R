# One process seldom fills a client.
advise <- function(evidence) {
  effects <- effects_that_matter(evidence, "ppn")
  each_row(effects[ratio > 1.2], function(effect) {
    advice(
      sprintf("Use more processes per node for %ss on %s.", effect$access, effect$target),
      sprintf("%s instead of %s give %s.", effect$setting, effect$instead_of, effect_words(effect)),
      "Let every process do its own I/O, or use more aggregators.", log(effect$ratio), effect$difference
    )
  })
}
