# Opening sentences of the report of a study: its question, answered by its records; empty without records.

study_answers <- function(records, inputs) {
  answers <- list(
    AnswerDefaults = default_answer, AnswerPrintedDefaults = printed_default_answer,
    AnswerIoFiveHundred = io500_answer, AnswerLayers = layers_answer, AnswerPrediction = prediction_answer
  )
  lapply(answers, function(answer) or_nothing(answer, "")(records, inputs))
}

# The setting with the highest harmonic mean over writes, reads and numbers of nodes: it must not fail for any of them.
default_answer <- function(records, inputs) {
  shares <- shares_of_best(records)
  only_if(nrow(shares) > 0)
  together <- of_both_accesses(real_storage(shares), c("target", "emulated", "api", default_settings))
  only_if(nrow(together) > 0)
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
  only_if(nrow(printed) > 0)
  by_harmonic <- printed_settings(printed, "harmonic")
  by_arithmetic <- printed_settings(printed, "arithmetic")
  paste0(
    "By the harmonic means in the table of the talk, which are in per cent of the best, the default for writes and ",
    "reads together is ", setting_words(by_harmonic[1]), ", and the worst setting ", setting_words(by_harmonic[.N]),
    "; by its arithmetic means the default is ", setting_words(by_arithmetic[1]), "."
  )
}

# The settings of the table, the best for writes and reads together first.
printed_settings <- function(printed, column) {
  wide <- data.table::dcast(printed, stripes + ppn ~ access, value.var = column)
  wide[of_both_accesses(printed, c("stripes", "ppn"), column), on = c("stripes", "ppn")]
}

setting_words <- function(setting) {
  sprintf("%s and %s (%g\\,\\%% for reads, %g\\,\\%% for writes)", counted(setting$stripes, "stripe"),
    counted(setting$ppn, "process per node", "processes per node"), setting$read, setting$write)
}
