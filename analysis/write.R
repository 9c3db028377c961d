# Puts parts on disk: pictures, the tables behind them, floats for LaTeX and captions for the HTML report.

write_figures <- function(parts, records, inputs, folder) {
  dir.create(folder, showWarnings = FALSE, recursive = TRUE)
  for (part in parts) {
    write_figure(part, records, inputs, file.path(folder, part$name))
  }
}

write_figure <- function(part, records, inputs, stem) {
  table <- part$make_table(records, inputs)
  why_not <- why_nothing(part, table, records)
  if (is.null(why_not)) {
    plot <- add_provenance(part$make_figure(table), table, part$statistic)
    height_mm <- min(page_height_mm, part$height_mm(table))
  } else {
    plot <- placard(paste0(part$title, ": ", why_not))
    height_mm <- 25
  }
  save_plot(plot, stem, page_width_mm, height_mm)
  data.table::fwrite(table, paste0(stem, ".csv"))
  writeLines(c(part$caption, "", why_not), paste0(stem, ".rst"))
  writeLines(float_lines(part, why_not), paste0(stem, ".tex"))
}

# NULL where there is something to show, else a sentence.
why_nothing <- function(part, table, records) {
  if (nrow(table) > 0 && (is.null(table$n) || any(table$n > 0))) {
    return(NULL)
  }
  usable <- sum(records$verdict != "INVALID")
  if (nrow(records) == 0) {
    "there are no records."
  } else if (usable == 0) {
    sprintf("no valid record: all %s are invalid.", format(nrow(records), big.mark = ","))
  } else if (is.null(part$needs)) {
    "no valid record for it."
  } else {
    sprintf("no valid record for it; it needs %s.", part$needs)
  }
}

not_shown_line <- function(part, why_not) {
  sprintf("\\notshown{%s}{%s}", escape_latex(part$title), escape_latex(why_not))
}

float_lines <- function(part, why_not) {
  if (!is.null(why_not)) {
    return(not_shown_line(part, why_not))
  }
  c(
    "\\begin{figure}[tbp]", "\\centering", sprintf("\\includegraphics{%s}", part$name),
    sprintf("\\caption{%s}", escape_latex(part$caption)), sprintf("\\label{fig:%s}", part$name), "\\end{figure}"
  )
}

write_tables <- function(parts, records, inputs, folder) {
  dir.create(folder, showWarnings = FALSE, recursive = TRUE)
  for (part in parts) {
    stem <- file.path(folder, part$name)
    table <- part$make_table(records, inputs)
    why_not <- why_nothing(part, table, records)
    body <- if (is.null(why_not)) part$make_latex(table) else not_shown_line(part, why_not)
    data.table::fwrite(table, paste0(stem, ".csv"))
    writeLines(c(part$caption, "", why_not), paste0(stem, ".rst"))
    writeLines(body, paste0(stem, ".tex"))
  }
}
