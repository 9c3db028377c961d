# What a claim measures on points: ratios of pairs, growth with nodes, spread, lines. Each effect is a number with the
# interval that resampling the records gives it; NULL where the points for it are missing.

effect_of <- function(words, effect, draws, used, lowest = NA, highest = NA, count = NA_integer_) {
  known <- draws[is.finite(draws)]
  ends <- if (length(known) > claim_resamples / 2) stats::quantile(known, c(0.025, 0.975), names = FALSE) else c(NA, NA)
  list(
    words = words, effect = effect, lo = ends[1], hi = ends[2], lowest = lowest, highest = highest, count = count,
    used = used[, .(emulated, degraded, reasons)], draws = draws
  )
}

# One effect over another, as a factor.
quotient_of <- function(first, second) {
  if (is.null(first) || is.null(second)) {
    return(NULL)
  }
  effect_of(
    "factor", first$effect / second$effect, first$draws / second$draws, rbind(first$used, second$used),
    count = min(first$count, second$count)
  )
}

# The median of all ratios first / second of points that differ in `apart` alone.
ratio_of <- function(first, second, apart) {
  if (nrow(first) == 0 || nrow(second) == 0) {
    return(NULL)
  }
  same <- setdiff(c(claim_columns, "variant", "statistic"), apart)
  pairs <- merge(first, second, by = same, allow.cartesian = TRUE)
  if (nrow(pairs) == 0) {
    return(NULL)
  }
  logs <- log(pairs$median.x / pairs$median.y)
  draws <- exp(column_medians(log(do.call(rbind, pairs$draws.x)) - log(do.call(rbind, pairs$draws.y))))
  used <- data.table::rbindlist(list(
    pairs[, .(emulated = emulated.x, degraded = degraded.x, reasons = reasons.x)],
    pairs[, .(emulated = emulated.y, degraded = degraded.y, reasons = reasons.y)]
  ))
  ratios <- exp(logs)
  effect_of("factor", exp(stats::median(logs)), draws, used, min(ratios), max(ratios), nrow(pairs))
}

column_medians <- function(matrix) column_quantiles(matrix, 0.5)

# What stats::quantile gives for each column, of all columns at once; a column with a missing value has none.
column_quantiles <- function(matrix, chance) {
  rows <- nrow(matrix)
  place <- (rows - 1) * chance + 1
  sorted <- matrix(matrix[order(col(matrix), matrix)], nrow = rows)
  found <- sorted[floor(place), ] + (place - floor(place)) * (sorted[ceiling(place), ] - sorted[floor(place), ])
  replace(found, colSums(is.na(matrix)) > 0, NA)
}

# The exponent with which bandwidth grows with the nodes: 1 in proportion, 0 not at all; the median over the series that
# differ in nothing else.
growth_of <- function(points) {
  if (nrow(points) == 0) {
    return(NULL)
  }
  series <- split(points, by = setdiff(c(claim_columns, "variant", "statistic"), "nn"), drop = TRUE)
  series <- Filter(function(rows) data.table::uniqueN(rows$nn) > 1, series)
  if (length(series) == 0) {
    return(NULL)
  }
  slopes <- vapply(series, function(rows) slope(log(rows$nn), log(rows$median)), numeric(1))
  draws <- do.call(rbind, lapply(series, function(rows) slope(log(rows$nn), log(do.call(rbind, rows$draws)))))
  effect_of(
    "exponent", stats::median(slopes), column_medians(draws), data.table::rbindlist(series), min(slopes), max(slopes),
    length(slopes)
  )
}

# Least squares; of a matrix the slope of every column.
slope <- function(x, y) {
  weights <- (x - mean(x)) / sum((x - mean(x))^2)
  drop(weights %*% as.matrix(y))
}

# How far the repetitions of a point lie apart: quartile distance over median, the median over the points.
spread_of <- function(points, fewest = 4) {
  points <- points[n >= fewest]
  if (nrow(points) == 0) {
    return(NULL)
  }
  spreads <- vapply(points$values, relative_spread, numeric(1))
  draws <- with_seed(bootstrap_seed + nrow(points), do.call(rbind, lapply(points$values, resampled_spreads)))
  effect_of(
    "spread", stats::median(spreads), column_medians(draws), points, min(spreads), max(spreads), length(spreads)
  )
}

relative_spread <- function(values) unname(diff(stats::quantile(values, c(0.25, 0.75))) / stats::median(values))

resampled_spreads <- function(values) {
  n <- length(values)
  picked <- matrix(values[sample.int(n, n * claim_resamples, replace = TRUE)], ncol = claim_resamples)
  (column_quantiles(picked, 0.75) - column_quantiles(picked, 0.25)) / column_quantiles(picked, 0.5)
}

# How well, for each size, writes are a straight line over reads: the share of the variance that the line explains, the
# median over the sizes.
line_of <- function(points, fewest = 4) {
  if (nrow(points) == 0) {
    return(NULL)
  }
  same <- setdiff(c(claim_columns, "variant", "statistic"), "access")
  pairs <- merge(points[access == "read"], points[access == "write"], by = same)
  sizes <- split(pairs, by = c("target", "api", "xfer_bytes"), drop = TRUE)
  sizes <- Filter(function(rows) nrow(rows) >= fewest, sizes)
  if (length(sizes) == 0) {
    return(NULL)
  }
  explained <- vapply(sizes, function(rows) explained_share(rows$median.x, rows$median.y), numeric(1))
  draws <- do.call(rbind, lapply(sizes, function(rows) {
    reads <- do.call(rbind, rows$draws.x)
    writes <- do.call(rbind, rows$draws.y)
    reads <- sweep(reads, 2, colMeans(reads))
    writes <- sweep(writes, 2, colMeans(writes))
    colSums(reads * writes)^2 / (colSums(reads^2) * colSums(writes^2))
  }))
  used <- data.table::rbindlist(sizes)[, .(
    emulated = emulated.x, degraded = degraded.x | degraded.y, reasons = paste(reasons.x, reasons.y, sep = ";")
  )]
  effect_of(
    "explained share", stats::median(explained), column_medians(draws), used, min(explained), max(explained),
    length(sizes)
  )
}

explained_share <- function(x, y) {
  if (anyNA(c(x, y)) || stats::sd(x) == 0 || stats::sd(y) == 0) NA_real_ else stats::cor(x, y)^2
}

# The highest median of some points over that of others.
best_ratio <- function(first, second) {
  if (nrow(first) == 0 || nrow(second) == 0) {
    return(NULL)
  }
  one <- first[which.max(median)]
  other <- second[which.max(median)]
  draws <- one$draws[[1]] / other$draws[[1]]
  effect_of("factor", one$median / other$median, draws, rbind(one, other), count = 1L)
}

# The highest median against a number that was printed, as a factor.
best_against <- function(points, printed) {
  if (nrow(points) == 0) {
    return(NULL)
  }
  best <- points[which.max(median)]
  effect_of("factor", best$median / printed, best$draws[[1]] / printed, best, count = 1L)
}

# Of points that differ in `apart` alone the fastest, or the slowest.
fastest_of <- function(points, apart) one_of_each(points[order(-median)], apart)
slowest_of <- function(points, apart) one_of_each(points[order(median)], apart)

one_of_each <- function(points, apart) unique(points, by = setdiff(c(claim_columns, "variant", "statistic"), apart))

small_blocks <- function(points, most_bytes = 128 * 1024) points[xfer_bytes <= most_bytes]
large_blocks <- function(points, least_bytes = 4 * mib) points[xfer_bytes >= least_bytes]

# The ends of the transfer sizes that were measured.
largest_over_smallest <- function(points) {
  sizes <- sort(unique(points$xfer_bytes))
  if (length(sizes) < 2) {
    return(NULL)
  }
  ratio_of(points[xfer_bytes == sizes[length(sizes)]], points[xfer_bytes == sizes[1]], "xfer_bytes")
}

# How far a factor is from one, whichever way.
apart_by <- function(ratio) {
  if (is.null(ratio)) {
    return(NULL)
  }
  away <- function(factor) exp(abs(log(factor)))
  effect_of("factor", away(ratio$effect), away(ratio$draws), ratio$used, count = ratio$count)
}

# Whether points know one way of access only, so that there is nothing to compare.
one_way_only <- function(points) nrow(unique(points[, .(collective, chunked)])) < 2
