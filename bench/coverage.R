# What the printed levels are worth:
#
#   Rscript bench/coverage.R [TOKIO-YEAR.csv] [RECORDS.csv of a local series] [TABLES] [PART]
#
# Writes bench/results/statistics.csv: how often intervals hold the median (independent and autocorrelated series, a
# year of file systems in the order of time, a local series; of fixed rounds, and of rounds added until the interval is
# narrow), false effects between identical settings, made and replayed, how often true effects are found, ratios of
# sides in turns and one after the other, and how many repetitions are saved by adding rounds where they are needed.
# PART is one of `parts` below; the lines of the others stay. `make bench-statistics` measures the local series before.
# A further series is one entry of `known_series`.

source("analysis/load.R")
load_analysis("analysis")

source("bench/coverage_series.R")

# One line of the results: it replaces the one of the same case. `times` is of how many a share is.
tell <- function(what, series, n, promised, share, times = NA, text = percent(share)) {
  error <- if (is.na(times)) NA_character_ else percent(sqrt(share * (1 - share) / times))
  number <- if (nzchar(n)) as.character(n) else NA_character_
  line <- data.table(what, series, n = number, promised, measured = text, standard_error = error)
  cat(paste(line, collapse = " | "), "\n")
  path <- "bench/results/statistics.csv"
  known <- fread(path, colClasses = "character", na.strings = "")
  at <- known[line, on = .(what, series, n), which = TRUE]
  if (is.na(at)) known <- rbind(known, line) else set(known, at, names(line), line)
  fwrite(known, path)
}

tell_coverage <- function(known, populations, times) {
  timed <- Filter(function(one) !is.null(one$in_time), known)
  holds <- function(series, n, share, times = NA) {
    tell("interval of a median holds it", series, n, percent(ranks_of(n)$level), share, times)
  }
  for (n in counts) {
    for (name in names(populations)) {
      one <- populations[[name]]
      for (correlation in c(0, assumed_autocorrelation)) {
        share <- share_held(one$draw(normal_series(times, n, correlation)), ranks_of(n), one$middle)
        holds(paste0(name, if (correlation > 0) paste0(", ", correlation)), n, share, times)
      }
    }
    for (name in names(timed)) holds(paste0(name, ", in order of time"), n, timed[[name]]$in_time(n))
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

alike_series <- function(n) series_of(n, 0.35)

# Effects in turns, independent or where the rounds of a cell are alike, which no other cell cancels.
tell_effects <- function(series, of_cell, times, ratios, promised = "5 %") {
  for (rounds in c(4, 8, 16)) {
    none <- shares_clear(times, function() identical_settings(rounds, of_cell = of_cell), any_dimension = TRUE)
    tell("effects in turns, tables with a false one", series, rounds, promised, none[["clear"]], times)
    tell("effects in turns, tables with a false one whose pairs agree", series, rounds, "5 %", none[["agree"]], times)
    for (ratio in ratios) {
      found <- shares_clear(ceiling(times / 5), function() identical_settings(rounds, ratio, of_cell))
      what <- sprintf("effects in turns, %s found", format(ratio))
      tell(what, series, rounds, "power", found[["clear"]], ceiling(times / 5))
      tell(paste0(what, ", pairs agree"), series, rounds, "power", found[["agree"]], ceiling(times / 5))
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

# Of so many tables the share in which the effect of `order`, or any effect, is clear, and that in which the pairs of
# such an effect agree; on both cores.
shares_clear <- function(times, make_rows, any_dimension = FALSE) {
  found <- parallel::mclapply(seq_len(times), function(i) {
    effects <- effects_between(make_rows())
    if (!any_dimension) effects <- effects[dimension == "order"]
    c(clear = any(effects$clear), agree = any(effects$pairs_agree))
  }, mc.cores = 2)
  rowMeans(simplify2array(found))
}

# The two effects of such a table without the rest of the analysis, of more tables than it could draw in the time.
tell_tests_alone <- function(kinds, times) {
  for (name in names(kinds)) {
    for (rounds in c(4, 8, 16)) {
      share <- mean(replicate(times, false_effect_alone(rounds, kinds[[name]])))
      tell("effects in turns, more tables with a false one", name, rounds, "5 %", share, times)
    }
  }
}

# Between eight pairs of one order, and between two of the ends of the sizes.
false_effect_alone <- function(rounds, of_cell) {
  cells <- replicate(16, of_cell(rounds))
  tests <- list(cells[, 1:8] - cells[, 9:16], cells[, c(8, 16)] - cells[, c(1, 9)])
  ratios <- do.call(cbind, tests)
  serial <- serial_factors(rounds, serial_correlation(as.vector(ratios), as.vector(col(ratios))))
  chances <- vapply(tests, function(of_pairs) {
    found <- mean_interval(rowMeans(of_pairs), serial$inflation, degrees = serial$degrees)
    chance_of_mean(found$mean, found$error, found$df)
  }, 1)
  any(stats::p.adjust(chances, "BH") <= 0.05)
}

# Series have other sizes, so that only the effect of what is the same on both sides counts.
tell_replayed <- function(replays, times) {
  for (name in names(replays)) {
    for (rounds in c(4, 8, 16)) {
      share <- shares_clear(times, function() replayed_settings(replays[[name]], rounds))[["clear"]]
      tell("effects in turns, replayed, tables with a false one", name, rounds, "5 %", share, times)
    }
  }
}

# The two sides of a ratio in turns, and one after the other, in one series that remembers.
tell_sides <- function(times) {
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
    kinds <- c("in turns", "one after the other, widened", "one after the other, not widened")
    promised <- c("95 %", "95 %", "-")
    for (at in 1:3) tell("interval of a ratio holds it, 0.35", kinds[at], rounds, promised[at], held[at], times)
  }
}

# Of windows of consecutive values: ten runs of each, against runs added until as narrow as ten runs are in nine of ten
# windows, up to forty runs. The interval of added rounds is wider than that of a fixed number.
half_width_of <- function(values, at) {
  if (at$level < interval_level) {
    return(Inf)
  }
  ends <- ends_of(values, at)
  (ends[2] - ends[1]) / 2 / median(values)
}

tell_savings <- function(name, table, longest = 40L) {
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
    number <- if (length(as_good) > 0) as_good[1] else paste("more than", longest)
    what <- sprintf("added rounds, as narrow as ten are in %.0f %%: ", 100 * share)
    tell(paste0(what, "half-width; runs; reached; fixed number as good"), name, "", "-",
      text = paste(percent(wanted), sprintf("%.1f", mean(needed)), percent(reached), number, sep = "; "))
    tell(paste0(what, "held"), name, "", "95 %", held)
  }
}

# Whether the interval of n added runs holds the median of the 60 around them.
holds_middle_around <- function(values, first, n) {
  ends <- ends_of(values[first + seq_len(n) - 1], ranks_of(n, "added"))
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

tell_stopping <- function(populations, times) {
  made <- lapply(correlations, function(correlation) normal_series(times, max(tried), correlation))
  ends <- lapply(made, function(it) ends_by_number(normal_population$draw(it)))
  for (most in c(20L, 40L)) {
    for (wanted in c(0.03, 0.05, 0.08)) {
      what <- sprintf("added rounds, half-width %.0f %%", 100 * wanted)
      for (at in seq_along(correlations)) {
        found <- stopped(ends[[at]], normal_population$middle, wanted, most)
        alike <- correlations[at]
        tell(what, paste("runs,", alike), most, "-", text = sprintf("%.1f", found[["runs"]]))
        tell(what, paste("held,", alike), most, "95 %", found[["held"]], times)
        tell(what, paste("reached,", alike), most, "-", found[["reached"]], times)
        tell(what, paste("held of these,", alike), most, "95 %", found[["held_of_reached"]], times * found[["reached"]])
      }
    }
  }
  tell_lowest(populations, made, times)
}

# Over half-widths from one that hardly any series reaches with ten runs to one that most do.
tell_lowest <- function(populations, made, times) {
  for (name in names(populations)) {
    one <- populations[[name]]
    ends <- lapply(made, function(normal) ends_by_number(one$draw(normal)))
    for (most in c(20L, 40L)) {
      for (at in seq_along(ends)) {
        wanted <- stats::quantile(ends[[at]]$width[, tried == 10], c(0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9))
        lowest <- min(vapply(wanted, function(width) stopped(ends[[at]], one$middle, width, most)[["held"]], 1))
        tell("added rounds, lowest share held", paste0(name, ", ", correlations[at]), most, "95 %", lowest, times)
      }
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

tell_slow_series <- function(times, length = 160) {
  made <- slow_series(times, length)
  for (n in counts) {
    held <- rowMeans(vapply(starts_of(length, n), function(first) held_by_slow(made, first, n), numeric(2)))
    for (at in 1:2) {
      series <- paste("slow part,", c("median of 60 rounds around", "median in the long run")[at])
      tell("interval of a median holds it", series, n, c("95.0 %", "-")[at], held[at], times)
    }
  }
  # Sixteen cells whose sides of the median are correlated by 0.36, as in the local series, in campaigns of 20 rounds
  # one after the other.
  of_campaigns <- replicate(times / 4, {
    together <- rep(slow_series(1, length), each = 16)
    cells <- sqrt(0.54) * matrix(together, 16) + sqrt(0.46) * slow_series(16, length)
    mean(vapply(seq(1, length - 19, by = 20), function(first) held_by_slow(cells, first, 20)[1], 1))
  })
  tell("interval of a median holds it", "slow part, 16 cells alike, median of 60 rounds around", 20, "95.0 %",
    text = sprintf("%s, in one campaign of 20 below %s", percent(mean(of_campaigns)),
      percent(stats::quantile(of_campaigns, 0.05))))
}

# Of each entry its name in the results and how its series are read.
known_series <- list(
  "2018" = list(read = series_of_2018, path = "reference/ddn-lustre-2018.csv"),
  year = list(read = series_of_a_year, path = commandArgs(TRUE)[1]),
  local = list(read = series_of_records, path = commandArgs(TRUE)[2])
)

RNGkind("L'Ecuyer-CMRG")
present <- Filter(function(one) !is.na(one$path) && nzchar(one$path) && file.exists(one$path), known_series)
known <- lapply(present, function(one) one$read(one$path))
populations <- c(list(normal = normal_population), lapply(known, function(one) drawn_from(one$values)))
timed <- lapply(Filter(function(one) !is.null(one$in_time), known), function(one) one$values)
tables <- if (length(commandArgs(TRUE)) > 2) as.numeric(commandArgs(TRUE)[3]) else 1000

parts <- list(
  fixed = function() tell_coverage(known, populations, 20 * tables),
  added = function() tell_stopping(populations, 20 * tables),
  slow = function() tell_slow_series(2 * tables),
  independent = function() tell_effects("independent", rnorm, tables, c(1.05, 1.1, 1.3)),
  alike = function() tell_effects("0.35 per cell", alike_series, tables, 1.1),
  modes = function() tell_effects("a lasting mode per cell", with_modes, tables, 1.1, "-"),
  alone = function() tell_tests_alone(list(independent = rnorm, "0.35 per cell" = alike_series), 5 * tables),
  replayed = function() tell_replayed(timed, tables / 2),
  sides = function() tell_sides(4 * tables),
  saved = function() for (name in names(timed)) tell_savings(name, timed[[name]])
)
wanted <- if (length(commandArgs(TRUE)) > 3) commandArgs(TRUE)[-(1:3)] else names(parts)
for (part in wanted) {
  set.seed(20261122 + match(part, names(parts)))
  parts[[part]]()
}
