title <- "Claims of publications, decided"
place <- 60
if_empty <- "these data decide none of the claims in analysis/claims."
caption <- paste(
  "What publications say, in our words, and what these records (by: records) and the values that the publications",
  "printed (by: printed) say to it. Because: an effect with its 95 % bootstrap interval, the range over the pairs or",
  "series that it is the median of, and what it had to be. An exponent is that of the growth with the nodes. Bandwidth",
  "is that over the time of the transfers; a dagger marks a verdict that is another by the time from open to close."
)

make_table <- function(records, inputs) {
  decided <- decided_claims(records, inputs)
  decided[verdict != verdict_words[3]]
}

make_latex <- function(table) {
  again <- duplicated(table[, .(paper, claim)])
  cells <- table[, .(
    said = ifelse(again, "", sprintf("%s \\emph{(%s)}\\tablegap{}", escape_latex(says), escape_latex(where))),
    by = ifelse(evidence == "these records", "records", "printed"), verdict_cell(.SD), effect_cell(.SD)
  )]
  groups <- vapply(table$paper, paper_head, character(1), USE.NAMES = FALSE)
  latex_table(
    name, caption, cells, c(wrapped_column(46), wrapped_column(10), wrapped_column(21), wrapped_column(37)),
    c("claim", "by", "verdict", "because"),
    groups = groups, in_place = TRUE
  )
}

paper_head <- function(name) {
  paper <- load_claims(name, home)
  sprintf("%s~\\cite{%s}", escape_latex(paper$title), paper$cites)
}

verdict_cell <- function(found) {
  sprintf(
    "\\textbf{\\textcolor[HTML]{%s}{%s}}%s%s", verdict_colours[found$verdict], found$verdict,
    ifelse(found$by_whole_time %in% c(found$verdict, NA), "", "$^\\dagger$"),
    ifelse(found$emulated, "\\newline\\mbox{\\textbf{(EMULATED)}}", "")
  )
}

verdict_colours <- c(reproduced = "1B7F79", "not reproduced" = "B00020")

effect_cell <- function(found) {
  interval <- ifelse(is.na(found$lo), "", sprintf(" (%s to %s)", effect_number(found$lo), effect_number(found$hi)))
  range <- ifelse(
    found$count %in% c(1, NA) | is.na(found$lowest), "",
    sprintf("; %s to %s over %d", effect_number(found$lowest), effect_number(found$highest), found$count)
  )
  doubt <- ifelse(nzchar(found$doubt), paste0("; ", found$doubt), "")
  degraded <- ifelse(
    found$degraded > 0,
    sprintf("; %d of %d points degraded: %s", found$degraded, found$points, gsub(";", ", ", found$reasons)), ""
  )
  paste0(
    escape_latex(found$unit), " ", effect_number(found$effect), interval, range, "; had to be ",
    escape_latex(found$bound), escape_latex(doubt), latex_name(degraded), "\\tablegap{}"
  )
}
