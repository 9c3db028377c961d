# Random offsets defeat read-ahead and the elevator.
advise <- function(evidence) {
  effects <- effects_that_matter(evidence, "order")
  each_row(effects[setting == "random" & ratio < 0.9], function(effect) {
    advice(
      sprintf("Avoid random %ss on %s.", effect$access, effect$target),
      sprintf("Random offsets reach %s of the bandwidth of sequential ones.", share_words(effect)),
      "Sort the accesses, or use larger transfers where the order cannot be changed.", -log(effect$ratio),
      effect$difference, general = TRUE
    )
  })
}
