# More stripes help large shared files, few stripes help many small ones.
advise <- function(evidence) {
  effects <- effects_that_matter(evidence, "stripe_count")
  each_row(effects[abs(log(ratio)) > log(1.1)], function(effect) {
    better <- if (effect$ratio > 1) effect$setting else effect$instead_of
    advice(
      sprintf("Set %s for %ss on %s.", better, effect$access, effect$target),
      sprintf("%s instead of %s give %s.", effect$setting, effect$instead_of, effect_words(effect)),
      "lfs setstripe -c on the directory, before the files are made.", abs(log(effect$ratio)), effect$difference
    )
  })
}
