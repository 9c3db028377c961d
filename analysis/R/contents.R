# contents.tex: the floats of a study, gathered by the sections they belong to and in the order of their positions.

sections <- c("opening", "setup", "results", "claims", "reservations", "appendix")

write_contents <- function(folder, path) {
  parts <- c(chosen_parts("figure", "all"), chosen_parts("table", "all"))
  parts <- Filter(function(part) file.exists(file.path(folder, part_file(part))), parts)
  positions <- vapply(parts, function(part) part$position, numeric(1))
  parts <- parts[order(positions)]
  first_lines <- vapply(parts, function(part) readLines(file.path(folder, part_file(part)), n = 1), character(1))
  not_applicable <- startsWith(first_lines, "\\notshown")
  shown <- parts[!not_applicable & !startsWith(first_lines, "%")]
  lines <- c(unlist(lapply(sections, section_lines, parts = shown)), not_applicable_lines(first_lines[not_applicable]))
  write_latex(lines, path)
}

part_file <- function(part) file.path(paste0(part$kind, "s"), paste0(part$name, ".tex"))

section_of <- function(part) {
  section <- if (is.null(part$section)) "results" else part$section
  refuse_if(!section %in% sections, "analysis/%ss/%s.R: section '%s' is none of %s", part$kind, part$name, section,
    paste(sections, collapse = ", "))
  section
}

section_lines <- function(section, parts) {
  parts <- Filter(function(part) section_of(part) == section, parts)
  inputs <- vapply(parts, function(part) sprintf("\\input{%s}", part_file(part)), character(1))
  mentions <- vapply(parts, mention, character(1))
  c(
    sprintf("\\newif\\ifany%s\\any%s%s", section, section, if (length(parts) > 0) "true" else "false"),
    sprintf("\\newcommand{\\floats%s}{%%", section), sprintf("%s%%", inputs), "}",
    sprintf("\\newcommand{\\mentions%s}{%s}", section, paste(mentions, collapse = "; "))
  )
}

mention <- function(part) {
  reference <- if (part$kind == "figure") "Fig.~\\ref{fig:%s}" else "Table~\\ref{tab:%s}"
  # Not MPI-IO or NetCDF, but Bandwidth, as it stands within a sentence.
  title <- sub("^([A-Z])(?=[a-z]*( |,|$))", "\\L\\1", part$title, perl = TRUE)
  sprintf("%s (%s)", escape_latex(title), sprintf(reference, part$name))
}

# Parts that lack the same are told together.
not_applicable_lines <- function(told) {
  form <- "^\\\\notshown[{](.*)[}][{](.*)[}]$"
  reasons <- sub(form, "\\2", told)
  titles <- split(sub(form, "\\1", told), factor(reasons, levels = unique(reasons)))
  c(
    sprintf("\\newif\\ifnotapplicable\\notapplicable%s", if (length(told) > 0) "true" else "false"),
    "\\newcommand{\\notapplicableparts}{%",
    sprintf("\\notshown{%s}{%s}", vapply(titles, paste, "", collapse = "; "), names(titles)), "}"
  )
}
