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
    c(one, list(seen = question_words(mine), emulated = nrow(mine) > 0 && all(mine$emulated),
      groups = question_groups(mine)))
  })
  Filter(function(section) length(section$groups) > 0, sections)
}

# Targets and accesses with their points, fastest first; the browser of records has those beyond the limit.
question_groups <- function(points) {
  groups <- unique(points[order(emulated, target, access == "read"), .(target, emulated, access)])
  lapply(seq_len(nrow(groups)), function(i) {
    of <- groups[i]
    mine <- points[target %in% of$target & access == of$access][order(-median)]
    list(target = text_of(of$target, "storage"), emulated = of$emulated, access = of$access, settings = nrow(mine),
      rows = lapply(seq_len(min(nrow(mine), most_rows_of_question)), function(row) question_row(mine[row])))
  })
}

question_row <- function(point) {
  list(cell = point$cell, setting = point$setting, value = point$median, lo = point$lo, hi = point$hi, n = point$n,
    verdict = point$verdict, values = values_of_point(point$values))
}

# Real storage; of emulated storage if there is no other.
question_words <- function(points) {
  groups <- question_groups(real_points(points)[verdict %in% usable_verdicts])
  words <- vapply(groups, function(group) {
    what <- sprintf("%s, %s", group$target, group$access)
    first <- group$rows[[1]]
    last <- group$rows[[length(group$rows)]]
    if (length(group$rows) == 1) {
      sprintf("%s: %s MiB/s.", what, rate_words(first$value))
    } else if (!is.finite(first$lo)) {
      sprintf("%s: %s has the highest median, %s MiB/s; without intervals no order is certain.", what, first$setting,
        rate_words(first$value))
    } else if (is.finite(last$hi) && last$hi >= first$lo) {
      sprintf("%s: the intervals of all %d settings overlap; the highest median is %s MiB/s.", what, group$settings,
        rate_words(first$value))
    } else {
      sprintf("%s: %s is fastest with %s MiB/s, %.1f times as fast as %s.", what, first$setting,
        rate_words(first$value), first$value / last$value, last$setting)
    }
  }, "")
  paste(words, collapse = " ")
}
