# numbers.tex: every number and every name that a report's prose uses, as a LaTeX command, and switches for what is
# there and what is not. Rounding, units and escaping happen here and nowhere else.

make_numbers <- function(records, facts, inputs = list()) {
  points <- bandwidth_points(records)
  bulk <- bandwidth_points(rates_of_storage(records))
  decided <- decided_claims(records, inputs)
  switches <- number_switches(records, facts, points, decided)
  list(
    commands = c(
      count_numbers(records), space_numbers(records),
      best_numbers(bulk, metadata_points(records)), definition_numbers(records),
      list(
        ClearEffects = clear_effects(effects_of_settings(records)),
        Repeated = repeated_points(experiment_ratios(records))
      ),
      repetition_numbers(points), claim_numbers(decided), authors_numbers(inputs$published),
      study_answers(records, inputs),
      if (is.null(facts$about)) study_numbers(facts) else archive_numbers(facts),
      opening_numbers(records, facts), report_sentences(switches)
    ),
    named = c(named_numbers(records, points), named_claims(decided)),
    switches = switches
  )
}

number_switches <- function(records, facts, points, decided) {
  known <- function(column) any(!is.na(records[[column]]))
  c(
    onlyemulated = nrow(records) > 0 && all(records$emulated),
    emulated = any(records$emulated) || any(vapply(facts$targets, function(it) isTRUE(it$emulated), logical(1))),
    archived = !is.null(facts$about),
    usable = nrow(points) > 0 && any(points$n > 0),
    gainknown = length(definition_gains(records)) > 0,
    programknown = known("program"), orderknown = known("order"), transfersknown = known("xfer_bytes"),
    sizesknown = any(is.finite(known_file_bytes(transfers_of(records)))) && !is.null(memory_of(facts)),
    nodesknown = known("nn"), processesknown = known("ppn"),
    rates = nrow(metadata_of(records)) > 0,
    claims = any(decided$verdict != outcomes[4]),
    claimsemulated = any(decided[evidence == "these records" & verdict %in% outcomes[1:2]]$emulated),
    claimswanted = length(wanted_claims(facts)) > 0,
    allvalid = nrow(records) > 0 && all(records$verdict == "VALID"),
    unproven = any(records$verdict == "UNPROVEN"),
    degraded = any(records$verdict == "DEGRADED"),
    invalid = any(records$verdict == "INVALID"),
    intervals = nrow(points) > 0 && any(points$n >= fewest_for_interval),
    singleruns = nrow(points) > 0 && are_single(points$n[points$n > 0]),
    synced = any(records$sync & records$access == "write", na.rm = TRUE),
    inturns = batches_in_turns(records),
    failed = count_of(facts$failed_executions) > 0,
    unfinished = count_of(facts$finished_executions) < count_of(facts$executions),
    beyondplan = count_of(facts$finished_executions) > count_of(facts$executions),
    excluded = count_of(facts$excluded_points) > 0,
    crosschecked = length(facts$cross_check) > 0
  )
}

write_numbers <- function(numbers, path) {
  dir.create(dirname(path), showWarnings = FALSE, recursive = TRUE)
  commands <- vapply(numbers$commands, function(value) {
    paste(ifelse(is.na(value), unknown_in_print, value), collapse = " ")
  }, "")
  # A report asks for names of letters, digits and hyphens; what a table holds beside them may be a command.
  named <- numbers$named[grepl("^[A-Za-z0-9-]+$", names(numbers$named)) & !duplicated(names(numbers$named))]
  named[is.na(named)] <- unknown_in_print
  is_on <- numbers$switches %in% TRUE # what is not known is off
  switches <- names(numbers$switches)
  write_latex(c(
    "% Made from records.csv and facts.json by `draw.R numbers`.",
    sprintf("\\newcommand{\\%s}{%s}", names(commands), commands),
    sprintf("\\expandafter\\newcommand\\csname %s\\endcsname{%s}", names(named), named),
    sprintf("\\newif\\if%s\\%s%s", switches, switches, ifelse(is_on, "true", "false"))
  ), path)
}

mib_s <- function(rate) paste0(rate_words(rate), "~MiB/s")

count_numbers <- function(records) {
  list(
    Records = thousands(nrow(records)),
    ValidRecords = thousands(sum(records$verdict == "VALID")),
    UnprovenRecords = thousands(sum(records$verdict == "UNPROVEN")),
    MissingEvidence = missing_evidence(records[verdict == "UNPROVEN"]),
    DegradedRecords = thousands(sum(records$verdict == "DEGRADED")),
    InvalidRecords = thousands(sum(records$verdict == "INVALID")),
    RecordedCells = thousands(data.table::uniqueN(records$cell, na.rm = TRUE))
  )
}

# ": that the program came to its end (10), that ... (5)", the commonest first; empty where no record names any.
missing_evidence <- function(records) {
  absent <- sort(table(unlist(strsplit(as.character(records$missing), ";", fixed = TRUE))), decreasing = TRUE)
  if (length(absent) == 0) {
    return("")
  }
  words <- sprintf("that %s (%s)", vapply(names(absent), meaning_of_evidence, ""), thousands_of(absent))
  paste0(": ", escape_latex(paste(words, collapse = "; ")))
}

# \\recordsof{sync-not-applied} and \\bestof{POSIX}{write}: numbers that a text asks for by name. A name that is not
# there prints its own question mark and a warning.
named_numbers <- function(records, points) {
  rules <- table(unlist(strsplit(records$reasons, ";", fixed = TRUE)))
  best <- if (nrow(points) > 0) points[n > 0][, real_storage(.SD), by = c("api", "access")] else points
  best <- best_points(best, c("api", "access"))
  moved <- transfers_of(records)[!is.na(requested_bytes) & !is.na(moved_bytes)]
  moved <- moved[, .(share = stats::median(moved_bytes / requested_bytes)), by = access]
  c(
    setNames(thousands_of(rules), sprintf("recordsof-%s", names(rules))),
    if (nrow(best) > 0) {
      doubt <- ifelse(best$verdict == "DEGRADED", " (degraded)", "")
      words <- paste0(mark_name(mib_s(best$median), best$emulated), doubt)
      setNames(words, sprintf("bestof-%s-%s", best$api, best$access))
    },
    setNames(percent_words(moved$share), sprintf("movedof-%s", moved$access))
  )
}

thousands_of <- function(counts) vapply(as.vector(counts), thousands, character(1))

# The values that the study spans, as lists.
space_numbers <- function(records) {
  present <- function(column) sort(unique(stats::na.omit(records[[column]])))
  in_usual_order <- function(column, levels) union(intersect(levels, present(column)), present(column))
  list(
    Interfaces = and_list(latex_name(api_words(in_usual_order("api", looks_of("api")$name)))),
    Accesses = and_list(latex_name(paste0(in_usual_order("access", access_levels), "s"))),
    Orders = and_list(latex_name(in_usual_order("order", order_levels))),
    # An operation on a name moves nothing.
    TransferSizes = range_or_list(setdiff(present("xfer_bytes"), 0), bytes_words),
    NodeCounts = range_or_list(present("nn"), thousands),
    NodeWord = if (identical(present("nn"), 1)) "node" else "nodes",
    ProcessCounts = range_or_list(present("ppn"), thousands),
    ProcessWord = if (identical(present("ppn"), 1)) "process" else "processes",
    Programs = and_list(latex_name(programs_of(records))),
    LargestFile = range_or_list(utils::tail(sort(known_file_bytes(transfers_of(records))), 1), function(bytes) {
      bytes_words(signif(bytes, 3))
    })
  )
}

# As found; of records that do not tell, as requested.
known_file_bytes <- function(records) {
  found <- records$file_bytes
  if (any(is.finite(found))) found else records$requested_bytes
}

programs_of <- function(records) {
  unique(records[!is.na(program), trimws(paste(program, data.table::fcoalesce(as.character(tool_version), "")))])
}

range_or_list <- function(values, in_words) {
  if (length(values) == 0) {
    return("unknown")
  }
  words <- gsub(" ", "~", in_words(values), fixed = TRUE)
  if (length(words) <= 6) and_list(words) else paste(words[1], "to", words[length(words)])
}

best_numbers <- function(points, rates) {
  best <- real_storage(best_points(points))
  if (nrow(best) == 0) {
    return(best_rates(rates))
  }
  best[, target_name := latex_name(mark_name(target, emulated))]
  best[, doubt := ifelse(verdict == "DEGRADED", " (degraded)", "")]
  best[, short := sprintf("%s for %ss%s", mib_s(median), latex_name(access), doubt)]
  best[, long := sprintf(
    "%s for %ss%s (%s; $n=%d$%s)", mib_s(median), latex_name(access), doubt, latex_name(describe_points(.SD)), n,
    ifelse(is.na(lo), "", sprintf(", interval %s to %s", rate_words(lo), mib_s(hi)))
  )]
  short <- best[, .(words = sprintf("%s on %s", and_list(short), target_name[1])), by = target]
  long <- best[, .(words = sprintf("On %s: %s.", target_name[1], and_list(long))), by = target]
  items <- paste0("\\item ", long$words, collapse = " ")
  list(
    BestInShort = sprintf("The highest median bandwidths are %s.", paste(short$words, collapse = ", ")),
    BestAtLength = sprintf("The highest medians are: \\begin{itemize} %s \\end{itemize}", items)
  )
}

# The best rates of a study of metadata alone, which has no bandwidth.
best_rates <- function(rates) {
  usable <- real_storage(rates[n > 0])
  if (nrow(usable) == 0) {
    nothing <- "No record can be used, so that there is no bandwidth to report."
    return(list(BestInShort = nothing, BestAtLength = nothing))
  }
  best_of <- function(by) {
    usable_points(usable, by)[order(-median)][, .SD[1], by = by][order(match(access, metadata_accesses))]
  }
  short <- best_of("access")[, sprintf("%s~op/s for %s (%s%s)", rate_words(median), latex_name(access),
    latex_name(mark_name(target, emulated)), ifelse(verdict == "DEGRADED", ", degraded", ""))]
  items <- best_of(c("target", "access"))[order(target), .(
    item = sprintf(
      "\\item On %s: %s.", latex_name(mark_name(target[1], emulated[1])),
      and_list(sprintf("%s~op/s for %s%s", rate_words(median), latex_name(access),
        ifelse(verdict == "DEGRADED", " (degraded)", "")))
    )
  ), by = target]$item
  highest <- "The highest median rates of operations on files and directories are"
  list(
    BestInShort = sprintf("%s %s.", highest, and_list(short)),
    BestAtLength = sprintf("%s: \\begin{itemize} %s \\end{itemize}", highest, paste(items, collapse = " "))
  )
}

# Settings that make a difference beyond doubt, the strongest first.
clear_effects <- function(effects, most = 3) {
  if (nrow(effects) == 0) {
    return(nothing_compared)
  }
  clear <- real_storage(effects)[clear == TRUE]
  if (nrow(clear) == 0) {
    return("No setting has a clear effect: with these rounds no ratio can be told from one.")
  }
  clear <- utils::head(clear[order(-abs(log(ratio)))], most)
  words <- clear[, sprintf(
    "%s instead of %s for %ss on %s (factor %s, interval %s to %s, %s)", latex_name(setting),
    latex_name(instead_of), latex_name(access), latex_name(mark_name(target, emulated)), factor_words(ratio),
    factor_words(lo), factor_words(hi), counted(pairs, "pair")
  )]
  over_pairs <- if (all(clear$over == "pairs")) pairs_words else ""
  sprintf("The strongest of the clear effects of a setting in this campaign%s: %s. %s", over_pairs,
    paste(words, collapse = "; "), reservation_words(clear))
}

# How far experiments agree that measured the same points.
repeated_points <- function(ratios) {
  if (nrow(ratios) == 0) {
    return("")
  }
  words <- ratios[, sprintf(
    "``%s'' instead of ``%s'' gives %ss on %s a factor of %s to %s, %s in the mean of %s",
    latex_name(experiment_words(experiment)), latex_name(experiment_words(instead_of)),
    latex_name(access), latex_name(mark_name(target, emulated)), factor_words(lowest), factor_words(highest),
    factor_words(ratio), counted(pairs, "point")
  )]
  sprintf("Some points were measured by two experiments: %s.", paste(words, collapse = "; "))
}

factor_of_gain <- function(factor) if (factor < 1.1) two_digits(factor) else rate_words(factor)

# The time of the transfers of a log may be longer than the whole that its rate is of.
gain_words <- function(share) {
  words <- if (abs(share) < 0.001) "less than 0.1~\\%" else percent_words(abs(share))
  paste(words, if (share < 0) "less" else "more")
}

# What the choice of the definition of bandwidth changes.
definition_numbers <- function(records) {
  gain <- definition_gains(records)
  if (length(gain) == 0) {
    return(list(DefinitionGain = "unknown", DefinitionGainMost = "unknown"))
  }
  list(DefinitionGain = gain_words(stats::median(gain)), DefinitionGainMost = factor_of_gain(1 + max(gain)))
}

# What the definition gains, from the records that tell both times.
definition_gains <- function(records) {
  usable <- real_storage(transfers_of(records)[verdict %in% usable_verdicts])
  gain <- bandwidth_io(usable) / bandwidth_all(usable) - 1
  gain[is.finite(gain)]
}

repetition_numbers <- function(points) {
  n <- if (nrow(points) > 0) points$n[points$n > 0] else integer()
  words <- if (length(n) == 0) "none" else if (min(n) == max(n)) thousands(min(n)) else paste(min(n), "to", max(n))
  list(
    RepetitionsOfPoint = words,
    AttainedLevel = sub(" %", "~\\%", attained_words, fixed = TRUE),
    FewestForInterval = as.character(fewest_for_interval),
    IntervalLevel = level_words(points)
  )
}
