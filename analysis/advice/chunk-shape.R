# Chunks that do not match the access make it touch more than it asks for.
advise <- function(evidence) {
  effects <- effects_that_matter(evidence, "chunking")
  each_row(effects[abs(log(ratio)) > log(1.1)], function(effect) {
    faster <- effect$ratio > 1
    better <- if (faster) effect$setting else effect$instead_of
    advice(
      sprintf("Store variables %s for %ss on %s.", better, effect$access, effect$target),
      sprintf("%s instead of %s gives %s.", effect$setting, effect$instead_of, effect_words(effect)),
      "The layout is fixed when a variable is defined (nc_def_var_chunking): make a chunk what one call accesses.",
      abs(log(effect$ratio)), effect$difference
    )
  })
}
