# Drift of a campaign, what follows from it, and rounds that are added until the medians are known.

drifting <- function(factor, rounds = 6, cells = 6, noise = 0.02) {
  records <- with_cells(read_synthetic(access = "write", xfer_bytes = 2^(13 + seq_len(cells)), n = rounds,
    order = c("sequential", "random"), began = "2026-01-01T00:00:00"))
  trend <- factor^(records$run / (rounds - 1))
  records[, bw_mib_s := 100 * trend * exp(stats::rnorm(.N, 0, noise))][]
}

test_that("a campaign that drifts is found, and its intervals hold for all of it", {
  records <- with_seed(3, drifting(1.5))
  drift <- drift_of_campaign(records)
  expect_true(drift$clear)
  expect_equal(drift$ratio, 1.5, tolerance = 0.05)
  points <- summarise_records(records, records$bw_mib_s, c("target", "access", "cell"), "MiB/s")
  plain <- order_statistics(records[, .(target, access, cell, round = as.character(run), value = bw_mib_s)],
    c("target", "access", "cell"))
  expect_equal(points$hi / plain$hi, rep(sqrt(drift$ratio), nrow(points)))
  expect_equal(plain$lo / points$lo, rep(sqrt(drift$ratio), nrow(points)))
})

test_that("rounds that few cells have do not tilt the line, and of three rounds there is none", {
  records <- with_seed(4, drifting(1))
  added <- records[xfer_bytes == max(xfer_bytes)][, `:=`(run = run + 6, bw_mib_s = 5 * bw_mib_s)]
  expect_false(any(drift_of_campaign(rbind(records, added))$clear))
  expect_identical(nrow(drift_of_campaign(drifting(2, rounds = 3))), 0L)
})

test_that("ratios of sides in turns keep their interval under drift, others are widened by all of it", {
  records <- with_seed(5, drifting(1.5))
  records[order == "random", bw_mib_s := 1.2 * bw_mib_s]
  expect_true(effects_of_settings(records)[dimension == "order"]$clear)
  records[order == "random", began := "2026-01-02T00:00:00"]
  apart <- effects_of_settings(records)[dimension == "order"]
  expect_false(apart$interleaved)
  expect_false(apart$clear)
  expect_lt(apart$lo, 1)
})

test_that("at most one series in twenty without drift is called drifting, neighbours alike or not", {
  skip_if_quick()
  found <- function(correlation) {
    with_seed(6, mean(replicate(400, {
      noise <- as.numeric(stats::arima.sim(list(ar = correlation), 8))
      line_of_rounds(1:8, noise)$p <= 0.05
    })))
  }
  expect_lt(found(0.01), 0.05)
  expect_lt(found(0.29), 0.075)
})

requesting <- function(records, half_width, at_most) {
  list(repetitions = lapply(unique(records$cell), function(cell) {
    list(cell = cell, rounds = 4, half_width = half_width, at_most = at_most)
  }))
}
precise <- function(records, ...) precision_points(records, requesting(records, ...))

test_that("the report tells which medians are as narrow as requested, and why others are not", {
  records <- with_seed(7, drifting(1, rounds = 8, noise = 0.05))
  points <- precise(records, 0.5, 20)
  expect_identical(unique(points$outcome), "reached")
  expect_identical(unique(points$n), 8L)
  expect_identical(unique(precise(records, 0.001, 8)$outcome), "most rounds")
  expect_identical(unique(precise(records, 0.001, 9)$outcome), "out of budget")
  # Runs without a usable record were rounds, too.
  records[run == 7, verdict := "INVALID"]
  expect_identical(unique(precise(records, 0.001, 8)$outcome), "most rounds")
  expect_identical(nrow(precision_points(records, list())), 0L)
})

test_that("a median that only the drift of the campaign makes too wide did not run out of budget", {
  skip_if_quick()
  records <- with_seed(7, drifting(1.5, rounds = 12, noise = 0.02))
  points <- precise(records, 0.5, 20)
  expect_true(all(points$width_of_rounds < points$width))
  between <- (max(points$width_of_rounds) + min(points$width)) / 2
  drifted <- precise(records, between, 20)
  expect_identical(unique(drifted$outcome), "drift")
  expect_match(precision_sentence(drifted), "0 had the most rounds, 12 are wider by the drift of the campaign.",
    fixed = TRUE)
  doubt_of <- function(half_width) {
    doubt_about_precision(list(records = records, facts = requesting(records, half_width, 20)))$sentence
  }
  expect_match(doubt_of(between), "than the suite requests: the campaign drifted.", fixed = TRUE)
  expect_match(doubt_of(0.001), "than the suite requests: the time or the rounds", fixed = TRUE)
  expect_identical(unique(precise(records, 0.001, 20)$outcome), "out of budget")
})

test_that("the table lists what is too wide, with its width", {
  records <- with_seed(7, drifting(1, rounds = 8, noise = 0.05))
  part <- load_part("table", "precision")
  text <- paste(part$make_latex(precise(records, 0.001, 9)), collapse = "\n")
  expect_match(text, "0 of 12 medians are as narrow as requested, after 8 runs; 12 ran out of", fixed = TRUE)
  expect_match(text, "0.1\\,\\%", fixed = TRUE)
  expect_false(grepl("NA", text, fixed = TRUE))
  # What is wider does not read as what was requested.
  near <- precise(records, 0.001, 9)[1][, `:=`(width = 0.05004, half_width = 0.05)]
  expect_match(part$make_latex(near), "5.004\\,\\% & 5.0\\,\\%", fixed = TRUE, all = FALSE)
  expect_match(part$make_latex(precise(records, 0.9, 9)), "^% 12 of 12")
})

test_that("the interval of added rounds is the wider one, that of a fixed number is not", {
  records <- with_seed(7, drifting(1, rounds = 12, noise = 0.05))
  width <- function(records) {
    summarise_records(records, records$bw_mib_s, c("target", "access", "cell"), "MiB/s")[, (hi - lo) / 2 / median]
  }
  fixed <- width(records)
  added <- data.table::copy(records)[, until := ifelse(cell == cell[1], 0.05, NA)]
  expect_identical(width(added) == fixed, c(FALSE, rep(TRUE, length(fixed) - 1))[order(unique(records$cell))])
  one <- records[cell == cell[1]]$bw_mib_s
  ends <- ends_of(sort(one), ranks_of(length(one), "added"))
  expect_equal(max(width(added)[width(added) != fixed]), (ends[2] - ends[1]) / 2 / stats::median(one))
})

test_that("runs of several time zones stand on one clock", {
  records <- study_for("timeline")
  records[, began := ifelse(iteration == 0, "2026-01-01T01:00:00+01:00", "2026-01-01T00:10:00+00:00")]
  expect_setequal(figures$timeline$make_table(records, list())$minutes, c(0, 10))
})
