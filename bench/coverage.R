# What the printed levels are worth: Rscript bench/coverage.R [TOKIO-YEAR.csv] [RECORDS.csv of a local series] [TABLES]
#
# Prints the tables of docs/analysis.md: how often intervals hold the median (independent and autocorrelated series, a
# year of file systems in the order of time, a local series), false effects between identical settings, made and
# replayed, how often true effects are found, ratios of sides in turns and one after the other, and how many repetitions
# are saved by adding rounds where they are needed. `make bench-statistics` measures the local series before.

source("analysis/load.R")
load_analysis("analysis")

counts <- c(6L, 8L, 10L, 16L, 20L)
rank_of <- function(n) interval_ranks(n, side_correlation(assumed_autocorrelation))

holds <- function(values, at, middle) {
  ends <- ends_of(sort(values), at)
  ends[1] <= middle && middle <= ends[2]
}

series_of <- function(n, correlation, generate = rnorm) {
  as.numeric(stats::filter(generate(n + 20) * sqrt(1 - correlation^2), correlation, method = "recursive"))[-(1:20)]
}

simulated_coverage <- function(n, correlation, times) {
  mean(replicate(times, holds(series_of(n, correlation), rank_of(n), 0)))
}

# Every n consecutive values against the median of the 60 around them.
replayed_coverage <- function(table, n, around = 60) {
  at <- rank_of(n)
  found <- table[, if (.N >= 60) .(covered = vapply(seq(1, .N - n + 1, by = n), function(first) {
    middle <- median(value[max(1, first + n / 2 - around / 2):min(.N, first + n / 2 + around / 2 - 1)])
    holds(value[first:(first + n - 1)], at, middle)
  }, TRUE)), by = series]
  if (nrow(found) == 0) NA_real_ else mean(found$covered)
}

# Every n consecutive rounds of a real series as a campaign of their own, with the autocorrelation and the drift that the
# analysis finds in them, against the median of the 60 rounds around.
campaign_coverage <- function(records, n, around = 60) {
  by <- c("target", "access", "cell")
  records <- copy(records)[, at := seq_len(.N), by = by]
  last <- max(records$at)
  held <- lapply(seq(1, last - n + 1, by = n), function(first) {
    campaign <- records[at >= first & at < first + n]
    points <- summarise_records(campaign, bandwidth_all(campaign), by, "MiB/s")
    near <- records[abs(at - (first + n / 2)) <= around / 2, .(middle = median(bw_mib_s)), by = by]
    points[near, on = by][, lo <= middle & middle <= hi]
  })
  mean(unlist(held), na.rm = TRUE)
}

percent <- function(part) ifelse(is.na(part), "--", sprintf("%.1f %%", 100 * part))

# Runs drawn from all runs of a population over the medians of their series, neighbours alike or not.
resampled_coverage <- function(table, n, correlation, times) {
  values <- sort(table[, value / median(value), by = series]$V1)
  at <- rank_of(n)
  middle <- values[ceiling(length(values) / 2)]
  mean(replicate(times, holds(values[ceiling(pnorm(series_of(n, correlation)) * length(values))], at, middle)))
}

print_coverage <- function(replays, populations, local, times) {
  heads <- c("n", "printed", "normal", "normal, 0.35", paste0(rep(names(populations), each = 2), c("", ", 0.35")),
    paste0(setdiff(names(replays), "a local series"), ", in order of time"),
    if (!is.null(local)) "a local series, in order of time")
  cat("|", paste(heads, collapse = " | "), "|\n", strrep("|---", length(heads)), "|\n", sep = "")
  for (n in counts) {
    of_populations <- unlist(lapply(populations, function(table) {
      c(resampled_coverage(table, n, 0, times), resampled_coverage(table, n, 0.35, times))
    }))
    known <- c(rank_of(n)$level, simulated_coverage(n, 0, times), simulated_coverage(n, 0.35, times), of_populations,
      vapply(replays[names(replays) != "a local series"], replayed_coverage, 1, n = n),
      if (!is.null(local)) campaign_coverage(local, n))
    cat("|", n, "|", paste(percent(known), collapse = " | "), "|\n")
  }
}

# Eight pairs of cells; each round disturbs all of its cells by 10 %, each run varies by 8 %.
identical_settings <- function(rounds, ratio = 1) {
  rows <- CJ(xfer_bytes = 2^(14:21), order = c("sequential", "random"), run = seq_len(rounds) - 1)
  rows[, disturbance := rnorm(1, 0, 0.1), by = run]
  rows[, value := 100 * ifelse(order == "random", ratio, 1) * exp(disturbance + rnorm(.N, 0, 0.08))]
  rows[, disturbance := NULL][]
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
# windows, from eight to forty runs.
half_width_of <- function(values) {
  ends <- ends_of(sort(values), rank_of(length(values)))
  (ends[2] - ends[1]) / 2 / median(values)
}

print_savings <- function(name, table, longest = 40L) {
  starts <- table[, if (.N >= longest) .(first = seq(1, .N - longest + 1, by = longest)), by = series]
  windows <- lapply(seq_len(nrow(starts)), function(i) {
    table[series == starts$series[i]]$value[starts$first[i] + seq_len(longest) - 1]
  })
  ten <- vapply(windows, function(it) half_width_of(it[1:10]), 1)
  for (share in c(0.5, 0.75, 0.9)) {
    wanted <- stats::quantile(ten, share)
    needed <- vapply(windows, function(it) {
      narrow <- vapply(8:longest, function(n) half_width_of(it[seq_len(n)]) <= wanted, TRUE)
      if (any(narrow)) (8:longest)[which(narrow)[1]] else longest
    }, 1)
    # A fixed number that makes as many windows as narrow.
    reached <- vapply(windows, function(it) half_width_of(it) <= wanted, TRUE)
    fixed <- vapply(8:longest, function(n) mean(vapply(windows, function(it) half_width_of(it[seq_len(n)]) <= wanted,
      TRUE)), 1)
    as_good <- which(fixed >= mean(needed < longest | reached))
    cat(sprintf("| %s | %d | %.1f %% | %.1f | %s | %s |\n", name, length(windows), 100 * wanted, mean(needed),
      if (length(as_good) > 0) (8:longest)[as_good[1]] else paste(">", longest),
      percent(mean(needed < longest | reached))))
  }
}

# Runs added from eight to forty until the interval is as narrow as requested, which it may be by luck: whether it holds
# the median then. Values vary by 8 %.
print_stopping <- function(times, longest = 40L) {
  ranks <- lapply(seq_len(longest), function(n) if (n >= 8) rank_of(n))
  stopped <- function(values, wanted) {
    for (n in 8:longest) {
      ends <- ends_of(sort(values[seq_len(n)]), ranks[[n]])
      if (ends[2] - ends[1] <= 2 * wanted * median(values[seq_len(n)])) break
    }
    c(n, ends[1] <= 1 && 1 <= ends[2])
  }
  cat("\n| requested half-width | mean runs | median held | mean runs, 0.35 | median held, 0.35 |\n",
    "|---|---|---|---|---|\n", sep = "")
  for (wanted in c(0.03, 0.05, 0.08)) {
    found <- vapply(c(0, 0.35), function(correlation) {
      rowMeans(replicate(times, stopped(exp(0.08 * series_of(longest, correlation)), wanted)))
    }, numeric(2))
    cat(sprintf("| %.0f %% | %.1f | %s | %.1f | %s |\n", 100 * wanted, found[1, 1], percent(found[2, 1]), found[1, 2],
      percent(found[2, 2])))
  }
}

arguments <- commandArgs(TRUE)
RNGkind("L'Ecuyer-CMRG")
set.seed(20261122)
replays <- list()
of_2018 <- fread("reference/ddn-lustre-2018.csv", integer64 = "numeric")[is.finite(bw_mib_s) & bw_mib_s > 0]
of_2018[, series := paste(campaign, api, access, nn, ppn, xfer_bytes, layout, order, stripe_count)]
populations <- list("2018" = of_2018[, .(series, value = bw_mib_s)][, if (.N > 1) .SD, by = series])
if (length(arguments) > 0 && file.exists(arguments[1])) {
  year <- fread(arguments[1], integer64 = "numeric")[bw_mib_s > 0]
  year[, `:=`(value = bw_mib_s, series = paste(system, file_system, app, access, layout))]
  setorder(year, series, started_unix)
  replays[["a year"]] <- year[, .(series, value)]
  populations[["a year"]] <- replays[["a year"]]
}
local <- NULL
if (length(arguments) > 1 && nzchar(arguments[2])) {
  # What the audit doubts takes no part in the analysis.
  local <- read_records(arguments[2])[verdict %in% usable_verdicts & is.finite(bw_mib_s)]
  local[, `:=`(value = bw_mib_s, series = paste(cell, access))]
  setorder(local, series, run)
  replays[["a local series"]] <- local[, .(series, value)]
  populations[["a local series"]] <- replays[["a local series"]]
  known <- estimate_autocorrelation(local$value, local$series)
  cat(sprintf("local series: %d runs in %d series, autocorrelation %.2f\n\n", nrow(local), uniqueN(local$series),
    known$value))
}
tables <- if (length(arguments) > 2) as.numeric(arguments[3]) else 1000
print_coverage(replays, populations, local, 4 * tables)
print_stopping(2 * tables)
print_power(tables)
print_tests_alone(20 * tables)
print_replayed_power(replays, tables / 2)
print_sides(4 * tables)
cat("\n| series | windows | half-width of 10 runs | runs, added as needed | fixed number as good | as narrow |\n",
  "|---|---|---|---|---|---|\n", sep = "")
for (name in names(replays)) print_savings(name, replays[[name]])
