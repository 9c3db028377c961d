title <- "The publication's figures and tables, and ours"
position <- 0
section <- "opening"
if_empty <- "the study repeats no publication of reference/publications."
caption <- "Every figure and table of the publication, and where this report shows the same."
of_shared_lines <-
  "; those that are not here for the same reason share a line, and tables/publication.csv has what each of them shows."
of_emulated <- "(E): only emulated storage was measured of it, which tests the method and not a product."
of_emulating <- "(E): that suite measures emulated storage: it tests the method, not a product."
of_forms <- "Of the last talks only what these records repeat is listed."

make_table <- function(records, inputs) publication_map(records, known_facts(inputs))

make_latex <- function(table) {
  rows <- absent_together(table)
  cells <- rows[, .(
    publication = gsub("(?<=Figure|Table) (?=[0-9])", "~", escape_latex(item), perl = TRUE),
    "what it shows" = sprintf("%s\\emph{(%s)}\\tablegap{}", escape_latex(shows), section_signs(place)),
    "this report" = paste0(place_of_part(part, held, emulated, reason), "\\tablegap{}")
  )]
  # An item is a name: it stands on one line, or on two where a publication has long ones.
  least <- c(min(24, max(units_of(table$item)) + 1), 24, 24)
  # What measures it, beside an archive.
  if (any(nzchar(table$instead))) {
    cells[, "measured by" := latex_name(rows$instead)]
    least <- c(least, 14)
  }
  marked <- if (any(table$emulated)) of_emulated else if (any(grepl("(E)", table$instead, fixed = TRUE))) of_emulating
  several <- data.table::uniqueN(table$paper) > 1
  told <- if (several) sub("the publication", "the publications", caption, fixed = TRUE) else caption
  if (nrow(rows) < nrow(table)) told <- sub("[.]$", of_shared_lines, told)
  told <- paste(c(told, marked, if (!all(table$whole)) of_forms), collapse = " ")
  laid <- wrapped_columns(cells, least)
  latex_table(
    name, told, cells, laid$columns, groups = vapply(rows$paper, head_of_publication, ""),
    lines = laid$lines, in_place = nrow(rows) > most_items_together, together = 3
  )
}

# Items that are not here for the same reason are one row: their names, and where they stand in the publication.
absent_together <- function(table) {
  rows <- data.table::copy(table)[, line := .I]
  rows[held == FALSE, line := line[1], by = .(paper, reason, instead)]
  rows[, .(
    item = paste(item, collapse = "; "), shows = if (.N == 1) paste0(shows, " ") else "",
    place = paste(unique(place), collapse = "; "), part = part[1], held = held[1], emulated = emulated[1],
    reason = reason[1], instead = instead[1]
  ), by = .(paper, line)]
}

# What is more may break over pages.
most_items_together <- 10L

# LaTeX knows which parts the report prints, and on which page.
place_of_part <- function(part, held, emulated, reason) {
  kind <- sub(" .*", "", part)
  of <- sub("^[a-z]+ ", "", part)
  shown <- sprintf("\\partorreason{%s}{%s}{%s}{not here: %s}", kind, of,
    ifelse(emulated, " (E)", ""), escape_latex(reason))
  ifelse(held, shown, paste("not here:", escape_latex(reason)))
}
