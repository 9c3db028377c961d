# What a setting changes: pairs that differ in it alone, round by round.

two_orders <- function(...) {
  with_cells(read_synthetic(order = c("sequential", "random"), ..., began = "2026-01-01T00:00:00"))
}

test_that("an effect is the ratio of cells that differ in nothing else", {
  records <- two_orders(xfer_bytes = c(2^14, 2^20), n = 4)
  records[, bw_mib_s := 100 * ifelse(order == "random", 0.5, 1) * ifelse(xfer_bytes == 2^20, 4, 1)]
  effects <- effects_of_settings(records)
  expect_equal(unique(effects[dimension == "order", .(setting, instead_of, pairs, rounds, ratio, lo, hi)]), data.table(
    setting = "random", instead_of = "sequential", pairs = 2L, rounds = 4L, ratio = 0.5, lo = 0.5, hi = 0.5
  ))
  expect_equal(unique(effects[dimension == "xfer_bytes", ratio]), 4)
  expect_true(all(effects$clear))
})

test_that("rounds are paired: what disturbs a round is in both sides and not in their ratio", {
  records <- two_orders(access = "write", n = 4)
  records[, bw_mib_s := 100 * c(1, 3, 0.5, 2)[iteration + 1] * ifelse(order == "random", 1.1, 1)]
  effect <- effects_of_settings(records)
  expect_equal(c(effect$ratio, effect$lo, effect$hi), c(1.1, 1.1, 1.1))
  points <- summarise_records(records, records$bw_mib_s, "order", "MiB/s")
  expect_gt(max(points$median), 1.4 * min(records[order == "random"]$bw_mib_s))
})

test_that("pairs that differ in what follows from the setting say so", {
  records <- read_synthetic(access = "write", nn = c(1, 16), n = 3, xfer_bytes = c(2^14, 2^20))
  records[, stripe_count := ifelse(nn == 16 & xfer_bytes == 2^14, 32, 2)]
  effect <- effects_of_settings(with_cells(records))[dimension == "nn"]
  expect_identical(effect$also_differs, "stripe counts in 1 of 2 pairs")
  records[, block_bytes := nn * 2^20]
  effect <- effects_of_settings(with_cells(records))[dimension == "nn"]
  expect_match(effect$also_differs, "block sizes in 1 of 2 pairs; block sizes, stripe counts in 1 of 2 pairs")
  # What does not follow is never mixed in.
  records[, direct := nn == 16]
  expect_identical(nrow(effects_of_settings(with_cells(records))[dimension == "nn"]), 0L)
})

test_that("what follows from settings elsewhere is a setting where an experiment varies it by itself", {
  sweep <- read_synthetic(access = "write", nn = c(1, 16), n = 3)[, experiment := "sweep"]
  sweep <- rbind(sweep[, stripe_count := 1], data.table::copy(sweep)[, stripe_count := 8])
  sweep[, bw_mib_s := 100 * ifelse(stripe_count == 8, 3, 1) * nn]
  scaling <- read_synthetic(access = "write", nn = c(1, 16), n = 3)[, `:=`(stripe_count = 2 * nn, bw_mib_s = 100 * nn)]
  effects <- effects_of_settings(with_cells(rbind(sweep, scaling)))
  expect_identical(effects[dimension == "stripe_count", .(setting, instead_of, also_differs)],
    data.table(setting = "8 stripes", instead_of = "1 stripe", also_differs = ""))
  expect_equal(effects[dimension == "stripe_count"]$ratio, 3)
  # One pair of each count of the sweep, and one where the stripes follow the nodes.
  expect_identical(effects[dimension == "nn", .(pairs, also_differs)],
    data.table(pairs = 3L, also_differs = "stripe counts in 1 of 3 pairs"))
})

test_that("the ends of a number are those of each target and group", {
  records <- rbind(
    read_synthetic(access = "write", target = "disk", ppn = c(1, 4)),
    read_synthetic(access = "write", target = "memory", ppn = c(1, 8))
  )
  effects <- effects_of_settings(with_cells(records))
  expect_identical(effects[order(target), .(target, setting)], data.table(
    target = c("disk", "memory"), setting = c("4 processes per node", "8 processes per node")
  ))
})

test_that("every dimension that varies is an effect, the stack and one that the schema just got too", {
  records <- read_synthetic(access = "write", n = 3)
  both <- rbind(records[, `:=`(stack = "old", queue_depth = "1")], data.table::copy(records)[, stack := "new"])
  expect_identical(effects_of_settings(with_cells(both, "stack"))$dimension, "stack")
  deep <- rbind(records, data.table::copy(records)[, queue_depth := "8"])
  effect <- effects_of_settings(with_cells(deep, "queue_depth"))
  expect_identical(effect[, .(dimension, setting)], data.table(dimension = "queue_depth", setting = "queue depth 8"))
})

test_that("degraded and invalid records take no part, unproven ones do and are counted", {
  records <- two_orders()
  records[order == "random", verdict := "DEGRADED"]
  expect_equal(nrow(effects_of_settings(records)), 0)
  expect_identical(effects_of_settings(records[order == "random", verdict := "VALID"])$unproven, c(0L, 0L))
  found <- effects_of_settings(records[order == "random", verdict := "UNPROVEN"])
  expect_identical(found$unproven, found$pairs)
  expect_match(unproven_rows_words(found), "Of 2 rows, 2 have unproven records", fixed = TRUE)
})

test_that("iterations of one run are one value", {
  records <- two_orders(access = "write", n = 3)[, run := 0]
  effect <- effects_of_settings(records)
  expect_identical(effect$rounds, 1L)
  expect_identical(c(effect$lo, effect$p), c(NA_real_, NA_real_))
  expect_false(effect$clear)
})

test_that("sides that were measured one after the other have a wider interval", {
  records <- two_orders(access = "write", n = 4)
  ratios <- c(1.2, 1.05, 1.15, 1.1)
  records[, bw_mib_s := 100 * c(1, 1.1, 0.9, 1)[iteration + 1] * ifelse(order == "random", ratios[iteration + 1], 1)]
  together <- effects_of_settings(records)
  records[order == "random", began := "2026-01-01T05:00:00"]
  apart <- effects_of_settings(records)
  expect_true(together$interleaved)
  expect_false(apart$interleaved)
  widened <- mean_interval(log(ratios), inflation_of(assumed_autocorrelation))
  expect_equal(log(c(apart$lo, apart$hi)), c(widened$lo, widened$hi))
  expect_lt(together$hi / together$lo, apart$hi / apart$lo)
})

test_that("rounds in turns that are alike in a cell have a wider interval and fewer degrees of freedom", {
  records <- two_orders(access = "write", xfer_bytes = 2^(13:20), n = 8)
  wave <- function(values) {
    records[, bw_mib_s := 100 * exp(ifelse(order == "random", values[run + 1], 0))]
    effects_of_settings(records)[dimension == "order"]
  }
  # The same values: in an order in which neighbours are alike, and in one in which they are not.
  alike <- wave(c(-3, -2, -2, -1, 1, 2, 2, 3) / 100)
  mixed <- wave(c(-3, 2, -2, 3, -1, 1, -2, 2) / 100)
  expect_true(alike$interleaved && mixed$interleaved)
  expect_gt(log(alike$hi / alike$lo), 2 * log(mixed$hi / mixed$lo))
})

test_that("a cell that is slow for all of its rounds makes an effect clear, but its pairs do not agree", {
  of_pairs <- function(changes) {
    records <- two_orders(access = "write", xfer_bytes = 2^(13 + seq_along(changes)), n = 8)
    noise <- c(-3, 2, -2, 3, -1, 1, -2, 2) / 200
    change <- log(changes)[match(records$xfer_bytes, sort(unique(records$xfer_bytes)))]
    records[, bw_mib_s := 100 * exp(ifelse(order == "random", change + noise[run + 1], 0))]
    effects_of_settings(records)[dimension == "order"]
  }
  found <- rbind(one = of_pairs(c(1, 1, 0.7, 1)), all = of_pairs(c(0.72, 0.68, 0.7, 0.71)), few = of_pairs(c(0.7, 0.7)))
  expect_identical(found$clear, c(TRUE, TRUE, TRUE))
  expect_identical(found$pairs_agree, c(FALSE, TRUE, FALSE))
  expect_match(clear_effects(found), campaign_words, fixed = TRUE)
  expect_match(clear_effects(found[2]), agreement_words, fixed = TRUE)
  expect_match(matters_words(page_effects(found)), campaign_words, fixed = TRUE)
  expect_identical(c(clear_effects(found[0]), matters_words(list(), compared = FALSE)), rep(nothing_compared, 2))
  expect_match(load_part("table", "effects", home)$make_latex(found), "of this campaign", all = FALSE)
})

test_that("sides one after the other have no pairs that agree: what changed between them is in all", {
  records <- two_orders(access = "write", xfer_bytes = 2^(13:16), n = 8)
  records[, bw_mib_s := 100 * ifelse(order == "random", 0.7, 1) * exp(c(-1, 1) / 500)[1 + run %% 2]]
  records[order == "random", began := "2026-01-01T05:00:00"]
  effect <- effects_of_settings(records)[dimension == "order"]
  expect_identical(c(effect$clear, effect$pairs_agree), c(TRUE, FALSE))
})

test_that("the autocorrelation is that of the series, which their means hide", {
  values <- with_seed(1, unlist(lapply(1:300, function(one) {
    made <- stats::rnorm(1)
    for (at in 2:6) made[at] <- 0.4 * made[at - 1] + sqrt(1 - 0.4^2) * stats::rnorm(1)
    made
  })))
  found <- serial_correlation(values, rep(1:300, each = 6))
  expect_gt(found, 0.35)
  expect_lt(found, 0.5)
  expect_equal(shown_by(5, 0), -1 / 5, tolerance = 1e-4)
  # As weir/statistics/inference.py has them; tests/unit/statistics/test_inference.py.
  expect_equal(serial_factors(5, 0.35), list(inflation = 1.4658590, degrees = 3.5739223), tolerance = 1e-6)
})

test_that("neighbours are rounds in the order of time, of one access of a pair", {
  smooth <- c(3, 2, -1, -2, 0, 2, 1, -3, -2, -1, 3, 2)
  of_access <- function(access, log_ratio) {
    data.table(target = "disk", access = access, item = NA_character_, pair = 1L, round = as.character(0:11), log_ratio)
  }
  alike <- serial_correlation(smooth, rep(1, 12))
  # As weir/statistics/inference.py has it, in hundredths; tests/unit/statistics/test_inference.py.
  expect_equal(alike, 0.76, tolerance = 0.02)
  expect_equal(autocorrelation_in_turns(list(order = of_access("write", smooth))), alike)
  both <- rbind(of_access("write", smooth), of_access("read", smooth + 1))
  expect_equal(autocorrelation_in_turns(list(order = both)), serial_correlation(rep(smooth, 2), rep(1:2, each = 12)))
})

test_that("whether sides took turns is known from the times of their rounds", {
  skip_if_quick()
  turns <- function(first, other) {
    records <- two_orders(access = "write", n = length(first))
    effects_of_settings(begun(records, records$order == "random", first, other))$interleaved
  }
  expect_true(turns(c(0, 3, 4, 7), c(1, 2, 5, 6)))
  expect_true(turns(c(0, 10, 20, 30), c(9, 19, 29, 39)))
  expect_true(turns(c(0, 3), c(1, 2)))
  expect_false(turns(0:3, 4:7))
  expect_false(turns(c(0, 1), c(2, 3)))
  # One after the other but for the last rounds, whose ranges of time overlap.
  expect_false(turns(c(0, 1, 2, 3, 8), c(4, 5, 6, 7, 9)))
  # A run that was repeated late changes little.
  expect_true(turns(c(0, 30, 4, 7, 8, 11), c(1, 2, 5, 6, 9, 10)))
  expect_false(turns(0, 1))
})

test_that("batches took turns if each two of a kind of storage did", {
  records <- read_synthetic(target = c("disk", "memory"), n = 4)[, stack := "debian"]
  memory <- records$target == "memory"
  expect_true(batches_in_turns(begun(records, memory, c(0, 3, 4, 7), c(1, 2, 5, 6))))
  expect_false(batches_in_turns(begun(records, memory, 0:3, 4:7)))
  expect_identical(batches_in_turns(records[target == "disk"]), NA)
  expect_identical(batches_in_turns(records[0]), NA)
  expect_false(batches_in_turns(records[, began := NA_character_]))
  after <- begun(records, memory, 0:3, 4:7)[target == "memory", emulated := TRUE]
  expect_false(batches_in_turns(after))
})

test_that("experiments that measured the same are compared", {
  records <- read_synthetic()
  again <- data.table::copy(records)[, `:=`(experiment = "two", bw_mib_s = 3 * bw_mib_s)]
  expect_equal(experiment_ratios(rbind(records, again))$ratio, c(3, 3))
  expect_equal(nrow(experiment_ratios(records)), 0)
  expect_equal(experiment_ratios(rbind(records, again[, stonewall_s := 30]))$ratio, c(3, 3))
  for (column in c("sync", "block_bytes", "stack", "label")) {
    other <- data.table::copy(again)
    data.table::set(other, j = column, value = list(sync = TRUE, block_bytes = 2^30, stack = "spack",
      label = "disk romio_cb_write=enable")[[column]])
    expect_identical(nrow(experiment_ratios(rbind(records, other))), 0L, info = column)
  }
})

test_that("single operations are no bandwidth beside transfers, and pairs of them have the same offsets and cache", {
  transfers <- two_orders(access = "write", n = 3)
  transfers[, bw_mib_s := 100 * ifelse(order == "random", 0.5, 1)]
  operations <- two_orders(access = "write", n = 3)[, `:=`(purpose = "latency", bw_mib_s = 1e6, tool = "io-model",
    cell = paste("operation", order), label = ifelse(order == "random", "write rnd cached", "write off0 discarded"))]
  operations[order == "random", bw_mib_s := 1]
  expect_equal(effects_of_settings(rbind(transfers, operations))[dimension == "order"]$ratio, 0.5)
  # Alone they are what the study is of: an offset and a state of the cache do not make an order.
  expect_identical(nrow(effects_of_settings(operations)), 0L)
  operations[order == "sequential", `:=`(label = "write seq cached", bw_mib_s = 2)]
  expect_equal(effects_of_settings(operations)$ratio, 0.5)
  # Nor is a block the setting where the cache was discarded on one side.
  blocks <- operations[order == "random"]
  blocks <- rbind(blocks, data.table::copy(blocks)[, `:=`(cell = "discarded", label = "write rnd discarded",
    block_bytes = 2^40, bw_mib_s = 1e6)])
  expect_identical(nrow(effects_of_settings(blocks)), 0L)
})

test_that("an interval of two rounds that tells nothing is not printed as numbers, nor is one beyond a share", {
  in_words <- function(values) two_digits(values)
  expect_identical(ends_words(c(0.8, 0.000097, 2.1, NA), c(1.3, 2400, 2400, NA), in_words, c(TRUE, TRUE, FALSE, TRUE),
    "2 rounds"), c("0.80 to 1.3", "not decided by 2 rounds", "2.1 to 2400", ""))
  expect_identical(ends_words(c(-1.3, 0.2), c(2.3, 1.5), in_words, TRUE, "3 rounds", "explained share"),
    c("not decided by 3 rounds", "0.20 to 1.0"))
  found <- data.table(ratio = 0.5, lo = 0.0001, hi = 2400, clear = FALSE, pairs_agree = FALSE, pairs = 4L, rounds = 2L,
    over = c("rounds", "pairs"))
  printed <- load_part("table", "effects", home)$effect_cell(found)
  expect_identical(printed, sprintf("$\\times$0.50 (not decided by %s)", c("2 rounds", "4 pairs")))
  expect_identical(effect_words(found[1]), "\u00d70.50 [not decided by 2 rounds]")
  cell <- load_part("table", "claims", home)$decided_cell(data.table(verdict = "undecided", by_whole_time = NA,
    effect = 0.48, lo = 0.000097, hi = 2400, unit = "factor", rounds = 2, unproven = 0, points = 2, emulated = FALSE))
  expect_match(cell, "0.48 (not decided by 2 rounds)", fixed = TRUE)
})

test_that("times with and without a zone are those of one clock", {
  # IOR prints local time, weir-io UTC: of a study with both, no batch took turns where the two differ.
  before <- Sys.getenv("TZ", unset = NA)
  on.exit(if (is.na(before)) Sys.unsetenv("TZ") else Sys.setenv(TZ = before))
  Sys.setenv(TZ = "CET-1")
  expect_equal(diff(seconds_of(c("2026-01-31T13:00:00", "2026-01-31T12:00:30.5+00:00"))), 30.5)
  expect_equal(diff(seconds_of(c("2026-01-31T13:00:00+01:00", "2026-01-31T12:00:30Z"))), 30)
  expect_equal(diff(seconds_of(c("2026-01-31T13:00:00", "2026-01-31T13:00:30"))), 30)
  expect_identical(seconds_of(c(NA, "noon")), c(NA_real_, NA_real_))
})
