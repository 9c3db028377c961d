# The note below every figure: n, intervals, verdicts, what is not drawn, and what is emulated.

# What must stand on every figure: n, interval, verdicts, what was excluded, and whether storage is emulated.
add_provenance <- function(plot, table, part) {
  plot + ggplot2::labs(
    subtitle = wrap_words(constant_words(table), 130),
    caption = wrap_words(provenance_words(
      table, part, has_layer(plot, "draws_runs"), has_layer(plot, "draws_unproven")
    ))
  )
}

provenance_words <- function(table, part, with_runs = TRUE, with_centres = TRUE) {
  shown <- table[table$n > 0, ]
  paste(c(
    sprintf("%s; %s.", part$statistic,
      if (is.null(part$n_text)) n_words(shown$n, of_its_own = !is.null(own_interval(shown, part))) else part$n_text),
    interval_words(shown, part, with_runs),
    if (is.null(part$verdict_text)) verdict_words(table, with_centres) else part$verdict_text(table),
    pooled_words(shown), unique(table$note[!is.na(table$note)]),
    if (any(table$emulated %in% TRUE)) "(E): emulated storage, which tests the method and not a product."
  ), collapse = " ")
}

# A point is of one cell; a figure that takes several together counts them.
pooled_words <- function(shown) {
  pooled <- sum(shown$cells > 1, na.rm = TRUE)
  if (pooled > 0) {
    sprintf("%s over several cells.", counted(pooled, "point is a median", "points are medians"))
  }
}

# Single runs have no interval but one that the part has from elsewhere, as over pairs of cells.
n_words <- function(n, of_its_own = FALSE) {
  if (length(n) == 0) {
    return("n = 0")
  }
  if (are_single(n)) {
    return(if (of_its_own) "single runs" else "single runs, without an interval")
  }
  if (min(n) == max(n)) paste("n =", counted(min(n), "run")) else sprintf("n = %d to %d runs", min(n), max(n))
}

are_single <- function(n) length(n) > 0 && all(n == 1)

# A part whose bars or bands are something else names it; empty text where it has none.
interval_of_part <- function(shown, part) {
  if (is.function(part$interval_text)) part$interval_text(shown) else part$interval_text
}

own_interval <- function(shown, part) {
  own <- interval_of_part(shown, part)
  if (!is.null(own) && nzchar(own)) own
}

interval_words <- function(shown, part, with_runs) {
  if (!is.null(interval_of_part(shown, part))) {
    return(own_interval(shown, part))
  }
  if (are_single(shown$n)) {
    return(NULL)
  }
  if (is.null(shown$level) || all(is.na(shown$level))) {
    instead <- if (with_runs) "small marks are the runs, there is no interval" else "no interval"
    return(sprintf("Fewer than %d runs: %s.", fewest_for_interval, instead))
  }
  mark <- if (is.null(part$interval_mark)) "Bars" else part$interval_mark
  levels <- unique(sprintf("%.0f", 100 * range(shown$level, na.rm = TRUE)))
  paste0(
    mark, ": ", paste(levels, collapse = " to "), " % interval of the median",
    if (anyNA(shown$level)) {
      instead <- if (with_runs) "the runs are small marks" else "there is none"
      sprintf("; of fewer than %d runs %s", fewest_for_interval, instead)
    }, "."
  )
}

# `records` has a row for each group of records: rows of a table that share them would count each several times.
verdict_words <- function(table, with_centres = TRUE, records = table) {
  centre <- if (with_centres && has_valid(table)) " (white centre)" else ""
  verdict <- table$verdict[table$n > 0]
  unproven <- sum(verdict == "UNPROVEN")
  degraded <- sum(verdict == "DEGRADED")
  valid <- sum(verdict == "VALID")
  c(
    if (valid > 0 || unproven == 0) {
      sprintf("%s valid%s.", counted(valid, "point"),
        if (unproven > 0) sprintf(", %d unproven%s", unproven, centre) else "")
    } else {
      sprintf("%s unproven%s.", counted(unproven, "point"), centre)
    },
    if (degraded > 0) sprintf("Hollow: %s of degraded records alone.", counted(degraded, "point")),
    unused_words(records)
  )
}

# Records that are in no point.
unused_words <- function(table) {
  beside <- sum(table$n_degraded[table$verdict %in% usable_verdicts])
  absent <- c(degraded = sum(table$n_degraded[table$n == 0]), invalid = sum(table$n_invalid))
  absent <- absent[absent > 0]
  c(
    if (beside > 0) sprintf("In no point: %s beside usable ones.", counted(beside, "degraded record")),
    if (length(absent) > 0) sprintf("Not drawn: %s.", and_list(counted(absent, paste(names(absent), "record"))))
  )
}
