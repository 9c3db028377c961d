# What a layer above POSIX costs, where it costs something.
function(evidence) {
  effects <- effects_that_matter(evidence, "api")
  each_row(effects[ratio < 0.9], function(effect) {
    advice(
      sprintf("%s costs bandwidth for %ss on %s.", effect$setting, effect$access, effect$target),
      sprintf("It reaches %s of %s.", effect_words(effect), effect$instead_of),
      "Look at its hints (collective buffering, data sieving), and at larger transfers.", -log(effect$ratio)
    )
  })
}
