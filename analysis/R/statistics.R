# Means of rounds with t intervals, and what the analysis does with them. Intervals of medians are those of weir
# (intervals.R); tests/testthat/test-coverage.R measures what levels are worth.
#
# A run is the unit: the iterations of a run follow each other within seconds and share what disturbed them, so that
# they count as one value, their median. n is a number of runs.

interval_level <- 0.95
# How often nominal 95 % intervals covered the median on a year of six production file systems in the order of time,
# at n = 8, the fewest that print 95 % (bench/coverage.R).
attained_words <- "95.2 %"
# Lag-1 autocorrelation of consecutive rounds where none is estimated (weir/statistics/median.py).
assumed_autocorrelation <- 0.35
# Standard errors that are added to an estimate of it (weir/statistics/inference.py has the same): bench/coverage.R
# measures the level with it.
serial_errors <- 0.5

# The mean of values of rounds with its t interval. `inflation` widens the interval where the two sides of a comparison
# were measured one after the other, so that their series drift apart; `degrees` are those of its variance.
mean_interval <- function(values, inflation = 1, degrees = length(values) - 1) {
  kept <- values[is.finite(values)]
  n <- length(kept)
  df <- degrees - (length(values) - n)
  error <- if (n < 2) NA_real_ else stats::sd(kept) / sqrt(n) * inflation
  half <- if (n < 2) NA_real_ else t_quantile(df) * error
  list(n = n, mean = if (n == 0) NA_real_ else mean(kept), lo = mean(kept) - half, hi = mean(kept) + half,
    error = error, df = df)
}

# So many errors of a mean lie between it and an end of its interval.
t_quantile <- function(df) stats::qt((1 + interval_level) / 2, df)

# How much larger the error of the mean of a series whose autocorrelation decays by a factor is than that of
# independent values, and the degrees of freedom of its variance. Both are exact for a normal series
# (weir/statistics/inference.py has the same).
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
# plus a part of its standard error. `series` numbers the series, whose values are in order of time.
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
  min(0.8, found + serial_errors * sqrt((1 - found^2) / pairs))
}

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
  enough <- t_quantile(rounds - 1) * spread / sqrt(rounds) <= distance
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
