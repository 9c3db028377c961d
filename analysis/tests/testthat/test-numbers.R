facts_of_one <- list(
  weir_version = "0.1.0", site = list(site = "here", description = "A test"), scale = "full",
  suites = list(list(suite = "a_b", question = "How much is 100%?")), machines = list(),
  targets = list(list(target = "t&t", kind = "disk", emulated = FALSE, file_system = "ext4")), stacks = list(),
  began = "2026-01-31T23:59:00+00:00", ended = "2026-02-01T00:10:00+00:00", seeds = list(1, 2), cells = 1,
  executions = 2, finished_executions = 1, failed_executions = 0, excluded_points = 0
)

commands_of <- function(records = read_synthetic(), ...) {
  make_numbers(records, replace(facts_of_one, names(list(...)), list(...)))$commands
}

test_that("every name is escaped and every command is letters only", {
  skip_if_quick()
  numbers <- make_numbers(read_synthetic(target = "t&t"), facts_of_one)
  expect_match(numbers$commands$Questions, "The suite \\emph{a\\_b} asks: ``How much is 100\\%?''", fixed = TRUE)
  expect_equal(numbers$commands$Targets, "t\\&t (ext4)")
  expect_equal(numbers$commands$MeasuredOn, "31~January~2026~to~1~February~2026")
  expect_true(all(grepl("^[A-Za-z]+$", c(names(numbers$commands), names(numbers$switches)))))
  expect_true(numbers$switches[["unfinished"]])
  expect_false(numbers$switches[["degraded"]])
})

test_that("the best medians are those of the records", {
  skip_if_quick()
  records <- read_synthetic()
  short <- commands_of(records[, bw_mib_s := ifelse(access == "write", 1234.5, 20)])$BestInShort
  expect_equal(short, "The highest median bandwidths are 1,230~MiB/s for writes and 20~MiB/s for reads on synthetic.")
})

test_that("sentences are of real storage, and of a study that has none they mark what is emulated", {
  emulated <- read_synthetic(target = "buffer")[, `:=`(emulated = TRUE, bw_mib_s = 9000, cell = "b")]
  real <- read_synthetic(target = "disk")[, `:=`(bw_mib_s = 20, cell = "d")]
  of <- function(records) {
    repeated <- rbind(records, data.table::copy(records)[, `:=`(experiment = "two", bw_mib_s = 2 * bw_mib_s)])
    clear <- data.table::data.table(target = unique(records$target), emulated = records[, emulated[1], by = target]$V1,
      access = "write", clear = TRUE, setting = "a", instead_of = "b", ratio = 2, lo = 1.5, hi = 3, pairs = 3L,
      over = "rounds", pairs_agree = TRUE)
    points <- bandwidth_points(records)
    rates <- metadata_points(data.table::copy(records)[, `:=`(item = "file", ops_s = 10, access = "create")])
    c(best_numbers(points, rates), best_numbers(points[0], rates), clear_effects(clear),
      repeated_points(experiment_ratios(repeated)))
  }
  for (text in of(rbind(emulated, real))) {
    expect_match(text, "disk")
    expect_no_match(text, "buffer")
  }
  for (text in of(emulated)) expect_match(text, "buffer (E)", fixed = TRUE)
  best <- function(records) named_numbers(records, bandwidth_points(records))[["bestof-POSIX-write"]]
  expect_identical(best(rbind(emulated, real)), "20~MiB/s")
  expect_identical(best(emulated), "9,000~MiB/s (E)")
  expect_identical(short_target(list(target = "ime", emulated = TRUE, kind = "burst-buffer")), "ime (E) (burst-buffer)")
})

test_that("without a usable record the prose says so", {
  numbers <- make_numbers(read_synthetic(verdict = "INVALID"), facts_of_one)
  expect_match(numbers$commands$BestInShort, "No record can be used")
  expect_false(numbers$switches[["usable"]])
  expect_false(numbers$switches[["intervals"]])
})

archive <- list(about = list(title = "Old", site = "There"), records = 6)

test_that("measured and archived studies define the same commands", {
  skip_if_quick()
  records <- read_synthetic()
  measured <- make_numbers(records, facts_of_one)
  archived <- make_numbers(records, archive)
  expect_setequal(names(measured$commands), names(archived$commands))
  expect_setequal(names(measured$switches), names(archived$switches))
})

test_that("what archived records do not tell is not in the text", {
  skip_if_quick()
  told <- make_numbers(read_synthetic(), archive)$commands
  expect_match(told$MeasuredText, "\\NodeCounts{} \\NodeWord{} and \\ProcessCounts{}", fixed = TRUE)
  expect_match(told$BandwidthText, "\\DefinitionGain", fixed = TRUE)
  silent <- read_synthetic()[, c("nn", "ppn", "order", "program", "open_s", "io_s", "close_s") := NA]
  told <- make_numbers(silent, archive)$commands
  expect_no_match(told$MeasuredText, "Node|Process|Orders|Programs")
  expect_match(told$MeasuredText, "\\Accesses, transfers of \\TransferSizes.", fixed = TRUE)
  expect_no_match(told$BandwidthText, "DefinitionGain")
})

test_that("how large the largest files are is told where files and memory are known", {
  skip_if_quick()
  of <- function(records, memory_bytes) {
    commands_of(records, machines = list(list(node = "n", memory_bytes = memory_bytes)))$LimitsText
  }
  records <- read_synthetic()[, file_bytes := 2^24]
  expect_match(of(records, 2^30), "The largest files had \\LargestFile", fixed = TRUE)
  expect_no_match(of(records, NULL), "largest files")
  # One storage with one number of nodes and processes was not measured after another one.
  expect_no_match(of(records, NULL), "one after the other|in turns")
  expect_match(of(read_synthetic(target = c("disk", "nfs")), NULL), "one after the other")
  expect_no_match(of(records[, `:=`(file_bytes = NA, requested_bytes = NA)], 2^30), "largest files")
})

test_that("runs beyond the plan are explained", {
  skip_if_quick()
  expect_match(commands_of(finished_executions = 3)$MeasuredText, "Those beyond the plan are added rounds")
  expect_no_match(commands_of(finished_executions = 2)$MeasuredText, "beyond the plan")
  expect_identical(commands_of(executions = 1)$PlannedExecutions, "1~planned execution")
})

test_that("whether the programs of a stack agree is in the text", {
  skip_if_quick()
  told <- commands_of(cross_check = list(list(text = "weir-io and IOR agree within 3 % on 4 of 4 cells")))
  expect_match(told$MeasuredText, "\\CrossCheck{}", fixed = TRUE)
  expect_identical(told$CrossCheck, "weir-io and IOR agree within 3 \\% on 4 of 4 cells.")
  expect_no_match(commands_of()$MeasuredText, "CrossCheck")
})

test_that("numbers can be requested by name", {
  skip_if_quick()
  records <- read_synthetic()
  records[1, `:=`(verdict = "DEGRADED", reasons = "a-rule;another")]
  numbers <- make_numbers(records, facts_of_one)
  expect_equal(numbers$named[["recordsof-a-rule"]], "1")
  expect_true("bestof-POSIX-write" %in% names(numbers$named))
})

test_that("the counts of claims add up, and a claim that emulated storage contradicts is marked", {
  of <- function(...) {
    claim_numbers(data.table(evidence = "these records", verdict = c(...), says = "It grows.", emulated = TRUE))
  }
  told <- of("contradicted", "undecided", rep("out of scope here", 3))
  expect_identical(told$ClaimsRest, ", 3 out of scope here")
  expect_match(told$ContradictedClaims, "\\item It grows. (E)", fixed = TRUE)
  expect_identical(of("reproduced")$ClaimsRest, "")
})

test_that("the first table has columns for small random accesses where there are any", {
  point <- list(value = 1000, lo = NA, hi = NA, n = 1L, iops = 10, setting = "POSIX, 1 MiB", short = "POSIX")
  answer <- list(target = "disk", emulated = FALSE, access = "write", best = point, small = NULL, tail = NULL)
  printed <- function(answer) answers_words(list(answer), list(list(name = "disk")))
  expect_no_match(printed(answer), "small, random|--")
  answer$small <- point
  expect_match(printed(answer), "small, random")
  # No heading promises an interval where the runs are too few for one.
  several <- function(...) printed(replace(answer, "best", list(utils::modifyList(point, list(n = 6L, ...)))))
  expect_match(several(lo = 900, hi = 1100), "{MiB/s [interval]}", fixed = TRUE)
  expect_match(several(), "{MiB/s}", fixed = TRUE)
  cells <- function(text) lengths(regmatches(text, gregexpr("&", text)))
  expect_identical(cells(answer_cells(answer, FALSE)), 8L)
  expect_identical(cells(answer_cells(answer, FALSE, with_small = FALSE)), 4L)
})

test_that("a rate that includes the final synchronisation is told beside a time that does not", {
  told <- function(access, sync) {
    records <- read_synthetic(access = access, order = "random", xfer_bytes = 2^14, sync = sync, ops = 1000,
      ops_s = 100, lat_p99_us = 50, cell = "c")
    answers <- page_answers(page_points(records))
    c(page = is.null(answers[[1]]$tail$note), print = !grepl("include the final synchronisation",
      answers_words(answers, list(list(name = "synthetic")))))
  }
  expect_identical(told("write", TRUE), c(page = FALSE, print = FALSE))
  for (without in list(told("read", TRUE), told("write", FALSE))) {
    expect_identical(without, c(page = TRUE, print = TRUE))
  }
})

test_that("what a definition gains is less where it gains nothing", {
  words <- function(io_s) {
    records <- read_synthetic()[, io_s := ..io_s * total_s]
    definition_numbers(records)$DefinitionGain
  }
  expect_identical(words(0.8), "25~\\% more")
  expect_identical(words(1.25), "20~\\% less")
  expect_identical(words(1), "less than 0.1~\\% more")
  beside <- read_synthetic(target = c("disk", "buffer"))[, emulated := target == "buffer"]
  beside[, io_s := ifelse(emulated, 0.1, 0.8) * total_s]
  expect_identical(definition_numbers(beside)[[1]], "25~\\% more")
})
