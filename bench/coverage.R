# What the printed levels are worth: Rscript bench/coverage.R [TOKIO-YEAR.csv] [RECORDS.csv of a local series]
#
# Prints the tables of docs/analysis.md: how often intervals hold the median (independent and autocorrelated series, a
# year of file systems in the order of time, a local series), false effects between identical settings, how often true
# effects are found, and how many repetitions are saved by adding rounds where they are needed. About ten minutes.

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

simulated_coverage <- function(n, correlation, times = 4000) {
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

percent <- function(part) ifelse(is.na(part), "--", sprintf("%.1f %%", 100 * part))

print_coverage <- function(replays) {
  cat("| n | printed | independent | autocorrelated 0.35 |", paste(names(replays), collapse = " | "), "|\n")
  cat("|", strrep("---|", 4 + length(replays)), "\n", sep = "")
  for (n in counts) {
    known <- c(rank_of(n)$level, simulated_coverage(n, 0), simulated_coverage(n, 0.35),
      vapply(replays, replayed_coverage, 1, n = n))
    cat("|", n, "|", paste(percent(known), collapse = " | "), "|\n")
  }
}

# Eight pairs of cells; each round disturbs all of its cells by 10 %, each run varies by 8 %.
effects_between <- function(ratio, rounds) {
  rows <- CJ(xfer_bytes = 2^(14:21), order = c("sequential", "random"), run = seq_len(rounds) - 1)
  rows[, disturbance := rnorm(1, 0, 0.1), by = run]
  rows[, bw_mib_s := 100 * ifelse(order == "random", ratio, 1) * exp(disturbance + rnorm(.N, 0, 0.08))]
  rows[, `:=`(
    access = "write", target = "t", api = "POSIX", layout = "shared", nn = 1, ppn = 1, item = NA_character_,
    verdict = "VALID", tool = "ior", purpose = "bandwidth", emulated = FALSE, cell = paste(xfer_bytes, order),
    began = "2026-01-01T00:00:00", ops_s = NA_real_, chunking = NA_character_, collective = NA,
    source = "", suite = "s",
    experiment = "e", site = "x", label = "",
    reasons = "", stripe_count = NA_real_
  )]
  effects <- effects_of_settings(rows[, disturbance := NULL])
  c(any = any(effects$clear), found = any(effects[dimension == "order"]$clear))
}

print_power <- function(times = 200) {
  cat("\n| rounds | identical: tables with a false effect | 1.05 found | 1.1 found | 1.3 found |\n",
    "|---|---|---|---|---|\n", sep = "")
  for (rounds in c(4, 8, 16)) {
    none <- mean(replicate(times, effects_between(1, rounds)[["any"]]))
    found <- vapply(c(1.05, 1.1, 1.3), function(ratio) {
      mean(replicate(times / 4, effects_between(ratio, rounds)[["found"]]))
    }, 1)
    cat("|", rounds, "|", paste(percent(c(none, found)), collapse = " | "), "|\n")
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

arguments <- commandArgs(TRUE)
set.seed(20261122)
replays <- list()
if (length(arguments) > 0 && file.exists(arguments[1])) {
  year <- fread(arguments[1], integer64 = "numeric")[bw_mib_s > 0]
  year[, `:=`(value = bw_mib_s, series = paste(system, file_system, app, access, layout))]
  setorder(year, series, started_unix)
  replays[["a year of file systems"]] <- year[, .(series, value)]
}
if (length(arguments) > 1) {
  local <- read_records(arguments[2])[verdict != "INVALID" & is.finite(bw_mib_s)]
  local[, `:=`(value = bw_mib_s, series = paste(cell, access))]
  setorder(local, series, run)
  replays[["a local series"]] <- local[, .(series, value)]
  known <- estimate_autocorrelation(local$value, local$series)
  cat(sprintf("local series: %d runs in %d series, autocorrelation %.2f\n\n", nrow(local), uniqueN(local$series),
    known$value))
}
print_coverage(replays)
print_power()
cat("\n| series | windows | half-width of 10 runs | runs, added as needed | fixed number as good | as narrow |\n",
  "|---|---|---|---|---|---|\n", sep = "")
for (name in names(replays)) print_savings(name, replays[[name]])
