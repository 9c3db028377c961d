# The claims in the prose: how many were decided, and the verdict and effect of each by its name.

claim_numbers <- function(decided) {
  here <- decided[evidence == "these records"]
  printed <- decided[evidence == "published values"]
  count <- function(rows, word) thousands(sum(rows$verdict == word))
  others <- count(here, outcomes[4])
  list(
    Claims = thousands(nrow(here)),
    ClaimsDecided = thousands(sum(here$verdict %in% outcomes[1:2])),
    ClaimsReproduced = count(here, outcomes[1]),
    ClaimsContradicted = count(here, outcomes[2]),
    ClaimsUndecided = count(here, outcomes[3]),
    ClaimsOutOfScope = others,
    # Behind the undecided ones, so that the counts of a text add up.
    ClaimsRest = if (others == "0") "" else sprintf(", %s out of scope here", others),
    ClaimsPrintedDecided = thousands(sum(printed$verdict %in% outcomes[1:2])),
    ClaimsPrintedReproduced = count(printed, outcomes[1]),
    ClaimsPrintedContradicted = count(printed, outcomes[2]),
    ContradictedClaims = if (any(here$verdict %in% outcomes[1:2])) contradicted(here) else ""
  )
}

contradicted <- function(here) {
  says <- here[verdict == outcomes[2], mark_name(says, emulated)]
  if (length(says) == 0) {
    return("These records contradict no claim.")
  }
  items <- paste0("\\item ", escape_latex(says), collapse = " ")
  sprintf("These records contradict: \\begin{itemize} %s \\end{itemize}", items)
}

# \\verdictof{native-scales}, \\effectof{native-scales}; of the values that the paper printed \\printedverdictof.
named_claims <- function(decided) {
  prefix <- ifelse(decided$evidence == "these records", "", "printed")
  effects <- ifelse(is.na(decided$effect), "--", effect_number(decided$effect))
  whole <- ifelse(is_reversed(decided), sprintf("; %s by the time from open to close", decided$by_whole_time), "")
  c(
    setNames(decided$verdict, sprintf("%sverdictof-%s", prefix, decided$claim)),
    # An abstract has what both definitions of bandwidth decide alike.
    setNames(ifelse(is_reversed(decided), outcomes[3], decided$verdict), sprintf("%sfirmof-%s", prefix, decided$claim)),
    setNames(whole, sprintf("%swholeof-%s", prefix, decided$claim)),
    setNames(effects, sprintf("%seffectof-%s", prefix, decided$claim))
  )
}

effect_number <- function(values) gsub("-", "$-$", two_digits(values), fixed = TRUE)

# What is near one must not read as one: 1.04 has as many digits above it as 0.96 has below.
two_digits <- function(values) {
  digits <- digits_near_one(values, ifelse(values %in% 1 | !(values >= 0.995 & values < 1.095), 2, 3))
  words <- vapply(seq_along(values), function(i) {
    if (is.na(values[i])) {
      return(NA_character_)
    }
    trimws(formatC(signif(values[i], digits[i]), digits = digits[i], format = "fg", flag = "#"))
  }, "")
  sub("[.]$", "", words)
}

# The interval of decided claims, beside their effects.
claim_interval <- function(found, in_words = two_digits) {
  ends_words(found$lo, found$hi, in_words, found$verdict %in% outcomes[3], counted(found$rounds, "round"),
    found$unit)
}

# What would decide an undecided claim; empty for the others.
deciding_words <- function(found) {
  rounds <- ifelse(is.na(found$needed), "more rounds", sprintf("about %d rounds", as.integer(found$needed)))
  few <- is.na(found$lo)
  words <- ifelse(
    few & found$ran >= 2, sprintf("2 rounds that are not degraded, of %d that ran", as.integer(found$ran)),
    ifelse(few, "2 rounds or more", sprintf("%s (%d usable so far)", rounds, as.integer(found$rounds)))
  )
  doubts <- other_doubts(found)
  ifelse(found$verdict == outcomes[3], paste0(words, ifelse(nzchar(doubts), "; ", ""), doubts), "")
}

# What else differs between the points of a claim: no number of rounds removes it.
other_doubts <- function(found) {
  sub("(^|; )(fewer than two rounds|of [0-9]+ rounds fewer than two are not degraded)", "", found$doubt)
}

# The other definition of bandwidth has another verdict.
is_reversed <- function(found) !is.na(found$by_whole_time) & found$by_whole_time != found$verdict
