# Whether rounds were added until the intervals are as narrow as requested (`until` in a suite).

# One row for each cell and access of which a width was requested.
precision_points <- function(records, facts) {
  wanted <- requested_widths(facts)
  mine <- records[cell %in% wanted$cell]
  if (nrow(mine) == 0) {
    return(data.table::data.table())
  }
  mine <- add_variant(mine, point_columns)
  value <- ifelse(is.na(mine$bw_mib_s), mine$ops_s, mine$bw_mib_s)
  points <- summarise_records(mine, value, c("cell", "item", point_columns, "variant"), "")
  points <- wanted[points, on = "cell"]
  half <- sqrt(clear_drift(points, drift_of_campaign(mine)))
  points[, width := half_width_of(lo, hi, median, n)]
  points[, width_of_rounds := half_width_of(lo * half, hi / half, median, n)]
  points[, outcome := outcome_of_rounds(n + n_lost_runs(cell, mine), width, width_of_rounds, half_width, at_most)][]
}

half_width_of <- function(lo, hi, median, n) ifelse(n == 0, NA_real_, (hi - lo) / 2 / median)

requested_widths <- function(facts) {
  rows <- lapply(facts$repetitions, function(one) {
    data.table::data.table(cell = one$cell, planned = as.integer(one$rounds), half_width = as.numeric(one$half_width),
      at_most = as.integer(one$at_most))
  })
  if (length(rows) == 0) data.table::data.table(cell = character()) else data.table::rbindlist(rows)
}

# Runs that ended without a usable value count as rounds, too.
n_lost_runs <- function(cells, records) {
  lost <- round_names(records)[, .(usable = any(verdict %in% usable_verdicts)), by = .(cell, round)]
  lost <- lost[, .(lost = sum(!usable)), by = cell]
  lost$lost[match(cells, lost$cell)]
}

# width_of_rounds is what the measurement saw when it added no more: the drift is found afterwards.
outcome_of_rounds <- function(rounds, width, width_of_rounds, half_width, at_most) {
  data.table::fcase(
    is.na(width) & rounds == 0, "no usable run",
    !is.na(width) & width <= half_width, "reached",
    !is.na(width_of_rounds) & width_of_rounds <= half_width, "drift",
    rounds >= at_most, "most rounds",
    default = "out of budget"
  )
}

precision_sentence <- function(points) {
  if (nrow(points) == 0) {
    return("")
  }
  count <- function(what) sum(points$outcome == what)
  runs <- sub("n = ", "", n_words(points$n), fixed = TRUE)
  sprintf(
    "%d of %d medians are as narrow as requested, after %s; %d ran out of budget, %d had the most rounds%s.",
    count("reached"), nrow(points), runs, count("out of budget"), count("most rounds"),
    if (count("drift") > 0) sprintf(", %d are wider by the drift of the campaign", count("drift")) else ""
  )
}
