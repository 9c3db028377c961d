title <- "The highest median of every target, interface and access"
position <- 5
needs <- "records of writes or reads"
best_caption <- function(with = names(best_columns)) {
  paste(
    "The best observed median of every target, interface and access in MiB/s, of so many points.",
    paste0(capitalised(paste(c(best_columns[with], "N\u00d7P: nodes and processes per node"), collapse = "; ")), ".")
  )
}
best_columns <- c(
  tied = "Tied: how many of the points the runs do not tell from it",
  expected = "expected: what the best setting gives in rounds that did not choose it, as the best of many reads high",
  lo = "interval: of the median, at the level printed in the text",
  median_io = "I/O only: the same records by the time of the transfers alone"
)
caption <- best_caption()

make_table <- function(records, inputs) {
  points <- best_points(bandwidth_points(rates_of_storage(records)), c("target", "access", "api"))
  only_if(nrow(points) > 0)
  # Real storage only.
  points <- points[order(emulated)]
  points[, reached_with := place_cell(.SD)]
  points[, .(
    target, access, api, points, tied, n, median, lo, hi, level, expected, median_io, unit, verdict, reached_with,
    emulated
  )]
}

# Where real storage was measured too, one small paragraph is enough for what only tests the method.
make_latex <- function(table) {
  beside <- if (!all(table$emulated)) table[emulated == TRUE]
  shown <- if (is.null(beside)) table else table[emulated == FALSE]
  cells <- shown[, .(
    interface = latex_name(api_words(api)), points, tied = dash(tied), "$n$" = n,
    median = paste0(rate_words(median), verdict_mark(verdict)), interval = interval_cell(lo, hi),
    expected = rate_words(expected), "I/O only" = rate_words(median_io), "reached with" = latex_name(reached_with)
  )]
  # A column without a value is not printed, and needs no explanation.
  printed <- Filter(function(column) any(!is.na(shown[[column]])), names(best_columns))
  latex_table(
    name, best_caption(printed), cells, c(interface = wrapped_column(16), "reached with" = wrapped_column(33)),
    groups = access_groups(shown), lines = 2 * nrow(shown), below = emulated_lines(beside)
  )
}

emulated_lines <- function(points) {
  if (is.null(points) || nrow(points) == 0) {
    return(NULL)
  }
  each <- points[, .(words = sprintf("%s %s%s", latex_name(api_words(api)), rate_words(median), verdict_sign(verdict))),
    by = .(target, access)]
  storages <- each[, .(words = paste(access[1], paste(words, collapse = ", "))), by = .(target, access)]
  storages <- storages[, .(words = sprintf("\\emph{%s}: %s", latex_name(target[1]), paste(words, collapse = "; "))),
    by = .(of = target)]
  c(
    "\\par\\vspace{5pt}\\raggedright\\scriptsize",
    "\\textbf{EMULATED} storage, which tests the method and not a product, best medians in MiB/s:",
    paste0(paste(storages$words, collapse = ". "), ". All columns are in tables/best.csv.\\par")
  )
}

place_cell <- function(points) {
  joined_words(points[, .(short_layout(layout), order, bytes_words(xfer_bytes),
    ifelse(is.na(nn) | is.na(ppn), NA, sprintf("%s\u00d7%s", nn, ppn)), variant)])
}
