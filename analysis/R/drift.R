# Whether a campaign drifted: all cells of a target rose or fell together from the first round to the last.
#
# If a campaign drifted, its medians hold for its period only. Their intervals are widened by half the drift on either
# side, so that they hold for any moment of the campaign. Ratios of alternately measured sides need nothing: the
# drift is in both. Ratios of sides that were measured one after the other are widened by all of it.

fewest_rounds_for_drift <- 4L

# One row for each target and access: the ratio of the end to the begin, and whether it is clear (false-discovery rate
# 5 % over the rows).
drift_of_campaign <- function(records) {
  columns <- c("target", "access", "item", "cell", "run", "source", "began", "verdict", "emulated", "bw_mib_s", "ops_s")
  usable <- records[verdict %in% usable_verdicts & !is.na(run) & !is.na(cell), columns, with = FALSE]
  if (nrow(usable) == 0) {
    return(no_drift)
  }
  value <- data.table::fcoalesce(usable$bw_mib_s, usable$ops_s)
  runs <- run_values(usable, value, c("target", "access", "item"))[value > 0]
  runs[, `:=`(at = as.numeric(round), level = log(value))]
  rows <- runs[, drift_of_rounds(.SD), by = .(target, access)]
  if (nrow(rows) == 0) {
    return(no_drift)
  }
  rows[, q := stats::p.adjust(p, "BH")]
  rows[, clear := !is.na(q) & q <= 0.05][]
}

no_drift <- data.table::data.table(
  target = character(), access = character(), rounds = integer(), ratio = numeric(), lo = numeric(), hi = numeric(),
  p = numeric(), q = numeric(), clear = logical()
)

# A line through the means of the rounds that most cells have, over the cells that have all of them: rounds that were
# added to a few cells must not tilt it.
drift_of_rounds <- function(runs) {
  cells <- data.table::uniqueN(runs, by = c("cell", "item"))
  common <- runs[, .N, by = at][N >= cells / 2]$at
  runs <- runs[at %in% common]
  middle <- runs[, .(count = .N, middle = mean(level)), by = .(cell, item)]
  whole <- middle[count == length(common)][runs, on = c("cell", "item"), nomatch = NULL]
  if (length(common) < fewest_rounds_for_drift || nrow(whole) == 0) {
    return(NULL)
  }
  whole[, deviation := level - middle]
  means <- whole[, .(deviation = mean(deviation)), by = at]
  line_of_rounds(means$at, means$deviation)
}

line_of_rounds <- function(at, deviation) {
  rounds <- length(at)
  x <- (at - mean(at)) / (max(at) - min(at))
  slope <- sum(x * deviation) / sum(x^2)
  spread <- sqrt(sum((deviation - slope * x)^2) / (rounds - 2))
  # Neighbouring rounds are autocorrelated: inflate the error of the line.
  error <- spread / sqrt(sum(x^2)) * inflation_of(assumed_autocorrelation)
  half <- t_quantile(rounds - 2) * error
  list(rounds = rounds, ratio = exp(slope), lo = exp(slope - half), hi = exp(slope + half),
    p = chance_of_mean(slope, error, rounds - 2))
}

# The factor between begin and end for each row of a table with target and access, as the distance from 1; 1 where no
# drift is clear.
clear_drift <- function(table, drift) {
  found <- drift[clear == TRUE][table, on = intersect(c("target", "access"), names(table)), mult = "first"]$ratio
  ifelse(is.na(found), 1, exp(abs(log(found))))
}

widened_by_drift <- function(points, records) {
  if (!all(c("target", "access") %in% names(points))) {
    return(points)
  }
  drift <- drift_of_campaign(records)
  if (!any(drift$clear)) {
    return(points)
  }
  half <- sqrt(clear_drift(points, drift))
  points[, `:=`(lo = lo / half, hi = hi * half)][]
}
