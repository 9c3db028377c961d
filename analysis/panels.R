# Where the small multiples stand: which of the columns that vary become rows of panels, columns of panels, or pages.

# Adds `page`, `row` and `column` to a table. `wishes` names for each column of the table the place where it belongs
# (page, row or column). A page has room for so many rows and columns of panels only; of all placings that fit, the one
# with the fewest pages is taken, then the one nearest to the wishes.
place_panels <- function(table, wishes, most_rows = 6, most_columns = 5) {
  if (nrow(table) == 0) {
    return(table)
  }
  wishes <- wishes[varying_columns(table, names(wishes))]
  places <- best_places(unique(table[, names(wishes), with = FALSE]), wishes, most_rows, most_columns)
  table <- data.table::copy(table)
  for (place in c("page", "row", "column")) {
    columns <- names(places)[places == place]
    data.table::set(table, j = place, value = words_in_order(table, columns))
  }
  table[]
}

best_places <- function(combinations, wishes, most_rows, most_columns) {
  free <- names(wishes)[wishes != "page"]
  choices <- expand.grid(rep(list(c("row", "column", "page")), length(free)), stringsAsFactors = FALSE)
  names(choices) <- free
  cost <- vapply(seq_len(max(1, nrow(choices))), function(choice) {
    places <- replace(wishes, free, unlist(choices[choice, ]))
    counts <- vapply(c("page", "row", "column"), function(place) {
      combinations_of(combinations, names(places)[places == place])
    }, numeric(1))
    fits <- counts[["row"]] <= most_rows && counts[["column"]] <= most_columns
    if (fits) counts[["page"]] * 100 + sum(places != wishes) else Inf
  }, numeric(1))
  replace(wishes, free, unlist(choices[which.min(cost), ]))
}

combinations_of <- function(combinations, columns) {
  if (length(columns) == 0) 1 else data.table::uniqueN(combinations, by = columns)
}

# The columns in words, one line each; levels in the order of the values.
words_in_order <- function(table, columns) {
  words <- describe_columns(table, columns, "\n")
  if (length(columns) == 0) {
    return(factor(words))
  }
  ranks <- lapply(columns, function(column) rank_of(column, table[[column]]))
  factor(words, levels = unique(words[do.call(order, ranks)]))
}

rank_of <- function(column, values) {
  known <- switch(column, access = access_levels, order = order_levels, api = api_levels, NULL)
  if (is.null(known)) values else match(values, c(known, setdiff(values, known)))
}

# The pages of a table, the fullest first: what was measured most is what the study is about.
split_pages <- function(table) {
  if (is.null(table$page)) {
    return(list(table))
  }
  pages <- split(table, by = "page", drop = TRUE)
  drawn <- vapply(pages, function(page) sum(page$n > 0), numeric(1))
  unname(pages[order(-drawn)])[seq_len(max(1, sum(drawn > 0)))]
}

# What all panels of a page have in common, in words.
constant_words <- function(table) {
  told <- c("target", "nn", "ppn", "api", "layout", "order", "access", "xfer_bytes", "variant")
  same <- Filter(function(column) data.table::uniqueN(table[[column]]) == 1, intersect(told, names(table)))
  describe_columns(table[1], same)
}

facet_panels <- function(table, ...) {
  width <- floor(panel_width_mm(table) / mm_per_letter)
  wrapped <- ggplot2::labeller(
    column = function(words) vapply(words, wrap_words, character(1), width = width), row = ggplot2::label_value
  )
  rows <- if (data.table::uniqueN(table$row) > 1) ggplot2::vars(row)
  columns <- if (data.table::uniqueN(table$column) > 1) ggplot2::vars(column)
  ggplot2::facet_grid(rows = rows, cols = columns, labeller = wrapped, ...)
}

row_count <- function(table) max(1L, data.table::uniqueN(table$row))

panel_width_mm <- function(table) {
  columns <- max(1L, data.table::uniqueN(table$column))
  axis_and_strip_mm <- 20
  (page_width_mm - axis_and_strip_mm - (columns - 1) * panel_gap_mm) / columns
}

# Of the values on an axis those that are labelled, so that labels keep apart; the outer ones come first. `at` is where
# the values are, in the units of the axis. Beside the breaks: how far the axis must reach beyond the values, so that
# the labels at its ends stay within their panel.
spaced_labels <- function(labels, at, width_mm) {
  half_mm <- nchar(labels) * mm_per_letter * 0.9 / 2 + 0.6
  last <- length(labels)
  inner_mm <- max(width_mm - half_mm[1] - half_mm[last], 1)
  scale <- if (last > 1) inner_mm / (at[last] - at[1]) else 1
  kept <- if (last > 1 && inner_mm > half_mm[1] + half_mm[last]) c(1, last) else last
  for (i in seq_len(last)) {
    far <- abs(at[i] - at[kept]) * scale > half_mm[i] + half_mm[kept]
    if (all(far)) kept <- c(kept, i)
  }
  list(
    labels = replace(rep("", last), kept, labels[kept]),
    expand = c(0, half_mm[1] / scale, 0, half_mm[last] / scale)
  )
}
