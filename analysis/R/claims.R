# Claims: sentences of a paper as assertions that points decide. One file of analysis/claims is one paper.

# How a claim ends. Undecided: the interval allows both, or there is none; what is printed has no rounds.
outcomes <- c("reproduced", "contradicted", "undecided", "out of scope here")

# `decide` gets points and returns an effect (analysis/R/claim_effects.R), only_if() they are what it needs.
# `expects` lists the effects that confirm the sentence; `tolerance` is how far apart two numbers count as equal.
claim <- function(id, says, where, needs, decide, expects, tolerance, measure = "bandwidth", of_published = TRUE) {
  list(
    id = id, says = gsub("\\s+", " ", says), where = where, needs = needs, decide = decide, expects = expects,
    tolerance = tolerance, measure = measure, of_published = of_published
  )
}

# What an effect has to be. Each gives the ends between which effect and interval bear the claim out: the effect must
# clear them with the tolerance, the interval without it; where two things are claimed to be alike, both with it. An
# interval that lies beyond the ends for the effect contradicts the claim.
above <- function(value) {
  function(tolerance) list(effect = c(value * (1 + tolerance), Inf), interval = c(value, Inf))
}
below <- function(value) {
  function(tolerance) list(effect = c(-Inf, value / (1 + tolerance)), interval = c(-Inf, value))
}
at_least <- function(value) {
  function(tolerance) alike(value * (1 - tolerance), Inf)
}
at_most <- function(value) {
  function(tolerance) alike(-Inf, value * (1 + tolerance))
}
near <- function(value) {
  function(tolerance) alike(value / (1 + tolerance), value * (1 + tolerance))
}
alike <- function(least, most) list(effect = c(least, most), interval = c(least, most))

# A paper that names its suites is decided in their studies alone, and they decide no other: its sentences are about
# what they measure. An archive names its suite in its sidecar.
papers_of <- function(facts, home = analysis_home()) {
  measured <- c(unlist(lapply(facts$suites, `[[`, "suite")), facts$about$suite)
  suites <- lapply(setNames(nm = part_names("claims", home)), function(name) load_claims(name, home)$suites)
  own <- names(Filter(function(it) any(it %in% measured), suites))
  if (length(own) > 0) own else names(Filter(is.null, suites))
}

load_claims <- function(name, home = analysis_home()) {
  paper <- load_part("claims", name, home)
  ids <- vapply(paper$claims, function(it) text_of(it$id, ""), character(1))
  wrong <- ids[duplicated(ids) | !grepl("^[a-z0-9]+(-[a-z0-9]+)*$", ids)]
  refuse_if(length(wrong) > 0, "%s: claim '%s': the id is there twice or no name-like-this", paper$path, wrong[1])
  paper
}

# Every claim of every paper on these records and on what the paper printed: a row for each claim and kind of evidence.
decide_claims <- function(records, facts, published, home = analysis_home(), papers = papers_of(facts, home)) {
  sets <- evidence_sets(records, facts)
  # Looked at only where usable records are too few.
  delayedAssign("degraded_too", evidence_sets(as_usable(records), facts))
  data.table::rbindlist(lapply(papers, function(name) {
    paper <- load_claims(name, home)
    printed <- printed_evidence(paper, published)
    correct_for_many(data.table::rbindlist(lapply(paper$claims, function(it) {
      decide_claim(it, paper, sets, printed, function() degraded_too)
    })))
  }))
}

evidence_sets <- function(records, facts) {
  list(
    bandwidth = evidence_of(transfers_of(records), facts, bandwidth_io),
    whole = evidence_of(transfers_of(records), facts, bandwidth_all),
    opening = evidence_of(transfers_of(records)[stonewall_s == 0], facts, opening_share),
    latency = evidence_of(records[purpose == "latency"], facts, function(rows) above_zero(rows$lat_p50_us))
  )
}

as_usable <- function(records) data.table::copy(records)[verdict == "DEGRADED", verdict := "UNPROVEN"]

# Chance decides some of many claims: Benjamini and Hochberg over those of one paper.
correct_for_many <- function(decided) {
  decided[, q := stats::p.adjust(p, "BH"), by = evidence]
  chance <- decided$evidence == "these records" & decided$verdict %in% outcomes[1:2] & !(decided$q <= 0.05)
  decided[chance, `:=`(
    verdict = outcomes[3], doubt = paste_doubts(doubt, sprintf("not sure among %d claims", sum(!is.na(decided$p))))
  )]
  # The same for the verdicts by the other definition of bandwidth.
  decided[by_whole_time %in% outcomes[1:2] & !(stats::p.adjust(p_whole, "BH") <= 0.05), by_whole_time := outcomes[3]]
  decided[, p_whole := NULL][]
}

paste_doubts <- function(first, second) ifelse(nzchar(first), paste(first, second, sep = "; "), second)

# The share of the time from the first open to the last close that is not transfer.
opening_share <- function(records) pmin(1, pmax(1e-6, 1 - records$io_s / above_zero(records$total_s)))

printed_evidence <- function(paper, published) {
  if (is.null(paper$published)) no_evidence else published_evidence(published, paper$published, paper$wire_gbit_s)
}

# `degraded_too` gives the evidence that would be there if degraded records counted: how many rounds ran.
decide_claim <- function(claim, paper, sets, printed, degraded_too = function() NULL) {
  if (!claim$of_published || claim$measure != "bandwidth") {
    printed <- no_evidence
  }
  found <- decided(claim, paper, sets[[claim$measure]])
  if (!is.null(found) && found$rounds < 2 && !is.null(degraded_too())) {
    found$ran <- max(found$rounds, decided(claim, paper, degraded_too()[[claim$measure]])$rounds)
  }
  here <- claim_row(claim, paper, "these records", found)
  whole <- if (claim$measure == "bandwidth") outcome_of(claim, decided(claim, paper, sets$whole))
  here[, `:=`(by_whole_time = NA_character_, p_whole = NA_real_)]
  if (!is.null(whole)) here[, `:=`(by_whole_time = whole$verdict, p_whole = whole$p)]
  there <- claim_row(claim, paper, "published values", decided(claim, paper, printed))
  rbind(here, there, fill = TRUE)
}

# An error in a claim names it.
decided <- function(claim, paper, points) {
  tryCatch({
    only_if(nrow(points) > 0)
    claim$decide(points)
  }, nothing_to_show = function(condition) NULL, error = function(error) {
    stop(sprintf("analysis/claims/%s.R: claim '%s': %s", paper$name, claim$id, conditionMessage(error)), call. = FALSE)
  })
}

# `printed` values are aggregates without rounds: they are judged by the effect alone, and it is told.
outcome_of <- function(claim, found, printed = FALSE) {
  if (is.null(found) || !is.finite(found$effect)) {
    return(list(verdict = outcomes[4], doubt = "", p = NA_real_, needed = NA_integer_))
  }
  ends <- claim$expects(claim$tolerance)
  inside <- found$effect >= ends$effect[1] && found$effect <= ends$effect[2]
  if (printed) {
    return(list(verdict = outcomes[if (inside) 1 else 2], doubt = "no interval", p = NA_real_, needed = NA_integer_))
  }
  if (!is.finite(found$lo) || !is.finite(found$hi)) {
    return(list(verdict = outcomes[3], doubt = few_rounds_words(found), p = NA_real_, needed = 2L))
  }
  outcome_of_interval(found, ends, inside)
}

few_rounds_words <- function(found) {
  ran <- if (is.null(found$ran)) found$rounds else found$ran
  if (ran < 2) "fewer than two rounds" else sprintf("of %d rounds fewer than two are not degraded", ran)
}

outcome_of_interval <- function(found, ends, inside) {
  sure <- found$lo >= ends$interval[1] && found$hi <= ends$interval[2]
  contrary <- found$hi < ends$effect[1] || found$lo > ends$effect[2]
  verdict <- outcomes[if (inside && sure) 1 else if (contrary) 2 else 3]
  bounds <- if (inside) ends$interval else ends$effect
  list(
    verdict = verdict, doubt = "", p = chance_of_outcome(found, bounds, inside),
    needed = if (verdict == outcomes[3]) rounds_to_decide(found, bounds) else NA_integer_
  )
}

# Inside both ends must be cleared, outside the one that was passed.
chance_of_outcome <- function(found, bounds, inside) {
  scale <- scale_of(found$words)
  to <- function(values) suppressWarnings(scale$to(values))
  passed <- if (inside) bounds[is.finite(bounds)] else bounds[if (found$effect < bounds[1]) 1 else 2]
  chances <- vapply(to(pmax(passed, if (found$words %in% c("factor", "spread")) 1e-12 else -Inf)), function(bound) {
    chance_of_mean(to(found$effect), found$error, found$df, bound)
  }, numeric(1))
  if (length(chances) == 0) NA_real_ else max(chances)
}

rounds_to_decide <- function(found, bounds) {
  scale <- scale_of(found$words)
  finite <- bounds[is.finite(bounds) & (bounds > 0 | !found$words %in% c("factor", "spread"))]
  distance <- if (length(finite) == 0) NA_real_ else min(abs(scale$to(found$effect) - scale$to(finite)))
  rounds_for(distance, found$error * sqrt(found$rounds))
}

claim_row <- function(claim, paper, evidence, found) {
  judged <- outcome_of(claim, found, evidence == "published values")
  judged$doubt <- paste(c(found$note, judged$doubt[nzchar(judged$doubt)]), collapse = "; ")
  scope <- judged$verdict == outcomes[4]
  number <- function(key) if (scope) NA_real_ else as.numeric(found[[key]])
  reasons <- if (scope) character() else setdiff(unique(unlist(strsplit(found$used$reasons, ";", fixed = TRUE))), "")
  data.table::data.table(
    paper = paper$name, claim = claim$id, says = claim$says, cites = paper$cites, where = claim$where,
    evidence = evidence, verdict = judged$verdict, effect = number("effect"), lo = number("lo"), hi = number("hi"),
    unit = if (scope) NA_character_ else found$words, lowest = number("lowest"), highest = number("highest"),
    count = number("count"), rounds = number("rounds"),
    ran = if (scope || is.null(found$ran)) number("rounds") else as.numeric(found$ran),
    needed = as.numeric(judged$needed), p = judged$p,
    bound = bound_words(claim), bound_lo = claim$expects(claim$tolerance)$effect[1],
    bound_hi = claim$expects(claim$tolerance)$effect[2], doubt = judged$doubt,
    points = if (scope) 0L else nrow(found$used), unproven = if (scope) 0L else sum(found$used$unproven),
    reasons = paste(sort(reasons), collapse = ";"), emulated = !scope && any(found$used$emulated), needs = claim$needs
  )
}

# What the effect had to be: 0.85 or more.
bound_words <- function(claim) {
  ends <- claim$expects(claim$tolerance)$effect
  shown <- format_plain(signif(ends, 3))
  if (all(is.finite(ends))) {
    paste(shown[1], "to", shown[2])
  } else if (is.finite(ends[1])) {
    paste(shown[1], "or more")
  } else {
    paste(shown[2], "or less")
  }
}

# What `draw.R claims` wrote, if it is given.
decided_claims <- function(records, inputs) {
  if (is.null(inputs$claims)) {
    return(decide_claims(records, known_facts(inputs), inputs$published))
  }
  decided <- read_text_table(inputs$claims, "decided claims", c(
    "effect", "lo", "hi", "lowest", "highest", "count", "rounds", "ran", "needed", "p", "q", "bound_lo", "bound_hi",
    "points", "unproven"
  ))
  for (column in c("doubt", "reasons")) {
    data.table::set(decided, i = which(is.na(decided[[column]])), j = column, value = "")
  }
  decided[, emulated := as_typed(emulated, "flag", inputs$claims, "emulated")][]
}

# Claims of the named publications, of "all", or of none; without claims the file has its header only.
write_claims <- function(papers, records, inputs, path) {
  known <- part_names("claims")
  unknown <- setdiff(papers, c("all", known))
  refuse_if(length(unknown) > 0, "no paper '%s' in analysis/claims: there are %s", unknown[1],
    paste(known, collapse = ", "))
  facts <- known_facts(inputs)
  if (length(papers) == 0) {
    return(data.table::fwrite(decide_claims(records[0], facts, NULL, papers = known[1])[0], path))
  }
  papers <- if ("all" %in% papers) papers_of(facts) else papers
  decided <- decide_claims(records, facts, inputs$published, papers = papers)
  data.table::fwrite(decided, path)
  counts <- decided[, .N, by = .(evidence, verdict)]
  cat(sprintf("%s: %d %s\n", counts$evidence, counts$N, counts$verdict), sep = "")
}
