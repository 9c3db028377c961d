# What the note below a figure tells of runs and intervals.

test_that("single runs are without an interval, unless the figure has one of its own", {
  shown <- data.table::data.table(n = c(1L, 1L), level = NA_real_, over = "pairs", verdict = "VALID", n_invalid = 0L,
    n_degraded = 0L, emulated = FALSE)
  note <- function(...) provenance_words(shown, list(statistic = "Points: ratios", ...))
  expect_match(note(), "Points: ratios; single runs, without an interval. 2 points valid.", fixed = TRUE)
  expect_match(note(interval_text = ""), "single runs, without an interval. 2 points", fixed = TRUE)
  effects <- load_part("figure", "effects", home)
  expect_match(note(interval_text = effects$interval_text),
    "single runs. Bars: 95 % t interval over the pairs of cells with fewer than three rounds.", fixed = TRUE)
})

test_that("where no runs are drawn, no small marks are named", {
  shown <- data.table::data.table(n = c(3L, 6L), level = c(NA, 0.97))
  words <- function(with_runs, rows = shown) interval_words(rows, list(), with_runs)
  expect_identical(words(TRUE), "Bars: 97 % interval of the median; of fewer than 6 runs the runs are small marks.")
  expect_identical(words(FALSE), "Bars: 97 % interval of the median; of fewer than 6 runs there is none.")
  expect_identical(words(FALSE, shown[1]), "Fewer than 6 runs: no interval.")
  expect_match(words(TRUE, shown[1]), "small marks are the runs", fixed = TRUE)
})

test_that("a white centre is named where one is drawn, beside IOR too, and of no box", {
  skip_if_quick()
  note_of <- function(name, valid = numeric()) {
    part <- load_part("figure", name, home)
    records <- netcdf_study(n = 3)[, verdict := ifelse(xfer_bytes %in% valid, "VALID", "UNPROVEN")]
    plot <- draw_page(split_pages(part$make_table(records, list()))[[1]], part)
    centres <- which(vapply(plot$layers, function(layer) isTRUE(layer$draws_unproven), logical(1)))
    drawn <- sum(vapply(centres, function(layer) nrow(ggplot2::layer_data(plot, layer)), 1L))
    expect_identical(grepl("white centre", plot$labels$caption), drawn > 0, info = name)
    gsub("\n", " ", plot$labels$caption)
  }
  expect_match(note_of("netcdf-ior", 2^14), "unproven (white centre).", fixed = TRUE)
  expect_match(note_of("netcdf-boxes", 2^14), "unproven.", fixed = TRUE)
  boxes <- load_part("figure", "netcdf-boxes", home)
  half <- boxes$make_table(netcdf_study(n = 3)[xfer_bytes == 2^14, verdict := "DEGRADED"], list())
  expect_match(provenance_words(half, boxes), "4 points valid. Not drawn: 12 degraded records.", fixed = TRUE)
  # Where no point is valid, a mark on each would tell nothing apart.
  expect_match(note_of("netcdf-ior"), "points unproven.", fixed = TRUE)
})

test_that("a record is counted once, however many points of a figure it belongs to", {
  note_of <- function(name, records, inputs = list()) {
    part <- load_part("figure", name, home)
    provenance_words(split_pages(part$make_table(records, inputs))[[1]], part)
  }
  beside <- netcdf_study(n = 3)[iteration == 0 & access == "write", verdict := "DEGRADED"]
  # Four ways of NetCDF-Bench by size of a block and calls, and IOR in two orders and sizes.
  expect_match(note_of("netcdf-ior", beside), "In no point: 8 degraded records beside usable ones.", fixed = TRUE)
  # What is degraded on one side alone hides nothing of the other side.
  apart <- beside[tool == "ior" & access == "write", verdict := "DEGRADED"]
  expect_match(note_of("netcdf-ior", apart), "In no point: 4 degraded records beside usable ones.", fixed = TRUE)
  lost <- netcdf_study(n = 3)[tool == "ior" & iteration == 0, verdict := "INVALID"]
  expect_match(note_of("netcdf-ior", lost), "Not drawn: 8 invalid records.", fixed = TRUE)
  synced <- read_synthetic()[, sync_s := 0.01][iteration == 0, verdict := "DEGRADED"]
  expect_match(note_of("overhead", synced), "In no point: 2 degraded records beside usable ones.", fixed = TRUE)
  score <- io500_example(301)[, `:=`(nn = 2, ppn = 4)]
  score <- rbind(score, data.table::copy(score[1])[, `:=`(verdict = "DEGRADED", iteration = 9, run = 9)])
  expect_match(note_of("io500-submissions", score, list(submissions = submissions_file)),
    "In no point: 1 degraded record beside usable ones.", fixed = TRUE)
})
