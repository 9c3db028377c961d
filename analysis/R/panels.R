# Where the small multiples stand: which of the columns that vary become rows of panels, columns of panels, or pages.

# Adds `page`, `sheet`, `row` and `column` to a table. `wishes` names for each column of the table the position where it
# belongs (page, row or column). A page has room for so many rows, columns and panels only; of all placings that fit,
# the one with the fewest pages is taken, then the one nearest to the wishes that is not a tower of panels. Where rows
# `flow` they go on on a further sheet instead. A page of small panels has room for more, `panels` of them.
place_panels <- function(table, wishes, most_rows = 6, most_columns = 5, flow = FALSE, panels = most_panels) {
  if (nrow(table) == 0) {
    return(table)
  }
  apart <- varying_columns(table, names(wishes)[wishes == "page"])
  table <- data.table::copy(table)[, part := words_in_order(mark_emulated(.SD), apart)]
  parts <- split(table, by = "part", sorted = TRUE, drop = TRUE)
  data.table::rbindlist(lapply(parts, function(rows) {
    for (most in few_enough) {
      thinned <- thin_levels(rows, most[intersect(names(most), names(wishes))])
      placed <- place_part(thinned, wishes[wishes != "page"], most_rows, most_columns, flow, panels)
      if (data.table::uniqueN(placed, by = c("page", "sheet")) <= most_pages) break
    }
    placed[, page := factor(paste(part[1], page, sep = "\n"))]
  }), fill = TRUE)[, part := NULL][]
}

# Panels of a page and pages of a variant. How many numbers of processes and of nodes are drawn where they fill more.
most_panels <- 6
most_pages <- 2
few_enough <- list(c(ppn = 5, nn = 5), c(ppn = 3, nn = 5), c(ppn = 2, nn = 5), c(ppn = 2, nn = 3), c(ppn = 2, nn = 2))

place_part <- function(rows, wishes, most_rows, most_columns, flow, panels) {
  wishes <- wishes[varying_columns(rows, names(wishes))]
  places <- best_places(unique(rows[, names(wishes), with = FALSE]), wishes, most_rows, most_columns, flow, panels)
  for (place in c("page", "row", "column")) {
    data.table::set(rows, j = place, value = words_in_order(mark_emulated(rows), names(places)[places == place]))
  }
  rows[, sheet := sheets_of(row, rows_of_sheet(data.table::uniqueN(column), most_rows, panels)), by = page]
}

rows_of_sheet <- function(columns, most_rows, panels) max(1, min(most_rows, floor(panels / columns)))

# Sheets of about as many rows each.
sheets_of <- function(row, most_rows) {
  rank <- match(row, sort(unique(row)))
  sheets <- ceiling(max(rank) / most_rows)
  as.integer(ceiling(rank / ceiling(max(rank) / sheets)))
}

# Many numbers become the first, the last and some between, about evenly apart as factors; `note` states it.
thin_levels <- function(table, most) {
  table <- data.table::copy(table)
  for (column in names(most)) {
    values <- sort(unique(table[[column]]))
    if (length(values) > most[[column]]) {
      wanted <- exp(seq(log(values[1]), log(values[length(values)]), length.out = most[[column]]))
      kept <- values[unique(vapply(wanted, function(value) which.min(abs(log(values / value))), integer(1)))]
      table <- add_note(table[table[[column]] %in% c(kept, NA)], sprintf(
        "Of %s %s only %s are drawn; tables/summary.csv has the others.", paste(values, collapse = ", "),
        axis_words[[column]], paste(kept, collapse = ", ")
      ))
    }
  }
  table
}

best_places <- function(combinations, wishes, most_rows, most_columns, flow, panels) {
  if (length(wishes) == 0) {
    return(wishes)
  }
  choices <- expand.grid(rep(list(c("row", "column", "page")), length(wishes)), stringsAsFactors = FALSE)
  cost <- apply(choices, 1, function(places) {
    counts <- vapply(c(page = "page", row = "row", column = "column"), function(place) {
      combinations_of(combinations, names(wishes)[places == place])
    }, numeric(1))
    rows <- rows_of_sheet(counts[["column"]], most_rows, panels)
    fits <- (flow || counts[["row"]] <= rows) && counts[["column"]] <= most_columns
    narrow <- !flow && counts[["row"]] > 2 * counts[["column"]]
    pages <- counts[["page"]] * ceiling(counts[["row"]] / rows)
    if (fits) pages * 100 + sum(places != wishes) + 1.5 * narrow else Inf
  })
  replace(wishes, seq_along(wishes), unlist(choices[which.min(cost), ]))
}

combinations_of <- function(combinations, columns) {
  if (length(columns) == 0) 1 else data.table::uniqueN(combinations, by = columns)
}

# The columns as text, one line each; levels in the order of the values.
words_in_order <- function(table, columns) {
  words <- describe_columns(table, columns, "\n")
  if (length(columns) == 0) {
    return(factor(words))
  }
  ranks <- lapply(columns, function(column) {
    values <- rank_of(column, table[[column]])
    # What is real stands before what is emulated.
    if (column == "target" && !is.null(table$emulated)) paste(table$emulated, values) else values
  })
  factor(words, levels = unique(words[do.call(order, ranks)]))
}

rank_of <- function(column, values) {
  known <- switch(column, access = access_levels, order = order_levels, api = looks_of("api")$name, NULL)
  if (is.null(known)) by_size(values) else match(values, c(known, setdiff(values, known)))
}

# The pages of a table, the fullest first: what was measured most is what the study is about. Pages of published values,
# which the column `published` marks, come last. The sheets of a page stay together.
split_pages <- function(table, limit = most_pages_of_figure) {
  if (is.null(table$page)) {
    return(list(table))
  }
  sheets <- split(table, by = c("page", "sheet"), sorted = TRUE, drop = TRUE)
  drawn <- vapply(sheets, function(sheet) sum(sheet$n > 0), numeric(1))
  of_page <- vapply(sheets, function(sheet) as.character(sheet$page[1]), "")
  fullness <- rowsum(drawn, of_page)[of_page, 1]
  # Real storage comes first, then the fullest page.
  is_emulated <- vapply(sheets, function(sheet) all(sheet$emulated %in% TRUE), logical(1))
  real <- rowsum(as.integer(!is_emulated), of_page)[of_page, 1]
  published <- vapply(sheets, function(sheet) any(sheet$published %in% TRUE), logical(1))
  kept <- order(published, real == 0, -fullness, match(of_page, unique(of_page)))
  kept <- kept[drawn[kept] > 0]
  without_further_pages(tell_remark(tell_pages(unname(sheets[if (length(kept) > 0) kept else 1]))), limit)
}

# A `remark` is of the whole figure: its first page tells it for all, else a reader would add the same points up.
tell_remark <- function(pages) {
  remark <- unique(pages[[1]]$remark)
  if (length(remark) == 0) pages else replace(pages, 1, list(add_note(pages[[1]], remark)))
}

# Names the settings and texts of which each page has one value, and not all pages the same: without them pages would
# look alike.
tell_pages <- function(pages) {
  settings <- Filter(function(column) {
    column %in% dimensions() || is.character(pages[[1]][[column]])
  }, setdiff(names(pages[[1]]), c("verdict", "unit", "note", "page", "row", "column", "one_cell")))
  telling <- Filter(function(column) {
    values <- lapply(pages, function(page) unique(page[[column]]))
    all(lengths(values) == 1) && data.table::uniqueN(unlist(values)) > 1
  }, settings)
  lapply(pages, function(page) data.table::setattr(data.table::copy(page), "telling", telling))
}

# Logs of many systems have a page for each; nobody reads hundreds. Lighter figures define a page_limit.
most_pages_of_figure <- 6L

without_further_pages <- function(sheets, limit) {
  further <- utils::tail(sheets, -limit)
  if (length(further) == 0) {
    return(sheets)
  }
  points <- sum(vapply(further, function(sheet) sum(sheet$n > 0), numeric(1)))
  note <- sprintf("Not drawn: %s on %s; tables/summary.csv has them.", counted(points, "point"),
    counted(length(further), "further selection"))
  sheets <- utils::head(sheets, limit)
  # The first tells it for all.
  replace(sheets, 1, list(add_note(sheets[[1]], note)))
}

# What all panels of a page have in common, and what tells the page from the others, as text.
constant_words <- function(table) {
  told <- c("kind", "target", "nn", "ppn", "api", "layout", "order", "access", "xfer_bytes", "axis", "phase", "way",
    "shape", "locality", "memory", "variant")
  same <- Filter(function(column) data.table::uniqueN(table[[column]]) == 1,
    intersect(union(told, attr(table, "telling")), names(table)))
  describe_columns(mark_emulated(table[1]), same)
}

# Titles of rows stand along the panels, `height_mm` long, or upright where rows are low.
facet_panels <- function(table, upright = FALSE, height_mm = 27, ...) {
  titles <- ggplot2::labeller(
    column = function(words) fit_title(words, panel_width_mm(table)),
    row = function(words) if (upright) fill_title(words, row_title_mm) else fit_title(words, height_mm)
  )
  rows <- if (row_count(table) > 1) ggplot2::vars(row)
  columns <- if (column_count(table) > 1) ggplot2::vars(column)
  ggplot2::facet_grid(rows = rows, cols = columns, labeller = titles, ...)
}

row_title_mm <- 22

fill_title <- function(words, width_mm) {
  one_line <- gsub("\n", ", ", words, fixed = TRUE)
  vapply(one_line, wrap_words, character(1), width = floor(width_mm / mm_per_letter), USE.NAMES = FALSE)
}

# On one line if there is room, else on a line each.
fit_title <- function(words, width_mm) {
  letters <- floor(width_mm / mm_per_letter)
  vapply(as.character(words), function(title) {
    lines <- strsplit(title, "\n", fixed = TRUE)[[1]]
    line <- paste(lines, collapse = ", ")
    wrapped <- vapply(lines, wrap_words, character(1), width = letters + 1)
    if (nchar(line) <= letters) line else paste(wrapped, collapse = "\n")
  }, character(1), USE.NAMES = FALSE)
}

row_count <- function(table) max(1L, data.table::uniqueN(table$row))

column_count <- function(table) max(1L, data.table::uniqueN(table$column))

panel_width_mm <- function(table, columns = column_count(table)) {
  axis_and_strip_mm <- 20
  (page_width_mm - axis_and_strip_mm - (columns - 1) * panel_gap_mm) / columns
}

# The values on an axis that are labelled, so that labels keep apart; the outer ones come first. `at` is where
# the values are, in the units of the axis. Beside the breaks: how far the axis must reach beyond the values, so that
# the labels at its ends stay within their panel, and labels of lines of a width `beyond_mm` right of the last value.
spaced_labels <- function(labels, at, width_mm, beyond_mm = 0) {
  half_mm <- nchar(labels) * mm_per_letter / 2 + label_air_mm
  last <- length(labels)
  end_mm <- max(half_mm[last], beyond_mm)
  inner_mm <- max(width_mm - half_mm[1] - end_mm, 1)
  scale <- if (last > 1) inner_mm / (at[last] - at[1]) else 1
  kept <- if (last > 1 && inner_mm > half_mm[1] + half_mm[last]) c(1, last) else last
  for (i in seq_len(last)) {
    far <- abs(at[i] - at[kept]) * scale > half_mm[i] + half_mm[kept]
    if (all(far)) kept <- c(kept, i)
  }
  list(
    labels = replace(rep("", last), kept, labels[kept]),
    expand = c(0, half_mm[1] / scale, 0, end_mm / scale)
  )
}
