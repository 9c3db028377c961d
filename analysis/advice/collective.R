# Two-phase I/O helps small pieces and costs large ones.
advise <- function(evidence) {
  effects <- effects_that_matter(evidence, "collective")
  each_row(effects[abs(log(ratio)) > log(1.1)], function(effect) {
    faster <- effect$ratio > 1
    advice(
      sprintf("Turn collective calls %s for %ss on %s.", if (faster) "on" else "off", effect$access, effect$target),
      sprintf("With them it is %s of the bandwidth without.",
        if (faster) effect_words(effect) else share_words(effect)),
      sprintf("Set the hint `romio_cb_%s` to `%s`, or use the %s calls of the library.", effect$access,
        if (faster) "enable" else "disable", if (faster) "collective" else "independent"),
      abs(log(effect$ratio)), effect$difference
    )
  })
}
