# Sentences of reports/measurement that depend on the study: what was measured, how, and with what reservations.

report_sentences <- function(switches) {
  list(
    MeasuredText = measured_text(switches), BandwidthText = bandwidth_text(switches),
    RepetitionText = repetition_text(switches), LimitsText = limits_text(switches),
    ResultsText = results_text(switches), ClaimsText = claims_text(switches),
    ReservationsText = reservations_text(switches)
  )
}

if_so <- function(condition, ...) if (condition) paste(...)

measured_text <- function(is) {
  if (is[["archived"]]) {
    return(paste(c("\\Questions{} These \\Records{} records are third-party measurements",
      if_so(is[["programknown"]], "with \\Programs"), "\\unskip.",
      "\\refpartstart{table}{machine}{has what their source reports about the machine.} What is not printed there",
      "or in a table is unknown. They cover", space_text(is)), collapse = " "))
  }
  paste(c(
    "\\Questions{} This report answers for the storage of the site \\SiteName: \\Targets, measured on",
      "\\MeasuredOn.",
    "Table~\\ref{tab:machine} shows machines, storage and software as the measurement found them. The plan covers",
    space_text(is), "These are \\Cells{} with \\PlannedExecutions; \\FinishedExecutions{} finished",
    if_so(is[["failed"]], "(\\FailedExecutions{} with an error)"), "\\unskip.",
    if_so(is[["beyondplan"]], "Those beyond the plan are added rounds, or rounds of cells that another study of the",
      "site measured more often; all of them count."),
    if_so(is[["unfinished"]], "The rest has not run."),
    if_so(is[["crosschecked"]], "\\CrossCheck{}"),
    if (is[["excluded"]]) {
      "There is no record of \\ExcludedCells{}; Table~\\ref{tab:excluded} gives the reasons."
    } else {
      "The plan excludes no cell."
    }
  ), collapse = " ")
}

# What the records span, as far as they tell.
space_text <- function(is) {
  shape <- c(
    if_so(is[["nodesknown"]], "\\NodeCounts{} \\NodeWord{}"),
    if_so(is[["processesknown"]], "\\ProcessCounts{} \\ProcessWord{} per node")
  )
  paste0(paste(c(
    "\\Interfaces", "\\Accesses", if_so(is[["orderknown"]], "\\Orders{} order"),
    if_so(is[["transfersknown"]], "transfers of \\TransferSizes"),
    if (length(shape) > 0) paste(shape, collapse = " and ")
  ), collapse = ", "), ".")
}

bandwidth_text <- function(is) {
  # What a source printed without its times may divide by any of them.
  printed <- is[["archived"]] && !is[["gainknown"]]
  paste(c(
    if (is[["usable"]] && printed) {
      "\\paragraph{Bandwidth} is the value that the source printed, which does not report the time behind it."
    } else if (is[["usable"]]) {
      paste("\\paragraph{Bandwidth} is the bytes moved over the time from the start of the first open to the end of",
        "the last close, over all processes.")
    },
    if_so(is[["gainknown"]], "The time of the transfers alone gives \\DefinitionGain{} in the median record,",
      "a factor of \\DefinitionGainMost{} in one."),
    if_so(is[["usable"]] && is[["synced"]] && !printed, "Writes that synchronised as requested end with it."),
    if (is[["rates"]] && printed) {
      "\\paragraph{Rates} and times are those that the source printed; a rate may refer to another time."
    } else if (is[["rates"]]) {
      "\\paragraph{Rates} are the operations of all processes over the time from the first start to the last end."
    }
  ), collapse = " ")
}

repetition_text <- function(is) {
  order <- if (is[["archived"]]) {
    "The order of the runs is unknown."
  } else {
    "The cells of a batch ran in a random order, drawn anew for each round (seeds: \\Seeds)."
  }
  if (is[["singleruns"]]) {
    return(paste(order, "A point is one run, or the median of its iterations; one run has no interval."))
  }
  paste(c(
    order,
    if_so(is[["usable"]], "A point is the median of n = \\RepetitionsOfPoint{} runs; the iterations of a run are one",
      "value."),
    if (is[["intervals"]]) {
      paste("Intervals of medians are order-statistic intervals~\\cite{benchmarking} at a level of",
        "\\IntervalLevel, widened for the autocorrelation of consecutive runs. They need",
        "\\FewestForInterval{} runs; of fewer the runs are drawn. On a year of data from six production file systems,",
        "nominal 95\\,\\% intervals covered the median in \\AttainedLevel{} of cases.")
    } else {
      paste("With fewer than \\FewestForInterval{} runs a median has no interval that covers it with 95\\,\\%: the",
        "runs are drawn.")
    },
    if_so(is[["usable"]], "A comparison takes the ratio within each round and gives a t interval over the rounds;",
      "over a table false discoveries are held at 5\\,\\%~\\cite{fdr}.")
  ), collapse = " ")
}

limits_text <- function(is) {
  if (is[["archived"]]) {
    return(paste("The audit has only what the logs printed. It cannot detect other users of the storage, the state",
      "of caches, or options that the program ignored silently."))
  }
  paste(c(
    "Absolute numbers are those of this machine at this time.",
    if (is[["inturns"]] %in% TRUE) {
      "The rounds of different targets, and of different numbers of nodes and processes, were measured in turns."
    } else if (is[["inturns"]] %in% FALSE) {
      paste("Targets, and numbers of nodes and processes, were measured one after the other, so that a comparison",
        "between them can include a change of load.")
    },
    if_so(is[["usable"]] && is[["sizesknown"]], "The largest files had \\LargestFile, the smallest machine",
      "\\Memory{} of memory: a much smaller file may be read from the page cache."),
    "The results cannot be extrapolated to more nodes."
  ), collapse = " ")
}

results_text <- function(is) {
  if (is[["usable"]]) "\\Repeated{} Shown are \\mentionsresults." else "\\BestAtLength{}"
}

claims_text <- function(is) {
  if (!is[["claims"]]) {
    return("These records decide none of the claims that the suite names.")
  }
  paste("Of \\Claims{} claims these records reproduce \\ClaimsReproduced{} and contradict \\ClaimsContradicted;",
    "\\ClaimsUndecided{} are undecided\\ClaimsRest. \\refpartstart{table}{claims}{has each of them;} all values",
    "are in tables/claims.csv.")
}

reservations_text <- function(is) {
  reasons <- is[["invalid"]] || is[["degraded"]]
  paste(c(
    if_so(is[["invalid"]], "\\InvalidRecords{} of \\Records{} records are invalid; no number of this report is from",
      "them."),
    if_so(is[["degraded"]], "\\DegradedRecords{} of \\Records{} records are degraded; they are in no median beside",
      "usable ones."),
    if (reasons) "Table~\\ref{tab:reasons} gives the reasons." else "No record is degraded or invalid.",
    if_so(is[["unproven"]], "\\UnprovenRecords{} of \\Records{} records are unproven: no rule has a finding, and some",
      "of the evidence is missing\\MissingEvidence.")
  ), collapse = " ")
}
