# Puts parts on disk: pictures, the tables behind them, floats for LaTeX and captions for the HTML report.

write_figures <- function(parts, records, inputs, folder) {
  dir.create(folder, showWarnings = FALSE, recursive = TRUE)
  for (part in parts) {
    write_figure(part, records, inputs, file.path(folder, part$name))
  }
}

# What does not apply has no picture: its .tex and .rst tell why.
write_figure <- function(part, records, inputs, stem) {
  table <- part$make_table(records, inputs)
  part$caption <- paste(c(part$caption, measured_by(records_shown(records, table))), collapse = " ")
  why_not <- why_nothing(part, table, records)
  pages <- if (is.null(why_not)) split_pages(table, page_limit_of(part)) else list()
  heights_mm <- heights_of(pages, part)
  if (length(pages) > 0) {
    save_plots(lapply(pages, draw_page, part = part), heights_mm, stem)
    write_csv(table, stem)
  }
  finding <- if (is.null(why_not)) finding_of(part, table)
  writeLines(c(paste(c(finding, part$caption), collapse = " "), "", why_not), paste0(stem, ".rst"))
  write_latex(if (is.null(why_not)) float_lines(part, pages, heights_mm) else not_shown_line(part, why_not),
    paste0(stem, ".tex")
  )
}

# What a figure shows of these data stands before how to read it; of real storage where there is any.
finding_of <- function(part, table) {
  usable <- if (!is.null(part$finding)) table[n > 0]
  if (NROW(usable) > 0) part$finding(if (all(usable$emulated %in% TRUE)) usable else usable[!emulated %in% TRUE])
}

page_limit_of <- function(part) if (is.null(part$page_limit)) most_pages_of_figure else part$page_limit

write_csv <- function(table, stem) {
  data.table::fwrite(one_line_cells(table[, setdiff(names(table), "values"), with = FALSE]), paste0(stem, ".csv"))
}

# Titles of panels have lines, a table for programs has none within a field.
one_line_cells <- function(table) {
  data.table::as.data.table(lapply(table, function(values) {
    values <- if (is.factor(values)) as.character(values) else values
    if (is.character(values)) gsub("\n", ", ", trimws(values), fixed = TRUE) else values
  }))
}

draw_page <- function(page, part) add_provenance(part$make_figure(page), page, part)

heights_of <- function(pages, part) pmin(page_height_mm, vapply(pages, part$height_mm, numeric(1)))

# NULL where there is something to show, else a sentence.
why_nothing <- function(part, table, records) {
  usable <- records[verdict != "INVALID"]
  unfit <- if (is.null(part$applies) || nrow(usable) == 0) "" else part$applies(usable)
  if (nzchar(unfit)) {
    paste0(unfit, ".")
  } else if (nrow(table) > 0 && (is.null(table$n) || any(table$n > 0))) {
    NULL
  } else if (is.null(part$if_empty) || (nrow(usable) == 0 && !is.null(part$statistic))) {
    why_empty(part, nrow(records), nrow(usable), any(records$verdict %in% usable_verdicts))
  } else {
    part$if_empty
  }
}

why_empty <- function(part, records, usable, any_undoubted) {
  if (records == 0) {
    "there are no records."
  } else if (usable == 0) {
    all <- if (records == 1) "the only one is" else paste("all", thousands(records), "are")
    sprintf("no valid record: %s invalid.", all)
  } else if (is.null(part$needs)) {
    "no valid record for it."
  } else {
    # Degraded records alone may be of what the part needs.
    sprintf("it needs %s%s.", part$needs, if (any_undoubted) "" else ", and no record is valid or unproven")
  }
}

# A part that explains itself why it is empty is not missed in print; for the others the report gives the reason.
not_shown_line <- function(part, why_not) {
  if (!is.null(part$if_empty)) {
    return(paste("% nothing to list:", why_not))
  }
  sprintf("\\notshown{%s}{%s}", escape_latex(part$title), escape_latex(why_not))
}

# A float for each page, with what that page shows; the first explains how to read them. Pages are as high as the
# highest; what is free below the picture is cropped.
float_lines <- function(part, pages, heights_mm) {
  unlist(lapply(seq_along(pages), function(i) {
    words <- c(sprintf("%d of %d", i, length(pages)), constant_words(pages[[i]]))
    told <- if (length(pages) > 1) sprintf("%s (%s).", part$title, paste(words[nzchar(words)], collapse = ": "))
    caption <- paste(c(told, finding_of(part, pages[[i]]), if (i == 1) part$caption), collapse = " ")
    free_mm <- max(heights_mm) - heights_mm[i]
    c(
      "\\begin{figure}[tbp]", "\\centering",
      sprintf("\\includegraphics[page=%d,trim=0 %.1fmm 0 0,clip]{%s}", i, free_mm, part$name),
      sprintf("\\caption{%s}", escape_latex(caption)),
      sprintf("\\label{fig:%s}", paste0(part$name, if (i > 1) paste0("-", i))), "\\end{figure}"
    )
  }))
}

write_tables <- function(parts, records, inputs, folder) {
  dir.create(folder, showWarnings = FALSE, recursive = TRUE)
  for (part in parts) {
    stem <- file.path(folder, part$name)
    table <- part$make_table(records, inputs)
    why_not <- why_nothing(part, table, records)
    body <- if (is.null(why_not)) part$make_latex(table) else not_shown_line(part, why_not)
    if (is.null(why_not)) {
      write_csv(table, stem)
      write_html(part, table, stem)
    }
    writeLines(c(part$caption, "", why_not), paste0(stem, ".rst"), useBytes = TRUE)
    write_latex(body, paste0(stem, ".tex"))
  }
}
