# A section of the page for each question of the suite: what was compared, what is to be seen, and its points.

most_rows_of_question <- 12L

page_questions <- function(points, facts) {
  asked <- unlist(lapply(facts$suites, function(suite) {
    lapply(names(suite$experiments), function(name) {
      list(suite = suite$suite, experiment = name, question = suite$experiments[[name]])
    })
  }), recursive = FALSE)
  sections <- lapply(asked, function(one) {
    mine <- points[suite %in% one$suite & experiment %in% one$experiment & n > 0]
    if (nrow(mine) > 0 && all(mine$purpose %in% "latency")) {
      return(c(one, list(note = "The answer is in times of single operations: see the figures.", groups = list())))
    }
    common <- common_pieces(mine$setting)
    mine[, setting := without_pieces(setting, common)]
    c(one, list(common = paste(common, collapse = ", "), groups = question_groups(mine)))
  })
  Filter(function(section) length(section$groups) > 0 || !is.null(section$note), sections)
}

# What all settings of a question have in common stands once, if something is left to tell them apart.
common_pieces <- function(settings) {
  pieces <- strsplit(unique(settings), ", ", fixed = TRUE)
  common <- Reduce(intersect, pieces)
  if (length(pieces) < 2 || any(lengths(pieces) <= length(common))) character() else common
}

without_pieces <- function(settings, common) {
  pieces <- strsplit(settings, ", ", fixed = TRUE)
  vapply(pieces, function(each) paste(setdiff(each, common), collapse = ", "), "")
}

# The points of each target and access, the fastest first; the browser of records has those beyond the limit.
question_groups <- function(points) {
  of_each_access(points[order(emulated, target, access == "read", -median)], function(mine) {
    list(settings = nrow(mine), seen = seen_words(mine[verdict %in% usable_verdicts]),
      rows = each_row(utils::head(mine, most_rows_of_question), question_row))
  })
}

question_row <- function(point) {
  list(cell = point$cell, setting = point$setting, value = point$median, lo = point$lo, hi = point$hi, n = point$n,
    verdict = point$verdict, values = values_of_point(point$values))
}

# Counts all settings, also those that have no row; one alone is its own answer.
seen_words <- function(points) {
  settings <- nrow(points)
  if (settings < 2) {
    return("")
  }
  first <- points[1]
  last <- points[settings]
  if (!is.finite(first$lo) || !is.finite(last$hi)) {
    "without intervals no order is certain"
  } else if (last$hi >= first$lo) {
    # Those between may be narrower, or have none.
    if (settings == 2) "the intervals overlap" else "the intervals of the fastest and the slowest overlap"
  } else {
    ties <- ties_of(points)
    alike <- if (ties == 0) "" else if (ties == 1) " or one other" else sprintf(" or one of %d others", ties)
    sprintf("%s%s is fastest, \u00d7%s of %s", first$setting, alike, two_digits(first$median / last$median),
      last$setting)
  }
}
