# The statistics of repeated runs. Everything that is printed with a level is here, and tests/testthat/test-coverage.R
# measures what the levels are worth.
#
# A run is the unit: the iterations of a run follow each other within seconds and share what disturbed them, so that
# they count as one value, their median. n is a number of runs.

interval_level <- 0.95
# How often nominal 95 % intervals covered the median on a year of six production file systems in the order of time,
# at n = 8, the fewest that print 95 % (bench/coverage.R).
attained_words <- "94.0 %"
# Of fewer values no interval between two of them covers the median with 95 %; the repetitions are drawn instead.
fewest_for_interval <- 6L
# Lag-1 autocorrelation of consecutive runs where a study has too few runs to estimate its own. On tmpfs and disk up to
# 0.29 was measured; a year of file systems remembers longer than one day, and needs this much (bench/coverage.R).
assumed_autocorrelation <- 0.35
fewest_neighbours <- 100L
# The same where rounds were added until the interval was narrow (column `until`): they end where it is narrow by
# chance, which it is where neighbours are alike. weir/records/width.py, which decides whether a round is added, has the
# same value (docs/decisions/0017-intervals-after-added-rounds.md).
stopping_autocorrelation <- 0.48

# Of a Gaussian series with this autocorrelation, the correlation of being on the same side of the median.
side_correlation <- function(autocorrelation) 2 / pi * asin(autocorrelation)

# How probable it is that k = 0..n of n consecutive values lie below their median, as a chain of two states.
side_counts <- local({
  known <- new.env()
  function(n, correlation) {
    key <- sprintf("%d %.2f", n, correlation)
    if (is.null(known[[key]])) {
      assign(key, count_sides(n, round(correlation, 2)), known)
    }
    known[[key]]
  }
})

count_sides <- function(n, correlation) {
  stay <- (1 + correlation) / 2
  below <- c(0, 0.5, rep(0, n - 1))
  above <- c(0.5, rep(0, n))
  for (step in seq_len(n - 1)) {
    arrive_below <- stay * below + (1 - stay) * above
    above <- stay * above + (1 - stay) * below
    below <- c(0, arrive_below[-(n + 1)])
  }
  below + above
}

# The level of the interval from the k-th smallest to the k-th largest of n values.
level_of_rank <- function(k, n, correlation) sum(side_counts(n, correlation)[(k + 1):(n - k + 1)])

most_for_exact_level <- 400L

# Which order statistics are the ends of the interval: between ranks k and k + 1, `share` of the distance to k + 1, so
# that the level is what is wanted (Hettmansperger and Sheather). Where even the extremes do not reach it, the level is
# theirs.
interval_ranks <- function(n, correlation = 0, level = interval_level) {
  if (n < fewest_for_interval) {
    return(list(k = NA_integer_, share = NA_real_, level = NA_real_))
  }
  if (n > most_for_exact_level) {
    half <- stats::qnorm((1 + level) / 2) * sqrt(n / 4 * (1 + correlation) / (1 - correlation))
    return(list(k = max(1L, as.integer(floor(n / 2 - half))), share = 0, level = level))
  }
  levels <- vapply(seq_len(n %/% 2), level_of_rank, numeric(1), n = n, correlation = correlation)
  k <- sum(levels >= level)
  if (k == 0) {
    return(list(k = 1L, share = 0, level = levels[1]))
  }
  if (k == length(levels)) {
    return(list(k = k, share = 0, level = levels[k]))
  }
  inner <- (levels[k] - level) / (levels[k] - levels[k + 1])
  list(k = k, share = (n - k) * inner / (k + (n - 2 * k) * inner), level = level)
}

median_interval <- function(values, autocorrelation = assumed_autocorrelation, level = interval_level) {
  values <- sort(values[!is.na(values)])
  n <- length(values)
  if (n == 0) {
    return(list(n = 0L, median = NA_real_, lo = NA_real_, hi = NA_real_, level = NA_real_))
  }
  ranks <- interval_ranks(n, side_correlation(autocorrelation), level)
  ends <- if (is.na(ranks$k)) c(NA_real_, NA_real_) else ends_of(values, ranks)
  list(n = n, median = stats::median(values), lo = ends[1], hi = ends[2], level = ranks$level)
}

ends_of <- function(sorted, ranks) {
  n <- length(sorted)
  next_rank <- min(ranks$k + 1, n)
  c(
    (1 - ranks$share) * sorted[ranks$k] + ranks$share * sorted[next_rank],
    (1 - ranks$share) * sorted[n + 1 - ranks$k] + ranks$share * sorted[n + 1 - next_rank]
  )
}

# The autocorrelation of a study: how much more often than by chance consecutive runs of a cell lie on the same side of
# the cell's median, over all cells, plus its standard error. `series` is which values belong together, in order of
# time.
estimate_autocorrelation <- function(values, series) {
  sides <- data.table::data.table(value = values, series = series)[!is.na(value)]
  middle <- sides[, .(middle = median(value)), by = series]
  sides[, side := sign(value - middle[sides, on = "series"]$middle)]
  sides <- sides[side != 0]
  sides[, `:=`(
    same = c(FALSE, side[-1] == side[-.N] & series[-1] == series[-.N])[seq_len(.N)], above = side > 0
  )]
  found <- sides[, .(pairs = .N - 1L, same = sum(same), above = sum(above)), by = series][pairs > 0]
  found[, chance := chance_of_same(above, pairs + 1)]
  pairs <- sum(found$pairs)
  if (pairs < fewest_neighbours) {
    return(list(value = assumed_autocorrelation, pairs = pairs, estimated = FALSE))
  }
  expected <- sum(found$chance * found$pairs)
  excess <- (sum(found$same) - expected) / (pairs - expected)
  upper <- min(0.9, max(0, excess + 1 / sqrt(pairs)))
  list(value = sin(pi / 2 * upper), pairs = pairs, estimated = TRUE)
}

chance_of_same <- function(above, count) {
  ifelse(count < 2, 0, (above * (above - 1) + (count - above) * (count - above - 1)) / (count * (count - 1)))
}

# The mean of values of rounds with its t interval. `inflation` widens the interval where the two sides of a comparison
# were measured one after the other, so that their series drift apart; `degrees` are those of its variance.
mean_interval <- function(values, inflation = 1, level = interval_level, degrees = length(values) - 1) {
  kept <- values[is.finite(values)]
  n <- length(kept)
  df <- degrees - (length(values) - n)
  error <- if (n < 2) NA_real_ else stats::sd(kept) / sqrt(n) * inflation
  half <- if (n < 2) NA_real_ else stats::qt((1 + level) / 2, df) * error
  list(n = n, mean = if (n == 0) NA_real_ else mean(kept), lo = mean(kept) - half, hi = mean(kept) + half,
    error = error, df = df)
}

# Of a series whose autocorrelation decays by a factor: how much larger the error of its mean is than that of
# independent values, and the degrees of freedom of its variance. Both are exact for a normal series (weir/inference.py
# has the same).
serial_factors <- function(n, autocorrelation) {
  if (n < 2) {
    return(list(inflation = 1, degrees = n - 1))
  }
  correlations <- autocorrelation^abs(outer(seq_len(n), seq_len(n), "-"))
  inflation <- sum(correlations) / n
  within <- n - inflation
  centred <- correlations - rowMeans(correlations)[row(correlations)]
  centred <- centred - colMeans(centred)[col(centred)]
  list(inflation = sqrt(inflation * (n - 1) / within), degrees = within^2 / sum(centred^2))
}

# The lag-1 autocorrelation that such series would on average show as these do, which hide part of it by their mean;
# with its standard error where neighbours are many. `series` numbers the series, whose values are in order of time.
serial_correlation <- function(values, series) {
  rows <- data.table::data.table(value = values, series = series)[, count := .N, by = series][count >= 4]
  if (nrow(rows) == 0) {
    return(0)
  }
  rows[, away := value - mean(value), by = series]
  shown <- rows[, .(count = .N, total = sum(away^2), products = sum(away[-1] * away[-.N])), by = series][total > 0]
  if (nrow(shown) == 0) {
    return(0)
  }
  wanted <- shown[, sum(count * products / total)]
  counts <- shown[, .(times = .N), by = count]
  missing <- function(factor) sum(counts$times * counts$count * vapply(counts$count, shown_by, 1, factor)) - wanted
  found <- if (missing(0) >= 0) 0 else if (missing(0.8) <= 0) 0.8 else stats::uniroot(missing, c(0, 0.8))$root
  pairs <- sum(shown$count - 1)
  if (pairs < fewest_neighbours) found else min(0.8, found + serial_errors * sqrt((1 - found^2) / pairs))
}
# Of the estimate, that are added: bench/decisions.py and bench/coverage.R measure the level with it.
serial_errors <- 0.75

# Products of neighbours over squares, both around the mean of a series of n normal values, as it is on average: the
# mean of a ratio of quadratic forms, after Magnus.
shown_by <- function(n, factor) {
  root <- t(chol(factor^abs(outer(seq_len(n), seq_len(n), "-"))))
  centred <- root - rep(colMeans(root), each = n)
  whole <- eigen(crossprod(centred), symmetric = TRUE)
  turned <- centred %*% whole$vectors
  products <- colSums(turned[-1, , drop = FALSE] * turned[-n, , drop = FALSE])
  stats::integrate(function(times) {
    vapply(times, function(time) {
      grown <- 1 + 2 * time * pmax(whole$values, 0)
      prod(grown^-0.5) * sum(products / grown)
    }, 1)
  }, 0, Inf)$value
}

# The chance of a mean this far from `value` if that were the true one; two-sided.
chance_of_mean <- function(mean, error, df, value = 0) {
  if (is.na(error) || df < 1) {
    return(NA_real_)
  }
  if (error == 0) {
    return(as.numeric(mean == value))
  }
  2 * stats::pt(-abs(mean - value) / error, df)
}

inflation_of <- function(autocorrelation) sqrt((1 + autocorrelation) / (1 - autocorrelation))

# So many rounds would make the interval narrower than a distance, as far as the spread of these rounds tells.
rounds_for <- function(distance, spread, most = 1000L) {
  if (!is.finite(distance) || !is.finite(spread) || distance <= 0) {
    return(NA_integer_)
  }
  rounds <- 2:most
  enough <- stats::qt((1 + interval_level) / 2, rounds - 1) * spread / sqrt(rounds) <= distance
  if (any(enough)) rounds[which(enough)[1]] else NA_integer_
}

# The highest of k noisy values reads high. What the best setting gives on the average if it is chosen by the other
# rounds: of each round the value of what was best in the rest. `rounds` has a row for each setting, a column for each
# round, and values of which more is better.
expected_best <- function(rounds) {
  whole <- rounds[stats::complete.cases(rounds), , drop = FALSE]
  if (ncol(whole) < 2 || nrow(whole) == 0) {
    return(NA_real_)
  }
  totals <- rowSums(whole)
  chosen <- apply(totals - whole, 2, which.max)
  mean(whole[cbind(chosen, seq_len(ncol(whole)))])
}

# The caller's own random numbers go on as if nothing had happened.
with_seed <- function(seed, expression) {
  before <- globalenv()$.Random.seed
  on.exit(if (is.null(before)) rm(".Random.seed", envir = globalenv()) else assign(".Random.seed", before, globalenv()))
  set.seed(seed, kind = "Mersenne-Twister", normal.kind = "Inversion", sample.kind = "Rejection")
  expression
}
