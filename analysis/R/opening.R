# The first page of a report in print: the facts of the page in a browser (page.R), as LaTeX.

opening_numbers <- function(records, facts) {
  evidence <- page_evidence(records, facts)
  concluding <- concluding_evidence(evidence)
  list(
    StudyLine = study_line(facts), Proof = proof_words(records, facts),
    Answers = answers_words(page_answers(evidence$points), page_targets(records, facts)),
    Matters = matters_words(page_effects(concluding$effects), compared = nrow(concluding$effects) > 0),
    Doubts = doubts_words(page_doubts(concluding)),
    Advice = advice_words(page_advice(evidence))
  )
}

study_line <- function(facts) {
  if (!is.null(facts$about)) {
    site <- text_of(facts$about$site, "")
    return(if (nzchar(site)) sprintf("Archived records of %s", latex_name(site)) else "Third-party records")
  }
  machine <- if (length(facts$machines) > 0) facts$machines[[1]]
  nodes <- length(facts$machines)
  parts <- c(
    text_of(machine$node, ""), text_of(machine$processor, ""),
    if (!is.null(machine$cores)) counted(machine$cores, "core"),
    if (!is.null(machine$memory_bytes)) paste(bytes_words(machine$memory_bytes), "of memory"),
    if (nodes > 1) sprintf("%d nodes", nodes), text_of(facts$site$description, ""),
    if (length(facts$suites) > 0) sprintf("suite %s", suites_with_scale(facts)),
    gsub("~", " ", period(facts$began, facts$ended), fixed = TRUE), sprintf("weir %s", text_of(facts$weir_version))
  )
  paste(latex_name(parts[nzchar(parts)]), collapse = " \\textperiodcentered{} ")
}

# Real storage is counted first; emulated storage beside it.
proof_words <- function(records, facts) {
  if (nrow(records) == 0) {
    return("There are no records.")
  }
  counts <- page_verdicts(records)
  real <- unlist(counts$real)
  emulated <- unlist(counts$emulated)
  first <- if (sum(real) > 0) real else emulated
  proven <- proven_words(counts$authors)
  beside <- if (sum(real) > 0 && sum(emulated) > 0) {
    sprintf(" Of emulated storage: %s of %s %s.", thousands(emulated[["VALID"]]), thousands(sum(emulated)), proven)
  }
  others <- first[-1][first[-1] > 0]
  doubted <- if (length(others) == 0) {
    "no rule of the audit doubts any"
  } else {
    and_list(sprintf("%s %s", vapply(others, thousands, ""), words_of_column("verdict")[names(others)]))
  }
  of_all <- sprintf("%s of %s results %s", thousands(first[["VALID"]]), thousands(sum(first)), proven)
  paste0(sprintf("\\textbf{%s}%s; %s.", of_all, proofs_words(counts$proofs), doubted),
    if (counts$busy > 0) sprintf(" \\textbf{%s were taken on a busy machine.}", thousands(counts$busy)),
    beside, emulated_words(facts, records))
}

emulated_words <- function(facts, records) {
  names <- unique(c(records[emulated == TRUE]$target, unlist(lapply(facts$targets, function(target) {
    if (isTRUE(target$emulated)) target$target
  }))))
  if (length(names) == 0) {
    return("")
  }
  named <- and_list(latex_name(names))
  if (nrow(records) > 0 && all(records$emulated)) {
    sprintf(" \\emulatedstorage{} (%s): its numbers test the method, not a product.", named)
  } else {
    sprintf(" Emulated storage is marked (E): %s. It tests the method, not a product.", named)
  }
}

# Best, small random and tail latency of each real target; of emulated ones if there are no others.
most_answers <- 24L

answers_words <- function(answers, targets) {
  real <- Filter(function(answer) !answer$emulated, answers)
  shown <- if (length(real) > 0) real else answers
  if (length(shown) == 0) {
    return("\\BestInShort{}")
  }
  order_of <- vapply(targets, function(target) target$name, "")
  rank <- vapply(shown, function(one) 2 * match(one$target, order_of) + (one$access == "read"), 1)
  further <- length(shown) - most_answers
  several <- length(unique(vapply(shown, function(one) one$target, ""))) > most_systems_in_full
  shown <- utils::head(shown[order(rank)], most_answers)
  # A study without small random accesses needs no columns of dashes.
  small <- any(lengths(lapply(shown, function(one) one$small)) > 0)
  # Where every rate is of one run, once is enough.
  single <- all(vapply(shown, function(one) one$best$n == 1 && (is.null(one$small) || one$small$n == 1), TRUE))
  with_interval <- any(vapply(shown, function(one) any(is.finite(c(one$best$lo, one$small$lo))), TRUE))
  of <- if (single) " of single runs" else if (with_interval) " [interval]" else ""
  rows <- vapply(shown, answer_cells, "", in_short = several, with_small = small, with_n = !single)
  c(
    "{\\tablesize\\renewcommand{\\arraystretch}{1.25}", paste0(
      "\\begin{tabular}{@{}", wrapped_column(width_of_names(shown)), "l", "rl", wrapped_column(if (small) 39 else 74),
      if (small) "rlrr", "@{}}"
    ), "\\toprule",
    sprintf("\\multicolumn{2}{@{}l}{MiB/s%s}", of),
    " & \\multicolumn{2}{l}{best} & reached with",
    if (small) "& \\multicolumn{2}{l}{small, random} & op/s & p99 latency",
    "\\\\ \\midrule", rows, "\\bottomrule", "\\end{tabular}}\\par\\smallskip",
    if (any(lengths(lapply(shown, function(one) one$tail$note)) > 0)) {
      "{\\footnotesize\\par Rates of small writes include the final synchronisation, their p99 latency does not.\\par}"
    },
    if (further > 0) sprintf("{\\footnotesize\\par Not shown: %s; report.html has them.\\par}", counted(further, "row"))
  ) |> paste(collapse = " ")
}

# The settings beside them get what short names leave.
width_of_names <- function(answers) {
  min(15, 2 + 1.3 * max(vapply(answers, function(one) nchar(one$target) + 4 * one$emulated, 1)))
}

# Where there are more systems, a setting takes one line.
most_systems_in_full <- 4L

answer_cells <- function(answer, in_short, with_small = TRUE, with_n = TRUE) {
  rate <- function(found) {
    if (is.null(found)) {
      return("-- & ")
    }
    range <- if (is.finite(found$lo)) {
      sprintf("{[}%s--%s{]}", rate_words(found$lo), rate_words(found$hi))
    } else if (with_n) {
      sprintf("$n=%d$", found$n)
    } else {
      ""
    }
    sprintf("{\\normalsize\\bfseries %s} & %s", rate_words(found$value), range)
  }
  tail <- if (is.null(answer$tail)) "--" else gsub(" ", "~", duration_words(answer$tail$value))
  operations <- if (is.null(answer$small)) "--" else rate_words(answer$small$iops)
  setting <- in_print(if (in_short) answer$best$short else answer$best$setting)
  first <- sprintf("%s%s & %s & %s & %s", latex_name(answer$target), if (answer$emulated) " (E)" else "",
    latex_name(answer$access), rate(answer$best), setting)
  further <- if (with_small) c(rate(answer$small), operations, tail)
  paste(paste(c(first, further), collapse = " & "), "\\\\")
}

# As the page tells it.
nothing_compared <- "No two usable points differ in one setting alone."

matters_words <- function(effects, most = 4L, compared = TRUE) {
  if (!compared) {
    return(nothing_compared)
  }
  clear <- utils::head(Filter(function(effect) isTRUE(effect$clear), effects), most)
  if (length(clear) == 0) {
    return("No setting has a clear effect: with these rounds no ratio differs significantly from 1.")
  }
  words <- vapply(clear, function(effect) {
    sprintf("%s instead of %s, %ss on %s: $\\times$%s {[}%s--%s{]}", latex_name(effect$setting),
      latex_name(effect$instead_of), latex_name(effect$access), latex_name(effect$target), plain_factor(effect$ratio),
      plain_factor(effect$lo), plain_factor(effect$hi))
  }, "")
  agree <- vapply(clear, function(effect) isTRUE(effect$pairs_agree), TRUE)
  paste0(paste(words, collapse = "; "), ". ", reservation_words(list(pairs_agree = agree)))
}

doubts_words <- function(doubts) {
  words <- vapply(doubts, function(one) sprintf("\\textbf{%s} %s", in_print(one$number), in_print(one$sentence)), "")
  if (length(words) == 0) "None that weir can detect." else paste(words, collapse = " ")
}

advice_words <- function(pieces, most = 3L) {
  words <- vapply(utils::head(pieces, most), function(one) {
    sprintf("\\item \\textbf{%s} %s %s", in_print(one$title), in_print(one$evidence), in_print(one$action))
  }, "")
  if (length(words) == 0) {
    "None for these results."
  } else {
    sprintf("\\begin{compactlist}%s\\end{compactlist}", paste(words, collapse = " "))
  }
}

# Text in backticks is code, as on the page; a number keeps its unit.
in_print <- function(text) {
  text <- gsub("\u00d7", "$\\times$", latex_name(text), fixed = TRUE)
  text <- code_in_print(text)
  text <- gsub("(^|[ (])-(?=[0-9])", "\\1$-$", text, perl = TRUE)
  gsub("([0-9]) ((?:[KMGT]i)?B|MiB/s|GiB|process|processes|nodes?|stripes?)\\b", "\\1~\\2", text, perl = TRUE)
}
