title <- "The publication's figures and tables, and ours"
position <- 0
section <- "opening"
if_empty <- "the study repeats no publication of reference/publications."
caption <- "Every figure and table of the publication, and where this report shows the same."
of_emulated <- "(E): only emulated storage was measured of it, which tests the method and not a product."
of_emulating <- "(E): that suite measures emulated storage: it tests the method, not a product."
of_forms <- "Of the last talks only what these records repeat is listed."

make_table <- function(records, inputs) publication_map(records, known_facts(inputs))

make_latex <- function(table) {
  cells <- table[, .(
    escape_latex(item), sprintf("%s \\emph{(%s)}\\tablegap{}", escape_latex(shows), section_of_paper(place)),
    paste0(place_of_part(part, held, emulated, reason), "\\tablegap{}")
  )]
  # An item is a name: it stands on one line, or on two where a publication has long ones.
  least <- c(min(24, max(units_of(table$item)) + 1), 24, 24)
  header <- c("publication", "what it shows", "this report")
  # What measures it, beside an archive.
  if (any(nzchar(table$instead))) {
    cells[, instead := dash(latex_name(table$instead))]
    least <- c(least, 14)
    header <- c(header, "measured by")
  }
  marked <- if (any(table$emulated)) of_emulated else if (any(grepl("(E)", table$instead, fixed = TRUE))) of_emulating
  several <- data.table::uniqueN(table$paper) > 1
  told <- if (several) sub("the publication", "the publications", caption, fixed = TRUE) else caption
  told <- paste(c(told, marked, if (!all(table$whole)) of_forms), collapse = " ")
  laid <- wrapped_columns(cells, least)
  latex_table(
    name, told, cells, laid$columns, header,
    groups = vapply(table$paper, head_of_publication, ""), lines = laid$lines,
    in_place = nrow(table) > most_items_together, together = 3
  )
}

# What is more may break over pages.
most_items_together <- 10L

section_of_paper <- function(place) gsub("Sect. ", "\\S", escape_latex(place), fixed = TRUE)

head_of_publication <- function(name) {
  paper <- title_of_publication(name)
  if (nzchar(paper[["cites"]])) {
    sprintf("%s~\\cite{%s}", escape_latex(paper[["title"]]), paper[["cites"]])
  } else {
    escape_latex(paper[["title"]])
  }
}

# LaTeX knows which parts the report prints, and on which page.
place_of_part <- function(part, held, emulated, reason) {
  kind <- sub(" .*", "", part)
  of <- sub("^[a-z]+ ", "", part)
  shown <- sprintf("\\partorreason{%s}{%s}{%s}{not here: %s}", kind, of,
    ifelse(emulated, " (E)", ""), escape_latex(reason))
  ifelse(held, shown, paste("not here:", escape_latex(reason)))
}
