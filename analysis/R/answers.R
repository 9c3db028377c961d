# Opening sentences of the report of a study: its question, answered by its records; empty without records.

study_answers <- function(records, inputs) {
  list(
    AnswerDefaults = default_answer(records, inputs),
    AnswerPrintedDefaults = printed_default_answer(records, inputs),
    AnswerIoFiveHundred = io500_answer(records, inputs),
    AnswerLayers = layers_answer(records, inputs),
    AnswerPrediction = prediction_answer(records, inputs)
  )
}

# The setting with the highest harmonic mean over writes, reads and numbers of nodes: it must not fail for any of them.
default_answer <- function(records, inputs) {
  shares <- shares_of_best(records)
  if (nrow(shares) == 0) {
    return("")
  }
  shares <- if (all(shares$emulated)) shares else shares[emulated == FALSE]
  together <- shares[, .(share = 1 / mean(1 / harmonic)), by = c("target", "emulated", "api", default_settings)]
  best <- together[order(emulated, target, api, -share), .SD[1], by = .(target, emulated, api)]
  worst <- together[, .(worst = min(share)), by = .(target, api)]
  best <- worst[best, on = c("target", "api")]
  words <- best[, sprintf(
    "on %s %s%s by %s (%s, the worst %s)",
    latex_name(mark_name(target, emulated)), counted(ppn, "process per node", "processes per node"),
    ifelse(stripe_count %in% c(0, NA), "", paste(" and", counted(stripe_count, "stripe"))),
    latex_name(api_words(api)), percent_words(share), percent_words(worst)
  )]
  sprintf(paste(
    "The best default for writes and reads together, with its share of the best setting of each (harmonic mean):",
    "%s."
  ), paste(words, collapse = "; "))
}

printed_default_answer <- function(records, inputs) {
  printed <- printed_defaults(records, inputs)
  if (nrow(printed) == 0) {
    return("")
  }
  wide <- data.table::dcast(printed, stripes + ppn ~ access, value.var = "harmonic")
  best <- wide[order(-(2 / (1 / read + 1 / write)))][1]
  worst <- wide[order(2 / (1 / read + 1 / write))][1]
  sprintf(
    paste(
      "By the table of the talk, the default for writes and reads together is %s and %s: harmonic means of",
      "%g\\,\\%% (reads) and %g\\,\\%% (writes) of the best; with %s and %s it is %g\\,\\%% and %g\\,\\%%."
    ),
    counted(best$stripes, "stripe"), counted(best$ppn, "process per node", "processes per node"), best$read,
    best$write,
    counted(worst$stripes, "stripe"), counted(worst$ppn, "process per node", "processes per node"), worst$read,
    worst$write
  )
}
