# What a claim measures on points: ratios of pairs, growth with nodes, spread, lines. Each effect is a number with an
# interval over the rounds, in which both sides of a pair were measured; only_if() there are points for it.

# `by_round` is the effect in each round, `units` that of each pair or series. Factors are averaged as logarithms.
effect_of <- function(words, by_round, used, units = NA_real_, count = length(units), inflation = 1) {
  effect_with(words, mean_interval(scale_of(words)$to(by_round), inflation), used, units, count, by_round)
}

scale_of <- function(words) {
  if (words %in% c("factor", "spread")) list(to = log, from = exp) else list(to = identity, from = identity)
}

# `found` is what mean_interval() gives, on the scale of the sentence.
effect_with <- function(words, found, used, units = NA_real_, count = length(units), by_round = NULL) {
  from <- scale_of(words)$from
  list(
    words = words, effect = from(found$mean), lo = from(found$lo), hi = from(found$hi), error = found$error,
    df = found$df, rounds = found$n, lowest = min(units), highest = max(units), count = count, by_round = by_round,
    used = used[, .(emulated, unproven, reasons)]
  )
}

# One effect over another, as a factor: round by round, or where they have no rounds in common from their intervals.
quotient_of <- function(first, second) {
  used <- rbind(first$used, second$used)
  count <- min(first$count, second$count)
  common <- intersect(names(first$by_round), names(second$by_round))
  if (length(common) > 0) {
    return(effect_of("factor", first$by_round[common] / second$by_round[common], used, count = count))
  }
  middle <- log(first$effect / second$effect)
  below <- sqrt(log(first$effect / first$lo)^2 + log(second$hi / second$effect)^2)
  above <- sqrt(log(first$hi / first$effect)^2 + log(second$effect / second$lo)^2)
  df <- min(first$df, second$df)
  error <- max(below, above) / t_quantile(max(1, df))
  found <- list(mean = middle, lo = middle - below, hi = middle + above, error = error, df = df, n = df + 1)
  effect_with("factor", found, used, count = count)
}

# The median of all ratios first / second of points that differ in `apart` alone, round by round.
ratio_of <- function(first, second, apart) {
  pairs <- merge(first, second, by = setdiff(point_keys, apart), allow.cartesian = TRUE)
  only_if(nrow(pairs) > 0)
  ratios <- Map(function(x, y) {
    common <- intersect(names(x), names(y))
    log(x[common] / y[common])
  }, pairs$rounds.x, pairs$rounds.y)
  by_round <- exp(middle_by_round(ratios))
  used <- data.table::rbindlist(list(side_of(pairs, "x"), side_of(pairs, "y")))
  alternately <- pairs_in_turns(pairs)
  found <- effect_of("factor", by_round, used, exp(vapply(ratios, mean, numeric(1))),
    inflation = if (alternately) 1 else inflation_of(study_autocorrelation()))
  found$note <- c(also_in(pairs), if (!alternately && length(by_round) > 1) "measured one after the other")
  found
}

# The same of points with one value of a column and with another one.
ratio_between <- function(points, column, first, second, apart = column) {
  ratio_of(points[get(column) %in% first], points[get(column) %in% second], apart)
}

pairs_in_turns <- function(pairs) {
  common <- Map(intersect, lapply(pairs$times.x, names), lapply(pairs$times.y, names))
  of_side <- function(times) unlist(Map(function(side, rounds) side[rounds], times, common))
  in_turns(of_side(pairs$times.x), of_side(pairs$times.y), rep(seq_along(common), lengths(common)))
}

side_of <- function(pairs, suffix) {
  columns <- c("emulated", "unproven", "reasons")
  side <- pairs[, paste0(columns, ".", suffix), with = FALSE]
  data.table::setnames(side, columns)
}

also_in <- function(pairs) {
  also <- differing_words(pairs)
  counts <- table(also[nzchar(also)])
  if (length(counts) > 0) paste("also differs:", also_words(counts, nrow(pairs)))
}

# The median of every round over the units (pairs or series), of rounds that have all of them. Where no two rounds are
# whole, what is known of each round.
middle_by_round <- function(units) {
  rounds <- unique(unlist(lapply(units, names)))
  values <- do.call(rbind, lapply(units, function(unit) unit[match(rounds, names(unit))]))
  colnames(values) <- rounds
  whole <- colSums(is.na(values)) == 0
  if (sum(whole) >= min(2, length(rounds))) {
    return(apply(values[, whole, drop = FALSE], 2, stats::median))
  }
  of_unit <- rowMeans(values, na.rm = TRUE)
  stats::median(of_unit) + colMeans(values - of_unit, na.rm = TRUE)
}

# The exponent with which bandwidth grows with the nodes: 1 in proportion, 0 not at all; the median over the series that
# differ in nothing else.
growth_of <- function(points) {
  series <- split(points, by = setdiff(point_keys, "nn"), drop = TRUE)
  series <- Filter(function(rows) data.table::uniqueN(rows$nn) > 1, series)
  only_if(length(series) > 0)
  slopes <- lapply(series, function(rows) {
    common <- Reduce(intersect, lapply(rows$rounds, names))
    slope(log(rows$nn), log(do.call(rbind, lapply(rows$rounds, function(rounds) rounds[common]))))
  })
  # Numbers of nodes are batches of their own, one after the other.
  effect_of("exponent", middle_by_round(slopes), data.table::rbindlist(series), vapply(slopes, mean, numeric(1)),
    inflation = inflation_of(study_autocorrelation()))
}

# Least squares; of a matrix the slope of every column.
slope <- function(x, y) {
  weights <- (x - mean(x)) / sum((x - mean(x))^2)
  slopes <- drop(weights %*% as.matrix(y))
  setNames(slopes, colnames(y))
}

# An effect that a single round does not have: its error is the jackknife's over rounds.
jackknifed <- function(words, points, statistic, units) {
  scale <- scale_of(words)
  rounds <- unique(unlist(lapply(points$rounds, names)))
  n <- length(rounds)
  middle <- scale$to(statistic(points))
  if (n < 3) {
    found <- list(mean = middle, lo = NA_real_, hi = NA_real_, error = NA_real_, df = n - 1, n = n)
    return(effect_with(words, found, points, units))
  }
  without <- vapply(rounds, function(round) {
    kept <- data.table::copy(points)
    data.table::set(kept, j = "rounds", value = lapply(points$rounds, function(it) it[names(it) != round]))
    scale$to(statistic(kept))
  }, numeric(1))
  error <- sqrt((n - 1) / n * sum((without - mean(without))^2))
  half <- t_quantile(n - 1) * error
  found <- list(mean = middle, lo = middle - half, hi = middle + half, error = error, df = n - 1, n = n)
  effect_with(words, found, points, units)
}

# How far the runs of a point lie apart: quartile distance over median, the median over the points.
spread_of <- function(points, fewest = 4) {
  points <- points[lengths(rounds) >= fewest]
  only_if(nrow(points) > 0)
  spreads <- vapply(points$rounds, relative_spread, numeric(1))
  jackknifed("spread", points, function(points) {
    max(1e-6, stats::median(vapply(points$rounds, relative_spread, numeric(1))))
  }, spreads)
}

relative_spread <- function(values) unname(diff(stats::quantile(values, c(0.25, 0.75))) / stats::median(values))

# How well, for each size, writes are a straight line over reads: the share of the variance that the line explains, the
# median over the sizes.
line_of <- function(points, fewest = 4) {
  explained <- explained_by_size(points, fewest)
  only_if(length(explained) > 0)
  jackknifed("explained share", points, function(points) stats::median(explained_by_size(points, fewest)), explained)
}

explained_by_size <- function(points, fewest) {
  points <- data.table::copy(points)[, middle := vapply(rounds, stats::median, numeric(1))]
  same <- setdiff(point_keys, "access")
  columns <- c(same, "middle")
  pairs <- merge(points[access == "read", columns, with = FALSE], points[access == "write", columns, with = FALSE],
    by = same)
  sizes <- split(pairs, by = c("target", "api", "xfer_bytes"), drop = TRUE)
  sizes <- Filter(function(rows) nrow(rows) >= fewest, sizes)
  vapply(sizes, function(rows) explained_share(rows$middle.x, rows$middle.y), numeric(1))
}

explained_share <- function(x, y) {
  if (anyNA(c(x, y)) || stats::sd(x) == 0 || stats::sd(y) == 0) NA_real_ else stats::cor(x, y)^2
}

# The best of some points over the best of the other points. The best is chosen by the other rounds, as the highest of
# many noisy values reads high.
best_ratio <- function(first, second) {
  only_if(nrow(first) > 0 && nrow(second) > 0)
  one <- best_by_round(first)
  other <- best_by_round(second)
  common <- intersect(names(one), names(other))
  used <- rbind(first[which.max(median)], second[which.max(median)], fill = TRUE)
  effect_of("factor", one[common] / other[common], used, inflation = inflation_of(study_autocorrelation()))
}

best_by_round <- function(points) {
  common <- Reduce(intersect, lapply(points$rounds, names))
  if (length(common) < 2) {
    return(points$rounds[[which.max(points$median)]])
  }
  rounds <- do.call(rbind, lapply(points$rounds, function(it) log(it[common])))
  chosen <- apply(rowSums(rounds) - rounds, 2, which.max)
  setNames(exp(rounds[cbind(chosen, seq_along(common))]), common)
}

# The best against a number that was printed, as a factor.
best_against <- function(points, printed) {
  only_if(nrow(points) > 0)
  effect_of("factor", best_by_round(points) / printed, points[which.max(median)],
    inflation = inflation_of(study_autocorrelation()))
}

# Points in other units: over the network's bandwidth, for each node.
scaled_points <- function(points, factor) {
  points <- data.table::copy(points)
  data.table::set(points, j = "rounds", value = Map(`*`, points$rounds, rep_len(factor, nrow(points))))
  data.table::set(points, j = "median", value = points$median * factor)
  points
}

# The fastest or the slowest of points that differ in `apart` alone; in each round the one that the other rounds
# choose.
fastest_of <- function(points, apart) one_of_each(points, apart, 1)
slowest_of <- function(points, apart) one_of_each(points, apart, -1)

ratio_of_fastest <- function(first, second, apart) {
  ratio_of(fastest_of(first, apart), fastest_of(second, apart), apart)
}

one_of_each <- function(points, apart, sign) {
  if (nrow(points) == 0) {
    return(points)
  }
  groups <- split(points[order(-sign * median)], by = setdiff(point_keys, apart), drop = TRUE)
  data.table::rbindlist(lapply(groups, function(group) {
    chosen <- scaled_points(group, 1)
    if (sign < 0) {
      data.table::set(chosen, j = "rounds", value = lapply(chosen$rounds, function(it) 1 / it))
      data.table::set(chosen, j = "median", value = 1 / chosen$median)
    }
    by_round <- best_by_round(chosen)^sign
    group <- group[1]
    data.table::set(group, j = "rounds", value = list(list(by_round)))
    group
  }))
}

# Plain transfers, without those of a file format and without the times of single operations.
transfers <- function(points) points[purpose == "bandwidth"]

small_blocks <- function(points, most_bytes = 128 * 1024) points[xfer_bytes <= most_bytes]
large_blocks <- function(points, least_bytes = 4 * mib) points[xfer_bytes >= least_bytes]

# The ends of the transfer sizes of each target.
largest_over_smallest <- function(points) {
  only_if(nrow(points) > 0)
  ends <- points[, .(least = min(xfer_bytes), most = max(xfer_bytes)), by = .(target, purpose)]
  points <- ends[points, on = .(target, purpose)][least < most]
  ratio_of(points[xfer_bytes == most], points[xfer_bytes == least], "xfer_bytes")
}

# How far a factor is from one, in either direction. An interval around one shows only that it may be none.
apart_by <- function(ratio) {
  ends <- sort(abs(log(c(ratio$lo, ratio$hi))), na.last = TRUE)
  if (isTRUE(ratio$lo < 1 && ratio$hi > 1)) ends[1] <- 0
  found <- list(mean = abs(log(ratio$effect)), lo = ends[1], hi = ends[2], error = ratio$error, df = ratio$df,
    n = ratio$rounds)
  effect_with("factor", found, ratio$used, count = ratio$count)
}
