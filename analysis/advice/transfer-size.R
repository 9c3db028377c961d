# Small transfers pay the overhead of the interface again and again.
advise <- function(evidence) {
  effects <- effects_that_matter(evidence, "xfer_bytes")[order(-ratio)]
  # Once for each storage and access: pairs of other sizes say the same again.
  each_row(effects[ratio > 1.1 & !duplicated(paste(target, access))], function(effect) {
    advice(
      sprintf("Use large transfers for %ss on %s.", effect$access, effect$target),
      sprintf("%s instead of %s gives %s.", effect$setting, effect$instead_of, effect_words(effect)),
      if (effect$access == "read") {
        "Read more at once and keep it, or let collective buffering or read-ahead do it."
      } else {
        "Collect small writes in a buffer, or let collective buffering do it."
      }, log(effect$ratio), effect$difference, general = TRUE
    )
  })
}
