# Doubts and advice: what a careful colleague would say about these numbers. One file of analysis/advice is one rule:
# advise() gets the evidence (records, points, effects, facts) and returns pieces of advice, or nothing where it does
# not apply.

# gain_mib_s: what the setting changed in the bandwidth, where it was measured. weight: how much is at stake, as the
# logarithm of a factor. general: what every reader knows, as that sequential access is faster.
advice <- function(title, evidence, action, weight = 0, gain_mib_s = NULL, general = FALSE) {
  known <- length(gain_mib_s) == 1 && is.finite(gain_mib_s)
  gain <- if (known) abs(gain_mib_s) else 0
  measured <- if (known) sprintf("%s The median difference is %s MiB/s.", evidence, rate_words(gain)) else evidence
  list(title = title, evidence = measured, action = action, weight = weight, gain_mib_s = gain, general = general)
}

# What gains most first; general advice last, and one piece of it at most.
page_advice <- function(evidence, names = part_names("advice")) {
  found <- unlist(lapply(names, function(name) {
    pieces <- load_part("advice", name)$advise(evidence)
    lapply(pieces, function(piece) c(list(rule = name), piece))
  }), recursive = FALSE)
  of <- function(key, kind) vapply(found, function(piece) piece[[key]], kind)
  # With names they would be no list in JSON.
  found <- unname(found[order(of("general", TRUE), -of("gain_mib_s", 1), -of("weight", 1))])
  found <- found[!of("general", TRUE) | !duplicated(of("general", TRUE))]
  # Each rule once before any rule twice: the same advice for writes and for reads must not fill the page.
  found[order(of("general", TRUE), duplicated(of("rule", "")))]
}

# Conclusions are about real storage; those of a study that has none are about what it measured.
concluding_evidence <- function(evidence) {
  if (nrow(evidence$records) == 0 || !all(evidence$records$emulated)) {
    return(evidence)
  }
  for (part in Filter(function(part) NROW(evidence[[part]]) > 0, c("records", "points", "effects"))) {
    evidence[[part]] <- data.table::copy(evidence[[part]])[, emulated := FALSE][]
  }
  if (NROW(evidence$effects) > 0) evidence$effects[, target := paste0(target, emulated_mark)]
  evidence
}

# Doubts are about the numbers themselves, worst first, each with its own number.
page_doubts <- function(evidence) {
  Filter(Negate(is.null), list(
    doubt_about_load(evidence$records), doubt_about_verdicts(evidence$records), doubt_about_findings(evidence$records),
    doubt_about_rounds(evidence$points),
    doubt_about_phases(evidence), doubt_about_memory(evidence), doubt_about_drift(evidence$records),
    doubt_about_precision(evidence)
  ))
}

# Words are made only if it is so.
doubt <- function(is_so, number, sentence) if (is_so) list(number = number, sentence = sentence)

doubt_about_verdicts <- function(records) {
  real <- records[emulated == FALSE]
  unproven <- real[verdict == "UNPROVEN"]
  common <- commonest(unlist(strsplit(as.character(unproven$missing), ";", fixed = TRUE)))
  doubt(nrow(unproven) > 0, sprintf("%s of %s", thousands(nrow(unproven)), thousands(nrow(real))), sprintf(
    "results are unproven: no rule found a fault, but evidence is missing%s.",
    if (is.null(common)) "" else sprintf(", most often that %s", meaning_of_evidence(common))
  ))
}

# The name that is there most often; none where several are as often.
commonest <- function(names) {
  counts <- table(names)
  most <- names(counts)[counts == max(counts, 0)]
  if (length(most) == 1) most
}

# A name that is new stands for itself.
meaning_of_evidence <- function(name) in_words(name, words_of_column("missing"))

# The commonest rule first; the section on verdicts has all.
doubt_about_findings <- function(records) {
  bad <- records[emulated == FALSE & verdict %in% c("DEGRADED", "INVALID")]
  rule <- commonest(unlist(strsplit(bad$reasons, "; *")))
  kinds <- words_of_column("verdict")[intersect(c("DEGRADED", "INVALID"), bad$verdict)]
  doubt(nrow(bad) > 0, sprintf("%s of %s", thousands(nrow(bad)), thousands(sum(!records$emulated))), sprintf(
    "results are %s%s.", paste(kinds, collapse = " or "),
    if (is.null(rule)) "" else sprintf(", most often by the rule %s", rule)
  ))
}

doubt_about_drift <- function(records) {
  drift <- drift_of_campaign(records[emulated == FALSE])[clear == TRUE]
  worst <- drift[which.max(abs(log(ratio)))]
  doubt(nrow(drift) > 0, sprintf("%s %%", signed_percent(worst$ratio - 1)), sprintf(
    "is how far %s of %s drifted over the rounds: intervals are widened by half of it on either side.",
    if (worst$access %in% c("write", "read")) paste0(worst$access, "s") else worst$access, worst$target
  ))
}

# Doubts the medians for which a width was requested.
doubt_about_precision <- function(evidence) {
  points <- precision_points(evidence$records[emulated == FALSE], evidence$facts)
  wide <- if (nrow(points) > 0) points[!outcome %in% c("reached", "no usable run")] else points
  why <- c(if (any(wide$outcome != "drift")) "the time or the rounds that it allows were used up",
    if (any(wide$outcome == "drift")) "the campaign drifted")
  doubt(nrow(wide) > 0, sprintf("%d of %d", nrow(wide), nrow(points)),
    sprintf("medians have wider intervals than the suite requests: %s.", paste(why, collapse = ", or ")))
}

doubt_about_rounds <- function(points) {
  rounds <- points[emulated == FALSE & n > 0]$n
  few <- sum(rounds < fewest_for_interval)
  narrow <- sum(rounds >= 10)
  run <- if (all(rounds == 1)) "run" else "runs"
  doubt(length(rounds) > 0 && min(rounds) < 10, paste("n =", range_words(rounds)), if (all(rounds == 1)) {
    "run of each setting: how far it scatters is unknown."
  } else if (few == length(rounds)) {
    sprintf("%s of each setting: too few for an interval with 95 %%, so the single runs are drawn.", run)
  } else if (few > 0) {
    sprintf("%s of each setting: %d of %d have too few for an interval, so their single runs are drawn.", run, few,
      length(rounds))
  } else {
    sprintf("%s of each setting: the interval %sis the range of nearly all runs; %d more would halve it.", run,
      if (narrow > 0) sprintf("of %d of %d ", length(rounds) - narrow, length(rounds)) else "", 3L * min(rounds))
  })
}

range_words <- function(values) paste(unique(range(values)), collapse = "\u2013")

# Shorter phases are no rate that lasts. Memory has no cache in front of it that a short phase would end in.
short_phase_s <- 0.5

doubt_about_phases <- function(evidence) {
  points <- evidence$points
  of_memory <- targets_of_kind(evidence$facts, "memory")
  points <- points[emulated == FALSE & n > 0 & is.finite(seconds) & !target %in% of_memory & of_storage(points)]
  seconds <- points$seconds
  short <- sum(seconds < short_phase_s)
  doubt(short > 0, sprintf("%s of %s", thousands(short), thousands(length(seconds))), sprintf(
    "settings moved data for less than %s s, the shortest for %s: longer transfers may be slower.",
    short_phase_s, duration_words(1e6 * min(seconds))
  ))
}

network_targets <- function(facts) targets_of_kind(facts, c("network", "parallel"))

# A number of the descriptions of targets, where it is known.
known_of_targets <- function(facts, name) {
  known <- Filter(function(target) !is.null(target[[name]]), as.list(facts$targets))
  data.table::data.table(
    target = vapply(known, function(one) one$target, ""),
    known = vapply(known, function(one) as.numeric(one[[name]]), 1)
  )
}

# Not where devices of servers were seen to answer, nor where advice compares with the servers' memory.
doubt_about_memory <- function(evidence) {
  memory <- if (length(evidence$facts$machines) > 0) evidence$facts$machines[[1]]$memory_bytes
  of_memory <- targets_of_kind(evidence$facts, "memory")
  records <- evidence$records[emulated == FALSE & !target %in% of_memory]
  probed <- records$target %in% network_targets(evidence$facts) &
    (records$proof %in% "devices" | records$target %in% known_of_targets(evidence$facts, "server_memory_bytes")$target)
  sizes <- records[!probed]$file_bytes
  largest <- suppressWarnings(max(sizes, na.rm = TRUE))
  share <- largest / memory
  number <- if (isTRUE(share < 0.01)) "under 1 %" else sprintf("%s %%", whole_percent(share))
  doubt(isTRUE(is.finite(share) & share < 1), number, sprintf(
    "of the memory (%s) would hold the largest file (%s): a cache below the client (server, hypervisor) may do so.",
    bytes_words(memory), bytes_words(signif(largest, 3))
  ))
}

# Emulated storage is counted apart: its numbers answer no question.
doubt_about_load <- function(records) {
  real <- records[emulated == FALSE]
  busy <- sum(real[, has_finding(.SD, "machine-busy")])
  doubt(busy > 0, sprintf("%s of %s", thousands(busy), thousands(nrow(real))),
    "results were taken while the machine was busy with other work: the storage may be faster.")
}

# Whether the rule has a finding, of any weight, on a record: reasons are ids, notes are ids with their evidence.
has_finding <- function(records, rule) {
  names_rule <- function(texts) {
    vapply(strsplit(texts, "[:;,]"), function(parts) rule %in% sub("^.* ", "", parts), TRUE)
  }
  of_unique(records$reasons, names_rule) | of_unique(records$notes, names_rule)
}

# A ratio as advice prints it: ×1.34 [1.19–1.47].
effect_words <- function(effect) {
  words <- sub(" to ", "\u2013", effect_interval(effect, function(ends) vapply(ends, plain_factor, "")), fixed = TRUE)
  sprintf("\u00d7%s%s", plain_factor(effect$ratio), ifelse(nzchar(words), sprintf(" [%s]", words), ""))
}

plain_factor <- function(value) {
  # As the page has it, so that a narrow interval has two ends.
  decimals <- data.table::fcoalesce(decimals_near_one(value), if (value < 9.995) 2 else 0)
  if (value < 0.1) rate_words(value) else sprintf("%.*f", as.integer(decimals), value)
}

# The share that an effect below 1 leaves: 26 % [21-33 %].
share_words <- function(effect) {
  ratios <- c(effect$ratio, effect$lo, effect$hi)
  shares <- ifelse(ratios < 0.995, two_digits(100 * ratios), percent_digits(ratios))
  sprintf("%s %%%s", shares[1], if (is.finite(effect$lo)) sprintf(" [%s\u2013%s %%]", shares[2], shares[3]) else "")
}

# The clear effects of real storage for some dimension.
effects_that_matter <- function(evidence, of) {
  effects <- evidence$effects
  if (nrow(effects) == 0) {
    return(data.table::data.table(ratio = numeric(), setting = character(), target = character(), access = character()))
  }
  effects[emulated == FALSE & clear == TRUE & dimension %in% of]
}

suites_with_scale <- function(facts) {
  paste(vapply(as.list(facts$suites), function(suite) {
    if (is.null(suite$scale)) suite$suite else sprintf("%s (scale %s)", suite$suite, suite$scale)
  }, ""), collapse = ", ")
}

page_following <- function(facts, folder) {
  suites <- paste(vapply(as.list(facts$suites), function(suite) suite$suite, ""), collapse = ",")
  study <- file.path("results", text_of(facts$site$site, "archive"), basename(normalizePath(folder)))
  list(
    if (nzchar(suites)) {
      list(name = "Repeat elsewhere", command = sprintf("make report SUITES=%s SITE=mysite", suites))
    } else {
      list(name = "Measure your own storage", command = "make report")
    },
    list(name = "Compare", command = sprintf("weir compare %s OTHER", study)),
    list(name = "Explain verdicts", command = sprintf("weir audit %s/records.csv", study)),
    list(name = "Check for edits", command = sprintf("weir verify %s", study))
  )
}
