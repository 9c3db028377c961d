title <- "Claims of publications"
position <- 60
section <- "claims"
if_empty <- "these data decide none of the claims in analysis/claims."
caption <- paste(
  "Claims as the publications state them, the effect in these records with its 95 % interval over the rounds, what",
  "it has to be, and the same of the values that were printed. \u2713 reproduced, \u00d7 contradicted, ? undecided;",
  "an exponent is that of the growth with the nodes. False decisions are held at 5 % over a publication, of this",
  "campaign: a cell that was slow for all of its rounds decides a claim as well."
)

caption_of_printed <- paste(
  "Claims as the publications state them, what the effect has to be, and the effect in the values that were printed:",
  "\u2713 reproduced, \u00d7 contradicted, ? undecided; an exponent is that of the growth with the nodes."
)

make_table <- function(records, inputs) {
  decided <- decided_claims(records, inputs)[verdict != outcomes[4]]
  # Published values are shown beside records that decide a claim, and not beside others; a paper with a study of its
  # own is always decided in that study.
  of_study <- decided$paper %in% Filter(function(name) !is.null(load_claims(name)$suites), unique(decided$paper))
  table <- if (any(decided$evidence == "these records")) decided else decided[of_study]
  only_if(nrow(table) > 0)
  quoted <- quoted_claims(unique(table$paper))[table, on = "claim"]
  quoted[, would_decide := ifelse(evidence == "these records", deciding_words(quoted), "")]
  data.table::setcolorder(quoted, c(setdiff(names(quoted), c("quote", "quoted_at")), "quote", "quoted_at"))[]
}

make_latex <- function(table) {
  here <- table[evidence == "these records"]
  printed <- table[evidence == "published values"]
  rows <- unique(table[, .(paper, claim, says, where, quote, quoted_at, bound)])
  units <- table[, .(unit = stats::na.omit(unit)[1]), by = .(paper, claim)]
  rows <- units[rows, on = c("paper", "claim")]
  whole <- nrow(here) > 0 && all(here$emulated)
  of_records <- if (whole) "these records, \\textbf{EMULATED}" else "these records"
  # Where the records and the printed values decide different claims, half of the cells would be dashes: each of the two
  # has lines of its own.
  apart <- nrow(here) > 0 && nrow(printed) > 0 && length(intersect(here$claim, printed$claim)) == 0
  if (apart) rows <- rows[order(match(paper, unique(paper)), !claim %in% here$claim)]
  columns <- rows[, list(
    claim = claim_cell(.SD), "has to be" = paste(escape_latex(unit), bound_cell(bound)),
    here = decided_cell(here[rows, on = c("paper", "claim")], !whole),
    printed = decided_cell(printed[rows, on = c("paper", "claim")]),
    deciding = deciding_cell(here[rows, on = c("paper", "claim")])
  )]
  # A claim takes the most room, "contradicted" is the longest word that stands in two columns.
  least <- c(claim = 30, "has to be" = 11, here = 17, printed = 17, deciding = 14, verdict = 34)
  heads <- c(claim = "claim", "has to be" = "has to be", here = of_records, printed = "printed values",
    deciding = "would decide it", verdict = "verdict")
  groups <- vapply(rows$paper, head_of_publication, "", USE.NAMES = FALSE)
  if (apart) {
    is_here <- rows$claim %in% here$claim
    columns[, verdict := ifelse(is_here, with_deciding(here, deciding), printed)]
    groups <- paste0(groups, ": ", ifelse(is_here, of_records, "printed values"))
  }
  shown <- c("claim", "has to be", if (apart) "verdict" else if (nrow(here) == 0) "printed" else names(columns)[3:5])
  cells <- data.table::setnames(columns[, shown, with = FALSE], unname(heads[shown]))
  laid <- wrapped_columns(cells, least = least[shown])
  above <- if (nrow(here) == 0) caption_of_printed else caption
  latex_table(
    name, if (any(grepl("dagger", unlist(cells), fixed = TRUE))) with_dagger(above) else above, cells,
    laid$columns, groups = groups, lines = laid$lines, in_place = apart, together = 3
  )
}

with_deciding <- function(verdict, deciding) {
  ifelse(deciding == unknown_in_print, verdict, sprintf("%s\\newline would decide it: %s", verdict, deciding))
}

# Beside a verdict the dagger tells that the other definition of bandwidth has another one, which stands at its end.
with_dagger <- function(caption) {
  sub("? undecided;", "? undecided; \u2020: another verdict by the time from open to close;", caption, fixed = TRUE)
}

# The sentence as it was published and its section, and what is computed of it, since few sentences tell what a factor
# is of.
claim_cell <- function(rows) {
  ours <- sprintf("%s \\emph{(%s)}", escape_latex(rows$says), section_signs(rows$where))
  cited <- sprintf("``%s'' \\emph{(%s)}; here: %s", escape_latex(rows$quote), section_signs(rows$quoted_at),
    escape_latex(rows$says))
  paste0(ifelse(is.na(rows$quote), ours, cited), "\\tablegap{}")
}

# The verdict, and under it the numbers; nothing where there is none.
decided_cell <- function(found, tell_emulated = FALSE) {
  interval <- claim_interval(found, effect_number)
  lines <- paste0(
    verdict_cell(found), "\\newline ", effect_number(found$effect),
    ifelse(nzchar(interval), sprintf(" (%s)", interval), ""),
    unproven_words(found$unproven, found$points),
    ifelse(found$evidence %in% "these records" & found$verdict %in% outcomes[1:2] & nzchar(other_doubts(found)),
      paste0("; ", escape_latex(other_doubts(found))), ""),
    ifelse(tell_emulated & found$emulated, "\\newline\\textbf{EMULATED}", "")
  )
  ifelse(is.na(found$verdict), "--", lines)
}

unproven_words <- function(unproven, points) {
  all <- ifelse(points == 1, "1 point, unproven", sprintf("all %d points unproven", as.integer(points)))
  some <- sprintf("%d of %d points unproven", as.integer(unproven), as.integer(points))
  ifelse(unproven %in% 0, "", paste0("; ", ifelse(unproven == points, all, some)))
}

verdict_cell <- function(found) {
  sprintf(
    "\\textbf{\\textcolor[HTML]{%s}{%s %s}}%s", toupper(sub("#", "", colours_of("outcome")[found$verdict])),
    escape_latex(verdict_signs[found$verdict]), found$verdict,
    ifelse(is_reversed(found), "$^\\dagger$", "")
  )
}

verdict_signs <- c(reproduced = "\u2713", contradicted = "\u00d7", undecided = "?")

deciding_cell <- function(found) {
  words <- ifelse(is.na(found$would_decide) | !nzchar(found$would_decide), "--", escape_latex(found$would_decide))
  ifelse(is_reversed(found), paste0(words, sprintf("; $\\dagger$: %s", found$by_whole_time)), words)
}

# 0.85 or more, 0.8 to 1.2
bound_cell <- function(bound) {
  bound <- sub("^(.*) or more$", "$\\\\ge$~\\1", bound)
  bound <- sub("^(.*) or less$", "$\\\\le$~\\1", bound)
  sub(" to ", "--", bound, fixed = TRUE)
}
