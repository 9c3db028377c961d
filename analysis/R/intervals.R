# Intervals of medians: between which runs they lie is read from intervals.csv, which weir wrote beside the records
# (weir/statistics/median.py). weir run adds rounds and weir accept decides by the same.

# No interval between two of fewer values covers the median with 95 %; the repetitions are drawn instead.
fewest_for_interval <- 6L

# Those of the records that were read last: a process draws one study.
intervals_in_use <- new.env()

use_intervals <- function(path) intervals_in_use$path <- path

intervals_beside <- function(records) file.path(dirname(records), "intervals.csv")

# A row for `fixed` and `added` rounds of each number of runs: rounds, autocorrelation, n, k, share, level.
study_intervals <- function() {
  path <- intervals_in_use$path
  if (!identical(path, intervals_in_use$read)) {
    refuse_if(!file.exists(path), "%s: no such file: run `weir collect`, or `weir import` of the records, again", path)
    intervals_in_use$table <- data.table::fread(path)
    intervals_in_use$read <- path
  }
  intervals_in_use$table
}

# How far the values of consecutive runs hang together in this study; never less than what was measured elsewhere.
study_autocorrelation <- function() study_intervals()[rounds == "fixed"]$autocorrelation[1]

# The ends are between ranks k and k + 1, `share` of the distance to k + 1, from either side. Where even the extremes do
# not reach 95 % the level is theirs. Of more runs than the table has, the half-width in ranks grows with their root.
ranks_of <- function(n, kind = "fixed") {
  table <- study_intervals()[rounds == kind]
  places <- match(n, table$n)
  found <- table[places, .(k, share, level)]
  beyond <- which(n > max(table$n))
  if (length(beyond) > 0) {
    last <- table[.N]
    half <- (last$n / 2 - last$k - last$share) * sqrt(n[beyond] / last$n)
    found[beyond, `:=`(k = pmax(1L, as.integer(floor(n[beyond] / 2 - half))), share = 0, level = last$level)]
  }
  found
}

# An interval whose ends are an order of magnitude apart does not tell how large an effect is; on another scale than
# that of factors, its ends are as far apart as the logarithm of ten.
is_too_wide <- function(lo, hi, unit = "factor") {
  is_factor <- rep_len(unit %in% c("factor", "spread"), length(lo))
  !is.na(lo) & !is.na(hi) & ifelse(is_factor, hi >= 10 * lo, hi - lo >= log(10))
}

# The text beside an effect: its interval; or instead, where the interval is too wide and decides nothing either, the
# rounds or pairs that it is of, since two rounds give one from 0.000097 to 2400; empty where there is none.
# weir/decide/compare/output.py prints the same.
ends_words <- function(lo, hi, in_words, is_open, counts, unit = "factor") {
  words <- rep("", length(lo))
  known <- !is.na(lo) & !is.na(hi)
  # A share lies between nothing and all, whatever a t interval does.
  is_share <- rep_len(unit %in% "explained share", length(lo))
  shown <- list(lo = ifelse(is_share, pmax(lo, 0), lo)[known], hi = ifelse(is_share, pmin(hi, 1), hi)[known])
  words[known] <- sprintf("%s to %s", in_words(shown$lo), in_words(shown$hi))
  ifelse(is_open & is_too_wide(lo, hi, unit), paste("not decided by", counts), words)
}
