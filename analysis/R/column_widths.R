# How wide the columns of a table of text are, so that its rows take the fewest lines.

# The `columns` of a table of text and the `lines` of its rows: each column is at least as wide as `least`, all fill the
# text. A column without a value is not printed and gets nothing.
wrapped_columns <- function(cells, least) {
  cells <- lapply(as.list(cells), function(cell) ifelse(is.na(cell), unknown_in_print, as.character(cell)))
  printed <- which(!vapply(cells, is_column_without_value, TRUE))
  words <- lapply(unname(cells[printed]), widths_of_words)
  room <- text_units - gap_units * (length(printed) - 1)
  widths <- widths_of_fewest_lines(words, least[printed], room)
  list(
    columns = setNames(vapply(replace(least, printed, widths), wrapped_column, ""), names(cells)),
    lines = do.call(pmax, Map(lines_of_text, words, widths))
  )
}

# In \tablemm: the text, a gap between two columns, and a small letter of a table; a capital is wider by half.
text_units <- 127
gap_units <- 1.4
letter_units <- 0.93

# From widths as the texts are long, a few units at a time go from one column to another while lines become fewer.
widths_of_fewest_lines <- function(words, least, room) {
  long <- vapply(words, function(cells) sum(unlist(cells)), 1)
  widths <- least + floor((room - sum(least)) * long / max(1, sum(long)))
  widths[which.max(long)] <- widths[which.max(long)] + room - sum(widths)
  moves <- data.table::CJ(units = c(6, 3, 1), from = seq_along(words), to = seq_along(words), sorted = FALSE)
  moves <- moves[from != to]
  lines <- Map(lines_of_text, words, widths)
  repeat {
    before <- sum(do.call(pmax, lines))
    for (i in seq_len(nrow(moves))) {
      changed <- c(moves$from[i], moves$to[i])
      tried <- replace(widths, changed, widths[changed] + c(-1, 1) * moves$units[i])
      if (any(tried < least)) next
      now <- replace(lines, changed, Map(lines_of_text, words[changed], tried[changed]))
      if (sum(do.call(pmax, now)) < sum(do.call(pmax, lines))) {
        widths <- tried
        lines <- now
      }
    }
    if (sum(do.call(pmax, lines)) == before) {
      return(widths)
    }
  }
}

# The widths of what stands between two spaces, for each line of each cell.
widths_of_words <- function(cells) {
  lapply(visible_text(cells), function(lines) {
    lapply(strsplit(lines, " ", fixed = TRUE), units_of)
  })
}

units_of <- function(text) letter_units * (nchar(text) + nchar(gsub("[^A-Z]", "", text)) / 2)

# The lines of each cell in a column of this width.
lines_of_text <- function(cells, width) {
  vapply(cells, function(lines) sum(vapply(lines, lines_of_words, 1, width = width)), 1)
}

lines_of_words <- function(words, width) {
  count <- 1
  used <- 0
  for (word in words) {
    if (used > 0 && used + letter_units + word > width) {
      count <- count + 1
      used <- word
    } else {
      used <- used + word + (used > 0) * letter_units
    }
  }
  count
}

# What a reader sees of LaTeX, in lines as it breaks them; of a part or the reason for its absence the reason.
visible_text <- function(latex) {
  seen <- gsub("\\\\(partorreason[{][a-z]+[}][{][^}]*[}][{][^}]*[}]|textcolor\\[HTML\\][{][0-9A-F]+[}])", "", latex)
  seen <- gsub("\\newline", "\u0001", seen, fixed = TRUE)
  seen <- gsub("[{}$^]", "", gsub("\\\\[a-zA-Z]+", "", gsub("~", " ", seen, fixed = TRUE)))
  lapply(strsplit(seen, "\u0001", fixed = TRUE), function(lines) if (length(lines) == 0) "" else trimws(lines))
}
