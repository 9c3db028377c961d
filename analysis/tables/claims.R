title <- "Claims of publications, decided"
position <- 60
section <- "appendix"
if_empty <- "these data decide none of the claims in analysis/claims."
caption <- paste(
  "Claims of publications, rephrased, and how these records and the values that the publications printed decide",
  "them: an effect, of these records with its 95 % interval over the rounds, and what it had to be. Undecided: the",
  "interval allows both, or there are fewer than two rounds. An exponent is that of the growth with the nodes.",
  "Bandwidth is that over the time of the transfers. Over the claims of a publication false decisions are held at 5",
  "%, of this campaign: a cell that was slow for all of its rounds decides a claim as well."
)
in_print <- paste(
  "Under each verdict stands its effect; a dagger marks a verdict that is another by the time from open to close. How",
  "many pairs or series an effect is the median of is in tables/claims.csv."
)

make_table <- function(records, inputs) {
  decided <- decided_claims(records, inputs)[verdict != outcomes[4]]
  # Published values are shown beside records that decide a claim, and not beside others; a paper with a study of its
  # own is always decided in that study.
  of_study <- decided$paper %in% Filter(function(name) !is.null(load_claims(name)$suites), unique(decided$paper))
  if (any(decided$evidence == "these records")) decided else decided[of_study]
}

make_latex <- function(table) {
  here <- table[evidence == "these records"]
  printed <- table[evidence == "published values"]
  rows <- unique(table[, .(paper, claim, says, where, bound)])
  units <- table[, .(unit = stats::na.omit(unit)[1]), by = .(paper, claim)]
  rows <- units[rows, on = c("paper", "claim")]
  whole <- nrow(here) > 0 && all(here$emulated)
  cells <- rows[, .(
    sprintf("%s \\emph{(%s)}\\tablegap{}", escape_latex(says), section_signs(where)),
    paste(escape_latex(unit), bound_cell(bound)),
    decided_cell(here[rows, on = c("paper", "claim")], !whole), decided_cell(printed[rows, on = c("paper", "claim")])
  )]
  groups <- vapply(rows$paper, paper_head, character(1), USE.NAMES = FALSE)
  latex_table(
    name, paste(caption, in_print), cells,
    c(wrapped_column(48), wrapped_column(19), wrapped_column(29), wrapped_column(20)),
    c("claim", "bound", if (whole) "these records, \\textbf{EMULATED}" else "these records", "printed values"),
    groups = groups, in_place = nrow(cells) > most_claims_together, together = 3
  )
}

# What is more may break over pages.
most_claims_together <- 8L

paper_head <- function(name) {
  paper <- load_claims(name)
  sprintf("%s~\\cite{%s}", escape_latex(paper$title), paper$cites)
}

section_signs <- function(where) gsub("Sect. ", "\\S", escape_latex(where), fixed = TRUE)

# The verdict, and under it the numbers; nothing where there is none.
decided_cell <- function(found, tell_emulated = FALSE) {
  lines <- paste0(
    verdict_cell(found), "\\newline ", effect_number(found$effect),
    ifelse(is.na(found$lo), "", sprintf(" (%s to %s)", effect_number(found$lo), effect_number(found$hi))),
    ifelse(nzchar(found$doubt), paste0("; ", escape_latex(found$doubt)), ""),
    ifelse(found$unproven > 0, sprintf("; %d of %d points unproven", found$unproven, found$points), ""),
    ifelse(is.na(found$needed), "", sprintf("; %d rounds would decide", found$needed)),
    ifelse(tell_emulated & found$emulated, "\\newline\\textbf{EMULATED}", "")
  )
  ifelse(is.na(found$verdict), "--", lines)
}

verdict_cell <- function(found) {
  sprintf(
    "\\textbf{\\textcolor[HTML]{%s}{%s}}%s", verdict_colours[found$verdict], found$verdict,
    ifelse(found$by_whole_time %in% c(found$verdict, NA), "", "$^\\dagger$")
  )
}

verdict_colours <- c(reproduced = "0072B2", contradicted = "B00020", undecided = "606060")

# 0.85 or more, 0.8 to 1.2
bound_cell <- function(bound) {
  bound <- sub("^(.*) or more$", "$\\\\ge$ \\1", bound)
  bound <- sub("^(.*) or less$", "$\\\\le$ \\1", bound)
  sub(" to ", "--", bound, fixed = TRUE)
}
