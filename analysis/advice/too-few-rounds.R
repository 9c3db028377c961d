# Effects that are large and not sure want more rounds, not an opinion.
advise <- function(evidence) {
  only_if(nrow(evidence$effects) > 0)
  open <- evidence$effects[emulated == FALSE & clear == FALSE & abs(log(ratio)) > log(1.2)]
  only_if(nrow(open) > 0)
  one <- open[order(is_too_wide(lo, hi), -abs(log(ratio)))][1]
  list(advice(
    "Measure more rounds before tuning.",
    sprintf(
      if (nrow(open) == 1) {
        "One large effect is not sure: %s."
      } else {
        paste(nrow(open), "large effects are not sure, such as %s.")
      },
      sprintf("%s for %ss on %s (%s)", one$setting, one$access, one$target, effect_words(one))
    ),
    if (is.null(evidence$facts$about)) {
      "Raise `rounds` in the suite and run again: finished rounds are kept."
    } else {
      "Repeat the same runs, in a random order."
    }, 0.3
  ))
}
