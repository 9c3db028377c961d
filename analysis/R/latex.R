# Text and tables for LaTeX. Names come from YAML files and host names from machines: anything may be in them.

# What is not known is a dash: no NA reaches a page.
unknown_in_print <- "--"

escape_latex <- function(text) {
  unknown <- is.na(text)
  whole <- enc2utf8(as.character(text))
  text <- name_strange_signs(gsub("[[:cntrl:]]+", " ", shortened(whole, longest_text_in_print)))
  text <- gsub("\\", "\u0001", text, fixed = TRUE)
  text <- gsub("([&%$#_{}])", "\\\\\\1", text, perl = TRUE)
  for (sign in names(latex_signs)) {
    text <- gsub(sign, latex_signs[[sign]], text, fixed = TRUE)
  }
  # A name of the list above would not survive a machine without UTF-8.
  text <- gsub("\u2713", "$\\checkmark$", text, fixed = TRUE)
  # Two of these would become one typographic sign: --mca is an option, not a dash.
  text <- gsub("([-',])(?=\\1)", "\\1{}", text, perl = TRUE)
  ifelse(unknown, unknown_in_print, gsub("\u0001", "\\textbackslash{}", text, fixed = TRUE))
}

# Code between grave accents, as it is after escape_latex().
code_in_print <- function(latex) {
  accent <- "\\\\textasciigrave\\{\\}"
  gsub(paste0(accent, "(.+?)", accent), "\\\\texttt{\\1}", latex, perl = TRUE)
}

# Every .tex of a study is written here, so that no line of print begins with the unit of its number.
write_latex <- function(lines, path) writeLines(keep_units(lines), path, useBytes = TRUE)

keep_units <- function(latex) gsub(number_and_unit, "~", latex, perl = TRUE)

# The space between them, also after an interval; weir/report/text.py has the same.
number_and_unit <- paste0(
  "(?<=[0-9]|[0-9]\\{\\]\\}) (?=(?:\\\\%|(?:[KMGTP]i?|k)?B(?:/s)?|[nmu\u00b5]?s|min|h|[kM]?(?:op|IOP|iop)s?/s|",
  "k?IOPS|G?bit/s|[KMGT]b/s|mm)(?![[:alnum:]_/-]))"
)

# What is longer than any text of a study fills pages, and a row that is higher than a page never ends.
longest_text_in_print <- 2000L
longest_name_in_print <- 800L
shortened <- function(text, most) {
  long <- which(nchar(text) > most)
  replace(text, long, sprintf("%s...", substr(text[long], 1, most)))
}

# A bracket or a star that begins a row of a table would belong to the line break before it.
latex_signs <- c(
  "~" = "\\textasciitilde{}", "^" = "\\textasciicircum{}", "<" = "\\textless{}", ">" = "\\textgreater{}",
  "|" = "\\textbar{}", "\"" = "\\textquotedbl{}", "[" = "{[}", "]" = "{]}", "*" = "{*}",
  "`" = "\\textasciigrave{}"
)

# LaTeX's fonts have the letters of western Europe. A sign that they lack would end the printing: its number stands for
# it.
name_strange_signs <- function(text) {
  vapply(text, function(words) {
    codes <- utf8ToInt(words)
    strange <- !is.na(codes) & !codes %in% known_signs
    if (!any(strange)) {
      return(words)
    }
    paste(ifelse(strange, sprintf("[U+%04X]", codes), intToUtf8(codes, TRUE)), collapse = "")
  }, character(1), USE.NAMES = FALSE)
}

strange_sign <- "([^\u0001-\u00ff\u2013\u2014\u2018-\u201d\u2020\u2022\u2026\u2713])(?=[^ ])"
known_signs <- c(0x20:0x7E, setdiff(0xA1:0xFF, 0xAD), 0x2013, 0x2014, 0x2018:0x201D, 0x2020, 0x2022, 0x2026, 0x2713)

# A name that may be long: a line can end after its signs, and in text without any after ten letters. A sign that the
# fonts lack is eight.
latex_name <- function(text) {
  text[is.na(text)] <- "\u2013"
  pieces <- strsplit(shortened(enc2utf8(as.character(text)), longest_name_in_print), "(?<= )", perl = TRUE)
  vapply(pieces, function(words) {
    paste(ifelse(nchar(name_strange_signs(words)) > 13, breakable(words), escape_latex(words)), collapse = "")
  }, character(1))
}

breakable <- function(words) {
  words <- gsub("([_/.:;,=+@-])(?=[^ ])", "\\1\u0002", words, perl = TRUE)
  words <- gsub(strange_sign, "\\1\u0002", words, perl = TRUE)
  words <- gsub("([[:alnum:]]{10})(?=[[:alnum:]]{5})", "\\1\u0002", words, perl = TRUE)
  vapply(strsplit(words, "\u0002", fixed = TRUE), function(parts) {
    paste(escape_latex(parts), collapse = "\\allowbreak{}")
  }, character(1))
}

# A table from cells that are LaTeX already. `columns` is the preamble, one entry for each column, or by their names the
# entries of those that do not stand to the right; where `groups` changes, its text stands in a line of its own. Short
# tables float unless they have to stand in their place, long ones break over pages, the last rows of them `together`.
# `below` is LaTeX that stands under the last row. A column in which no value is known is not printed, but named in the
# caption.
latex_table <- function(name, caption, cells, columns = NULL, header = names(cells), groups = NULL,
                        lines = nrow(cells), in_place = FALSE, together = 8, below = NULL) {
  if (is.null(columns) || !is.null(names(columns))) {
    stopifnot(names(columns) %in% names(cells))
    columns <- ifelse(names(cells) %in% names(columns), columns[names(cells)], "r")
  }
  stopifnot(length(cells) == length(columns), length(header) == length(columns))
  known <- lapply(unname(as.list(cells)), function(cell) ifelse(is.na(cell), unknown_in_print, as.character(cell)))
  empty <- vapply(known, is_column_without_value, TRUE)
  # Where every value is of one run, once is enough.
  single <- header == "$n$" & vapply(known, function(cell) all(cell %in% c("1", unknown_in_print)), logical(1)) & !empty
  marks <- explained_marks(known, below)
  known <- marks$known
  not_printed <- if (any(empty)) {
    paste("not shown, as they have no values:", paste(unique(header[empty]), collapse = ", "))
  }
  remarks <- c(if (any(single)) "single runs", marks$remarks, not_printed)
  empty <- empty | (single & sum(!empty) > 1)
  columns <- columns[!empty]
  header <- header[!empty]
  rows <- paste0(do.call(paste, c(known[!empty], sep = " & ")), " \\\\")
  body <- if (is.null(groups)) rows else with_group_lines(rows, groups, length(columns))
  head <- if (any(nzchar(header))) c(paste0(paste(header, collapse = " & "), " \\\\"), "\\midrule")
  caption <- escape_latex(caption)
  if (length(remarks) > 0) caption <- sprintf("%s (%s).", sub("[.]$", "", caption), paste(remarks, collapse = "; "))
  caption <- sprintf("\\caption{%s}\\label{tab:%s}", caption, name)
  preamble <- paste0("@{}", paste(columns, collapse = ""), "@{}")
  if (!in_place && sum(lines) + length(unique(groups)) <= most_lines_of_float) {
    short_table(preamble, caption, head, body, below)
  } else {
    c(long_table(preamble, caption, head, body, length(columns), together), below)
  }
}

is_column_without_value <- function(cell) length(cell) > 0 && all(cell %in% c(unknown_in_print, "\u2013"))

# A table of so many lines fits on one page with its caption: it stands whole on the next one rather than on two.
most_lines_of_float <- 70

# What the marks of verdicts beside values mean (cells.R), of those that stand in the cells or below them. Where every
# value has the same, it is told once in place of the marks.
explained_marks <- function(known, below) {
  marks <- sprintf("\\rlap{%s}", verdict_signs_in_print)
  has <- lapply(marks, function(mark) lapply(known, grepl, pattern = mark, fixed = TRUE))
  alike <- which(vapply(has, function(of) is_in_every_value(known, of), TRUE))
  if (length(alike) == 1) {
    known <- lapply(known, function(cell) gsub(marks[alike], "", cell, fixed = TRUE))
  }
  there <- mapply(function(mark, sign) {
    any(grepl(mark, unlist(known), fixed = TRUE)) || any(grepl(sign, below, fixed = TRUE))
  }, marks, verdict_signs_in_print)
  told <- sprintf("%s: %s", verdict_signs_in_print, tolower(names(verdict_signs_in_print)))[there]
  list(known = known, remarks = c(if (length(alike) == 1) paste("all", tolower(names(verdict_signs_in_print)[alike])),
    told))
}

is_in_every_value <- function(known, has) {
  marked <- which(vapply(has, any, TRUE))
  values <- unlist(Map(function(cell, is_marked) is_marked[cell != unknown_in_print], known[marked], has[marked]))
  length(values) > 1 && all(values)
}

short_table <- function(preamble, caption, head, body, below) {
  c(
    "\\begin{table}[htbp]", caption, "\\centering\\tablesize", sprintf("\\begin{tabular}{%s}", preamble), "\\toprule",
    head, body, "\\bottomrule", "\\end{tabular}", below, "\\end{table}"
  )
}

long_table <- function(preamble, caption, head, body, width, together) {
  again <- sprintf("\\multicolumn{%d}{@{}l@{}}{\\small\\tablename~\\thetable, continued} \\\\[2pt]", width)
  on <- sprintf("\\multicolumn{%d}{@{}r@{}}{continued on the next page} \\\\", width)
  c(
    "\\tablesbefore\\roomfor{55mm}\\begingroup\\tablesize", sprintf("\\begin{longtable}{%s}", preamble),
    paste0(caption, "\\\\"), "\\toprule", head,
    "\\endfirsthead", again, "\\toprule", head, "\\endhead", "\\midrule", on,
    "\\endfoot", "\\bottomrule", "\\endlastfoot", keep_last_together(body, together), "\\end{longtable}", "\\endgroup"
  )
}

# No page holds the last row or two alone.
keep_last_together <- function(rows, count = 8) {
  last <- utils::tail(seq_along(rows), count)
  rows[last[-length(last)]] <- sub("\\\\\\\\[*]?$", "\\\\\\\\*", rows[last[-length(last)]])
  rows
}

# The heading of a group stays with its first row.
with_group_lines <- function(rows, groups, width) {
  first <- groups != c("", groups[-length(groups)])
  gap <- ifelse(seq_along(rows) == 1, "", "\\addlinespace ")
  seen <- gsub("\\allowbreak{}", "", groups, fixed = TRUE)
  cell <- ifelse(nchar(seen) > 70, ">{\\raggedright\\arraybackslash}p{\\linewidth}", "l")
  heading <- sprintf("%s\\multicolumn{%d}{@{}%s@{}}{\\itshape %s} \\\\*", gap, width, cell, groups)
  c(rbind(ifelse(first, heading, NA), rows)) |> Filter(f = Negate(is.na))
}

wrapped_column <- function(width_mm) sprintf(">{\\raggedright\\arraybackslash}p{%g\\tablemm}", width_mm)

# "a, b and c"
and_list <- function(words) {
  if (length(words) < 2) {
    return(paste(words, collapse = ""))
  }
  paste(paste(words[-length(words)], collapse = ", "), "and", words[length(words)])
}
