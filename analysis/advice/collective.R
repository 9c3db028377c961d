# Two-phase I/O helps small pieces and costs large ones.
function(evidence) {
  effects <- effects_that_matter(evidence, "collective")
  each_row(effects[abs(log(ratio)) > log(1.1)], function(effect) {
    faster <- effect$ratio > 1
    advice(
      sprintf("Turn collective calls %s for %ss on %s.", if (faster) "on" else "off", effect$access, effect$target),
      sprintf("They give %s.", effect_words(effect)),
        "Set romio_cb_write and romio_cb_read, or the call that the library offers.",
      abs(log(effect$ratio))
    )
  })
}
