# A section of the page for each question of the suite: what was compared, what is to be seen, and its points.

most_rows_of_question <- 12L

page_questions <- function(points, facts) {
  if (nrow(points) == 0 || is.null(points$experiment)) {
    return(list())
  }
  asked <- unlist(lapply(facts$suites, function(suite) {
    lapply(names(suite$experiments), function(name) {
      list(suite = suite$suite, experiment = name, question = suite$experiments[[name]])
    })
  }), recursive = FALSE)
  sections <- lapply(asked, function(one) {
    mine <- points[suite %in% one$suite & experiment %in% one$experiment & n > 0]
    c(one, list(seen = question_words(mine), groups = question_groups(mine)))
  })
  Filter(function(section) length(section$groups) > 0, sections)
}

# Targets and accesses with all of their points, fastest first.
points_of_question <- function(points) {
  groups <- unique(points[order(emulated, target, access == "read"), .(target, emulated, access)])
  lapply(seq_len(nrow(groups)), function(i) {
    of <- groups[i]
    list(target = text_of(of$target, "storage"), emulated = of$emulated, access = of$access,
      points = points[target %in% of$target & access == of$access][order(-median)])
  })
}

# The browser of records has the points beyond the limit.
question_groups <- function(points) {
  lapply(points_of_question(points), function(group) {
    settings <- nrow(group$points)
    rows <- lapply(seq_len(min(settings, most_rows_of_question)), function(row) question_row(group$points[row]))
    c(group[c("target", "emulated", "access")], list(settings = settings, rows = rows))
  })
}

question_row <- function(point) {
  list(cell = point$cell, setting = point$setting, value = point$median, lo = point$lo, hi = point$hi, n = point$n,
    verdict = point$verdict, values = values_of_point(point$values))
}

# Real storage; of emulated storage if there is no other.
question_words <- function(points) {
  groups <- points_of_question(real_points(points)[verdict %in% usable_verdicts])
  words <- vapply(groups, function(group) {
    what <- sprintf("%s, %s", mark_name(group$target, group$emulated), group$access)
    settings <- nrow(group$points)
    first <- group$points[1]
    last <- group$points[settings]
    if (settings == 1) {
      sprintf("%s: %s MiB/s.", what, rate_words(first$median))
    } else if (!is.finite(first$lo) || !is.finite(last$hi)) {
      sprintf("%s: %s has the highest median, %s MiB/s; without intervals no order is certain.", what, first$setting,
        rate_words(first$median))
    } else if (last$hi >= first$lo) {
      sprintf("%s: the intervals of all %d settings overlap; the highest median is %s MiB/s.", what, settings,
        rate_words(first$median))
    } else {
      sprintf("%s: %s is fastest with %s MiB/s, %.1f times as fast as %s.", what, first$setting,
        rate_words(first$median), first$median / last$median, last$setting)
    }
  }, "")
  paste(words, collapse = " ")
}
