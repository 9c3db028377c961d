# Claims: sentences of a paper as assertions that points decide. One file of analysis/claims is one paper.

claim_defines <- c("title", "cites", "claims")
verdict_words <- c("reproduced", "not reproduced", "out of scope here")

# `decide` gets points and returns an effect (analysis/effects.R), or NULL where what it needs is missing. `expects`
# says which effects bear the sentence out; `tolerance` is how far apart two numbers count as equal.
claim <- function(id, says, where, needs, decide, expects, tolerance, measure = "bandwidth", of_published = TRUE) {
  list(
    id = id, says = gsub("\\s+", " ", says), where = where, needs = needs, decide = decide, expects = expects,
    tolerance = tolerance, measure = measure, of_published = of_published
  )
}

# What an effect has to be. Each gives the ends between which effect and interval bear the claim out: the effect must
# clear them with the tolerance, the interval without it; where two things are said to be alike, both with it.
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

claim_files <- function(home = analysis_home()) {
  sort(sub("[.]R$", "", list.files(file.path(home, "claims"), pattern = "[.]R$")))
}

load_claims <- function(name, home = analysis_home()) {
  path <- file.path(home, "claims", paste0(name, ".R"))
  paper <- load_definitions(path)
  missing <- setdiff(claim_defines, ls(paper))
  if (length(missing) > 0) {
    stop(sprintf("%s: does not define %s", path, paste(missing, collapse = ", ")), call. = FALSE)
  }
  ids <- vapply(paper$claims, function(it) text_of(it$id, ""), character(1))
  if (anyDuplicated(ids) > 0 || !all(grepl("^[a-z0-9]+(-[a-z0-9]+)*$", ids))) {
    wrong <- c(ids[duplicated(ids)], ids[!grepl("^[a-z0-9]+(-[a-z0-9]+)*$", ids)])[1]
    stop(sprintf("%s: claim '%s': the id is there twice or no name-like-this", path, wrong), call. = FALSE)
  }
  paper$name <- name
  paper
}

# Every claim of every paper on these records and on what the paper printed: a row for each claim and kind of evidence.
decide_claims <- function(records, facts, published, home = analysis_home(), papers = claim_files(home)) {
  sets <- list(
    bandwidth = evidence_of(transfers_of(records), facts, bandwidth_io),
    whole = evidence_of(transfers_of(records), facts, bandwidth_all),
    opening = evidence_of(transfers_of(records)[stonewall_s == 0], facts, opening_share),
    latency = evidence_of(records[tool == "io-model"], facts, function(rows) above_zero(rows$lat_p50_us))
  )
  data.table::rbindlist(lapply(papers, function(name) {
    paper <- load_claims(name, home)
    printed <- printed_evidence(paper, published)
    data.table::rbindlist(lapply(paper$claims, function(it) decide_claim(it, paper, sets, printed)))
  }))
}

# Of the time from the first open to the last close what is no transfer.
opening_share <- function(records) pmin(1, pmax(1e-6, 1 - records$io_s / above_zero(records$total_s)))

printed_evidence <- function(paper, published) {
  if (is.null(paper$published)) no_evidence else published_evidence(published, paper$published, paper$wire_gbit_s)
}

decide_claim <- function(claim, paper, sets, printed) {
  if (!claim$of_published || claim$measure != "bandwidth") {
    printed <- no_evidence
  }
  here <- claim_row(claim, paper, "these records", decided(claim, paper, sets[[claim$measure]]))
  by_whole_time <- if (claim$measure == "bandwidth") verdict_of(claim, decided(claim, paper, sets$whole))$verdict
  here[, by_whole_time := if (is.null(by_whole_time)) NA_character_ else by_whole_time]
  there <- claim_row(claim, paper, "published values", decided(claim, paper, printed))
  rbind(here, there[, by_whole_time := NA_character_])
}

# An error in a claim names it.
decided <- function(claim, paper, points) {
  if (nrow(points) == 0) {
    return(NULL)
  }
  tryCatch(claim$decide(points), error = function(error) {
    stop(sprintf("analysis/claims/%s.R: claim '%s': %s", paper$name, claim$id, conditionMessage(error)), call. = FALSE)
  })
}

verdict_of <- function(claim, found) {
  if (is.null(found) || !is.finite(found$effect)) {
    return(list(verdict = verdict_words[3], doubt = ""))
  }
  ends <- claim$expects(claim$tolerance)
  inside <- found$effect >= ends$effect[1] && found$effect <= ends$effect[2]
  sure <- is.na(found$lo) || (found$lo >= ends$interval[1] && found$hi <= ends$interval[2])
  list(
    verdict = verdict_words[if (inside && sure) 1 else 2],
    doubt = if (inside && !sure) "the interval allows the contrary" else ""
  )
}

claim_row <- function(claim, paper, evidence, found) {
  judged <- verdict_of(claim, found)
  judged$doubt <- paste(c(found$note, judged$doubt[nzchar(judged$doubt)]), collapse = "; ")
  scope <- judged$verdict == verdict_words[3]
  number <- function(key) if (scope) NA_real_ else as.numeric(found[[key]])
  reasons <- if (scope) character() else setdiff(unique(unlist(strsplit(found$used$reasons, ";", fixed = TRUE))), "")
  data.table::data.table(
    paper = paper$name, claim = claim$id, says = claim$says, cites = paper$cites, where = claim$where,
    evidence = evidence, verdict = judged$verdict, effect = number("effect"), lo = number("lo"), hi = number("hi"),
    unit = if (scope) NA_character_ else found$words, lowest = number("lowest"), highest = number("highest"),
    count = number("count"), bound = bound_words(claim), doubt = judged$doubt,
    points = if (scope) 0L else nrow(found$used), degraded = if (scope) 0L else sum(found$used$degraded),
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
  decided <- read_text_table(inputs$claims, "decided claims")
  for (column in c("effect", "lo", "hi", "lowest", "highest", "count", "points", "degraded")) {
    data.table::set(decided, j = column, value = as_typed(decided[[column]], "number", inputs$claims, column))
  }
  for (column in c("doubt", "reasons")) {
    data.table::set(decided, i = which(is.na(decided[[column]])), j = column, value = "")
  }
  decided[, emulated := as_typed(emulated, "flag", inputs$claims, "emulated")][]
}

write_claims <- function(paper, records, inputs, path) {
  known <- claim_files()
  if (paper != "all" && !paper %in% known) {
    stop(sprintf("no paper '%s' in analysis/claims: there are %s", paper, paste(known, collapse = ", ")), call. = FALSE)
  }
  papers <- if (paper == "all") known else paper
  decided <- decide_claims(records, known_facts(inputs), inputs$published, papers = papers)
  data.table::fwrite(decided, path)
  said <- decided[, .N, by = .(evidence, verdict)]
  cat(sprintf("%s: %d %s\n", said$evidence, said$N, said$verdict), sep = "")
}
