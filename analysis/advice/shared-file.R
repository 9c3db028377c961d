# Locks of a shared file serialise writers.
advise <- function(evidence) {
  effects <- effects_that_matter(evidence, "layout")
  each_row(effects[setting == "file per process" & ratio > 1.1], function(effect) {
    advice(
      sprintf("Prefer a file per process for %ss on %s.", effect$access, effect$target),
      sprintf("It is %s of a shared file.", effect_words(effect)),
      if (effect$target %in% targets_of_kind(evidence$facts, "parallel")) {
        "Try more stripes for the shared file before the program is changed."
      } else {
        "Where so many files are a burden, let groups of processes share one."
      }, log(effect$ratio), effect$difference
    )
  })
}
