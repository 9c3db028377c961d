# What the printed levels are worth: Rscript bench/coverage.R [TOKIO-YEAR.csv] [RECORDS.csv of a local series] [TABLES]
#
# Prints what bench/results/statistics.csv and docs/analysis.md have: how often intervals hold the median (independent
# and autocorrelated series, a year of file systems in the order of time, a local series; of fixed rounds, and of
# rounds added until the interval is narrow), false effects between identical settings, made and replayed, how often
# true effects are found, ratios of sides in turns and one after the other, and how many repetitions are saved by
# adding rounds where they are needed. `make bench-statistics` measures the local series before. A further series is
# one entry of `known_series`.

source("analysis/load.R")
load_analysis("analysis")

source("bench/coverage_series.R")

print_coverage <- function(known, populations, times) {
  timed <- Filter(function(one) !is.null(one$in_time), known)
  alike <- paste0(", ", assumed_autocorrelation)
  heads <- c("n", "printed", paste0(rep(names(populations), each = 2), c("", alike)),
    if (length(timed) > 0) paste0(names(timed), ", in order of time"))
  cat("| ", paste(heads, collapse = " | "), " |\n", strrep("|---", length(heads)), "|\n", sep = "")
  for (n in counts) {
    made <- unlist(lapply(populations, function(one) {
      vapply(c(0, assumed_autocorrelation), function(correlation) {
        share_held(one$draw(normal_series(times, n, correlation)), ranks_of(n), one$middle)
      }, 1)
    }))
    shares <- c(ranks_of(n)$level, made, vapply(timed, function(one) one$in_time(n), 1))
    cat("|", n, "|", paste(percent(shares), collapse = " | "), "|\n")
  }
}

# Eight pairs of cells; each round disturbs all of its cells by 10 %, each run of a cell varies by 8 %.
identical_settings <- function(rounds, ratio = 1, of_cell = function(n) rnorm(n)) {
  rows <- CJ(xfer_bytes = 2^(14:21), order = c("sequential", "random"), run = seq_len(rounds) - 1)
  rows[, disturbance := rnorm(1, 0, 0.1), by = run]
  rows[, own := of_cell(.N), by = .(xfer_bytes, order)]
  rows[, value := 100 * ifelse(order == "random", ratio, 1) * exp(disturbance + 0.08 * own)]
  rows[, `:=`(disturbance = NULL, own = NULL)][]
}

# A cell is slow in a fifth of its rounds, by 2.5 of its other deviations, and stays so for twenty.
with_modes <- function(n) {
  slow <- logical(n)
  slow[1] <- runif(1) < 0.2
  for (at in seq_len(n)[-1]) slow[at] <- if (runif(1) < 0.95) slow[at - 1] else runif(1) < 0.2
  rnorm(n) - 2.5 * slow
}

# Effects in turns where the rounds of a cell are alike, which no other cell cancels.
print_alike <- function(times) {
  kinds <- list("AR 0.35 per cell" = function(n) series_of(n, 0.35), "a lasting mode per cell" = with_modes)
  cat("\n| rounds of a cell | n | tables with a false effect | standard error | 1.1 found |\n|---|---|---|---|---|\n")
  for (kind in names(kinds)) {
    for (rounds in c(4, 8, 16)) {
      none <- share_clear(times, function() identical_settings(rounds, of_cell = kinds[[kind]]), any_dimension = TRUE)
      found <- share_clear(times / 5, function() identical_settings(rounds, 1.1, kinds[[kind]]))
      cat("|", kind, "|", rounds, "|", paste(percent(c(none, sqrt(none * (1 - none) / times), found)), collapse = " | "),
        "|\n")
    }
  }
}

# Replayed: consecutive runs of a series are the two sides of a pair in one round, each first as often as the other;
# a table has eight series.
replayed_settings <- function(table, rounds) {
  chosen <- table[, if (.N >= 2 * rounds) {
    first <- sample(.N - 2 * rounds + 1, 1)
    .(value = value[first + seq_len(2 * rounds) - 1], run = rep(seq_len(rounds) - 1, each = 2),
      order = as.vector(replicate(rounds, sample(c("sequential", "random")))))
  }, by = series]
  kept <- sample(unique(chosen$series), min(8, uniqueN(chosen$series)))
  chosen[series %in% kept, .(xfer_bytes = 2^(14 + match(series, kept)), order, run, value)]
}

effects_between <- function(rows) {
  rows[, `:=`(
    bw_mib_s = value, access = "write", target = "t", api = "POSIX", layout = "shared", nn = 1, ppn = 1,
    item = NA_character_, verdict = "VALID", tool = "ior", purpose = "bandwidth", emulated = FALSE,
    cell = paste(xfer_bytes, order), began = "2026-01-01T00:00:00", ops_s = NA_real_, chunking = NA_character_,
    collective = NA, source = "", suite = "s", experiment = "e", site = "x", label = "", reasons = "",
    stripe_count = NA_real_
  )]
  find_effects(rows[, value := NULL], bandwidth)
}
bandwidth <- load_metric("bandwidth")

# Of so many tables the share in which the effect of `order`, or any effect, is clear; on both cores.
share_clear <- function(times, make_rows, any_dimension = FALSE) {
  found <- parallel::mclapply(seq_len(times), function(i) {
    effects <- effects_between(make_rows())
    any((if (any_dimension) effects else effects[dimension == "order"])$clear)
  }, mc.cores = 2)
  mean(unlist(found))
}

print_power <- function(times) {
  cat("\n| rounds | identical: tables with a false effect | 1.05 found | 1.1 found | 1.3 found |\n",
    "|---|---|---|---|---|\n", sep = "")
  all <- 0
  for (rounds in c(4, 8, 16)) {
    none <- share_clear(times, function() identical_settings(rounds), any_dimension = TRUE)
    all <- all + none / 3
    found <- vapply(c(1.05, 1.1, 1.3), function(ratio) {
      share_clear(times / 5, function() identical_settings(rounds, ratio))
    }, 1)
    cat("|", rounds, "|", paste(percent(c(none, found)), collapse = " | "), "|\n")
  }
  cat(sprintf("identical settings, %d tables: %s have a false effect, standard error %s\n", 3 * times, percent(all),
    percent(sqrt(all * (1 - all) / 3 / times))))
}

# The two tests of such a table and their correction alone, which takes a second for many tables: by theory 5 %.
print_tests_alone <- function(times) {
  for (rounds in c(4, 8, 16)) {
    chances <- replicate(2, {
      of_round <- matrix(rnorm(times * rounds), times)
      error <- sqrt(rowSums((of_round - rowMeans(of_round))^2) / (rounds - 1) / rounds)
      2 * stats::pt(-abs(rowMeans(of_round) / error), rounds - 1)
    })
    lowest <- pmin(chances[, 1], chances[, 2])
    clear <- mean(lowest <= 0.025 | pmax(chances[, 1], chances[, 2]) <= 0.05)
    cat(sprintf("two tests alone, %d rounds, %d tables: %s have a false effect\n", rounds, times, percent(clear)))
  }
}

# Series have other sizes, so that only the effect of what is the same on both sides counts.
print_replayed_power <- function(replays, times) {
  cat("\n| rounds |", paste(names(replays), collapse = " | "), "|\n")
  cat(strrep("|---", 1 + length(replays)), "|\n", sep = "")
  for (rounds in c(4, 8, 16)) {
    shares <- vapply(replays, function(table) share_clear(times, function() replayed_settings(table, rounds)), 1)
    cat("|", rounds, "|", paste(percent(shares), collapse = " | "), "|\n")
  }
}

# The two sides of a ratio in turns, and one after the other, in one series that remembers.
print_sides <- function(times) {
  cat("\n| rounds | in turns | one after the other, widened | not widened |\n|---|---|---|---|\n")
  covers <- function(ratios, inflation) {
    found <- mean_interval(ratios, inflation)
    found$lo <= 0 && 0 <= found$hi
  }
  for (rounds in c(4, 8, 16)) {
    held <- rowMeans(replicate(times, {
      series <- series_of(2 * rounds, assumed_autocorrelation)
      turns <- series[2 * seq_len(rounds)] - series[2 * seq_len(rounds) - 1]
      apart <- series[rounds + seq_len(rounds)] - series[seq_len(rounds)]
      c(covers(turns, 1), covers(apart, inflation_of(assumed_autocorrelation)), covers(apart, 1))
    }))
    cat("|", rounds, "|", paste(percent(held), collapse = " | "), "|\n")
  }
}

# Of windows of consecutive values: ten runs of each, against runs added until as narrow as ten runs are in nine of ten
# windows, up to forty runs. The interval of added rounds is wider than that of a fixed number.
half_width_of <- function(values, at) {
  if (at$level < interval_level) {
    return(Inf)
  }
  ends <- ends_of(sort(values), at)
  (ends[2] - ends[1]) / 2 / median(values)
}

print_savings <- function(name, table, longest = 40L) {
  starts <- table[, if (.N >= longest) .(first = seq(1, .N - longest + 1, by = longest)), by = series]
  whole <- lapply(starts$series, function(one) table[series == one]$value)
  windows <- Map(function(values, first) values[first + seq_len(longest) - 1], whole, starts$first)
  widths <- function(kind) {
    ranks <- lapply(tried, ranks_of, kind)
    vapply(windows, function(it) mapply(function(n, at) half_width_of(it[seq_len(n)], at), tried, ranks),
      numeric(length(tried)))
  }
  fixed <- widths("fixed")
  added <- widths("added")
  for (share in c(0.5, 0.75, 0.9)) {
    wanted <- stats::quantile(fixed[tried == 10, ], share)
    needed <- apply(added <= wanted, 2, function(narrow) if (any(narrow)) tried[which(narrow)[1]] else longest)
    reached <- mean(apply(added <= wanted, 2, any))
    # A fixed number that makes as many windows as narrow.
    as_good <- tried[which(rowMeans(fixed <= wanted) >= reached)]
    held <- mean(mapply(holds_middle_around, whole, starts$first, needed))
    cat(sprintf("| %s | %d | %.1f %% | %.1f | %s | %s | %s |\n", name, length(windows), 100 * wanted, mean(needed),
      if (length(as_good) > 0) as_good[1] else paste(">", longest), percent(reached), percent(held)))
  }
}

# Whether the interval of n added runs holds the median of the 60 around them.
holds_middle_around <- function(values, first, n) {
  ends <- ends_of(sort(values[first + seq_len(n) - 1]), ranks_of(n, "added"))
  middle <- median_around(values, first, n)
  ends[1] <= middle && middle <= ends[2]
}

# Runs added from eight on until the interval is as narrow as requested, which it may be by chance: how many, and
# whether it holds the median then. The interval at the end of series that never get there counts, too.
tried <- 8:40

ends_by_number <- function(values) {
  each <- lapply(tried, function(n) {
    at <- ranks_of(n, "added")
    ends <- ends_of_rows(values[, seq_len(n)], at)
    c(ends, list(width = if (at$level < interval_level) Inf * ends$lo else (ends$hi - ends$lo) / 2 / ends$median))
  })
  sapply(c("lo", "hi", "width"), function(name) vapply(each, `[[`, numeric(nrow(values)), name), simplify = FALSE)
}

stopped <- function(ends, middle, wanted, most) {
  narrow <- ends$width[, tried <= most] <= wanted
  reached <- rowSums(narrow) > 0
  narrow[, ncol(narrow)] <- TRUE
  last <- max.col(narrow + 0, "first")
  at <- cbind(seq_along(last), last)
  held <- ends$lo[at] <= middle & middle <= ends$hi[at]
  c(runs = mean(tried[last]), held = mean(held), reached = mean(reached), held_of_reached = mean(held[reached]))
}

print_stopping <- function(populations, times) {
  by_correlation <- paste0(c("mean runs, ", "median held, "), rep(sprintf("%.2f", correlations), each = 2))
  heads <- c("requested half-width", "at most", by_correlation, paste(c("reached,", "held of these,"), correlations[3]))
  cat("\n| ", paste(heads, collapse = " | "), " |\n", strrep("|---", length(heads)), "|\n", sep = "")
  made <- lapply(correlations, function(correlation) normal_series(times, max(tried), correlation))
  ends <- lapply(made, function(it) ends_by_number(normal_population$draw(it)))
  for (most in c(20L, 40L)) {
    for (wanted in c(0.03, 0.05, 0.08)) {
      found <- vapply(ends, stopped, numeric(4), normal_population$middle, wanted, most)
      cat(sprintf("| %.0f %% | %d |", 100 * wanted, most),
        paste(sprintf("%.1f | %s", found["runs", ], percent(found["held", ])), collapse = " | "), "|",
        paste(percent(found[c("reached", "held_of_reached"), 3]), collapse = " | "), "|\n")
    }
  }
  print_lowest(populations, made)
}

# Over half-widths from one that hardly any series reaches with ten runs to one that most do.
print_lowest <- function(populations, made) {
  cat("\n| values | at most |", paste0(" lowest share held, ", sprintf("%.2f", correlations), collapse = " |"), " |\n",
    strrep("|---", 2 + length(correlations)), "|\n", sep = "")
  for (name in names(populations)) {
    one <- populations[[name]]
    ends <- lapply(made, function(normal) ends_by_number(one$draw(normal)))
    for (most in c(20L, 40L)) {
      lowest <- vapply(ends, function(it) {
        wanted <- stats::quantile(it$width[, tried == 10], c(0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9))
        min(vapply(wanted, function(width) stopped(it, one$middle, width, most)[["held"]], 1))
      }, 1)
      cat("|", name, "|", most, "|", paste(percent(lowest), collapse = " | "), "|\n")
    }
  }
}

# Series with a slow part as the local ones have it: 40 % of the variance, with an autocorrelation of 0.97, which is the
# best fit to how often their runs are on one side of the median 1 to 30 rounds apart. Which median a campaign knows:
# that of the 60 rounds around it, or that in the long run.
slow_series <- function(times, length) {
  sqrt(0.6) * normal_series(times, length, 0) + sqrt(0.4) * normal_series(times, length, 0.97)
}

# The shares of the windows from `first` on that hold the median around, and 0.
held_by_slow <- function(made, first, n) {
  ends <- ends_of_rows(made[, first + seq_len(n) - 1], ranks_of(n))
  around <- apply(made[, rounds_around(first, n, ncol(made))], 1, median)
  c(mean(ends$lo <= around & around <= ends$hi), mean(ends$lo <= 0 & 0 <= ends$hi))
}

print_slow_series <- function(times, length = 160) {
  cat("\n| n | median of 60 rounds around held | median in the long run held |\n|---|---|---|\n")
  made <- slow_series(times, length)
  for (n in counts) {
    held <- rowMeans(vapply(starts_of(length, n), function(first) held_by_slow(made, first, n), numeric(2)))
    cat("|", n, "|", paste(percent(held), collapse = " | "), "|\n")
  }
  # Sixteen cells whose sides of the median are correlated by 0.36, as in the local series, in campaigns of 20 rounds
  # one after the other.
  of_campaigns <- replicate(times / 4, {
    together <- rep(slow_series(1, length), each = 16)
    cells <- sqrt(0.54) * matrix(together, 16) + sqrt(0.46) * slow_series(16, length)
    mean(vapply(seq(1, length - 19, by = 20), function(first) held_by_slow(cells, first, 20)[1], 1))
  })
  cat(sprintf("campaigns of 20 rounds of 16 cells: %s held around, standard deviation %s, in one of 20 below %s\n",
    percent(mean(of_campaigns)), percent(sd(of_campaigns)), percent(stats::quantile(of_campaigns, 0.05))))
}

# Of each entry a name of the tables and how its series are read.
known_series <- list(
  "2018" = list(read = series_of_2018, path = "reference/ddn-lustre-2018.csv"),
  "a year" = list(read = series_of_a_year, path = commandArgs(TRUE)[1]),
  "a local series" = list(read = series_of_records, path = commandArgs(TRUE)[2])
)

RNGkind("L'Ecuyer-CMRG")
set.seed(20261122)
present <- Filter(function(one) !is.na(one$path) && nzchar(one$path) && file.exists(one$path), known_series)
known <- lapply(present, function(one) one$read(one$path))
populations <- c(list(normal = normal_population), lapply(known, function(one) drawn_from(one$values)))
timed <- lapply(Filter(function(one) !is.null(one$in_time), known), function(one) one$values)
tables <- if (length(commandArgs(TRUE)) > 2) as.numeric(commandArgs(TRUE)[3]) else 1000
print_coverage(known, populations, 20 * tables)
print_stopping(populations, 20 * tables)
print_slow_series(2 * tables)
print_power(tables)
print_alike(tables)
print_tests_alone(20 * tables)
print_replayed_power(timed, tables / 2)
print_sides(4 * tables)
cat("\n| series | windows | half-width of 10 runs | runs, added as needed | fixed number as good | as narrow |",
  " median held |\n|---|---|---|---|---|---|---|\n", sep = "")
for (name in names(timed)) print_savings(name, timed[[name]])
