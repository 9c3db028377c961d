# Scores of IO500: from their phases, refused for what the rules or the storage refuse, ranked among submissions.

phases_part <- load_part("table", "io500-phases", home)
submissions_part <- load_part("figure", "io500-submissions", home)
beside_submissions <- list(submissions = submissions_file)

test_that("the published example of 2017 gives its published scores, and is not a score because it is shortened", {
  index <- index_of_io500(phases_of_io500(io500_example(), list()))
  expect_equal(index$bandwidth, 31.04, tolerance = 1e-4)
  expect_equal(index$metadata, 16.1537, tolerance = 1e-5)
  expect_equal(index$rule_2017, 501.41, tolerance = 1e-4)
  expect_identical(index$why, "shortened run")
  table <- phases_part$make_table(io500_example(), beside_submissions)
  expect_true(all(is.na(table$percentile)))
  expect_identical(table$phase[1:12], io500_phases$phase)
  expect_match(phases_part$make_latex(table), "not a valid IO500 score: shortened run", fixed = TRUE, all = FALSE)
  expect_match(io500_answer(io500_example(), list()), "is not ranked among the submissions: example (shortened run).",
    fixed = TRUE)
})

test_that("a degraded phase is the reason why there is no score, in answer, table and radar chart", {
  degraded <- io500_example(301)[, target := "degraded"][experiment == "ior-hard" & access == "write",
    verdict := "DEGRADED"]
  records <- rbind(degraded, io500_example(301)[access != "find"][, `:=`(target = "partial", emulated = TRUE)])
  expect_match(io500_answer(records, list()), "submissions: degraded (a phase is degraded).", fixed = TRUE)
  latex <- phases_part$make_latex(phases_part$make_table(records, list()))
  expect_match(latex, "not a valid IO500 score: a phase is degraded", fixed = TRUE, all = FALSE)
  expect_match(latex, "not a valid IO500 score: phases are missing", fixed = TRUE, all = FALSE)
  invalid <- phases_part$make_table(io500_example()[access == "find", verdict := "INVALID"], list())
  expect_match(phases_part$make_latex(invalid), "^find & 0 & -- &", all = FALSE)
  radar <- load_part("figure", "io500-radar", home)$make_table(records, list())
  expect_identical(unique(radar$note),
    "Not a valid IO500 score: degraded (a phase is degraded), partial (E) (phases are missing).")
})

test_that("what the rules or the storage refuse is no score: never ranked, never printed as one", {
  skip_if_quick()
  facts <- facts_file(targets = list(list(target = "memory", kind = "memory")))
  scores <- scratch("io500.csv")
  writeLines(c("result_set,valid", "example,True", "marked,False"), scores)
  inputs <- list(submissions = submissions_file, facts = facts, scores = scores)
  refused <- list(
    "emulated storage" = io500_example(301)[, emulated := TRUE],
    "storage that does not survive the node" = io500_example(301)[, target := "memory"],
    "shortened run" = io500_example(301)[access == "write" & experiment == "ior-hard", stonewall_s := 60],
    "a phase is degraded" = io500_example(301)[access == "read", verdict := "DEGRADED"],
    "a write requested no synchronisation" = io500_example(301)[access == "write", sync := FALSE],
    "not valid in io500.csv" = io500_example(301)[, target := "marked"]
  )
  of <- function(kind, name, records) load_part(kind, name, home)$make_table(records, inputs)
  for (why in names(refused)) {
    table <- of("table", "io500-phases", refused[[why]])
    expect_identical(unique(table$why), why)
    expect_true(all(is.na(table$percentile)), info = why)
    expect_identical(sum(of("figure", "io500-submissions", refused[[why]])$own), 0L, info = why)
    answer <- gsub("\\allowbreak{}", "", io500_answer(refused[[why]], inputs), fixed = TRUE)
    expect_match(answer, paste0("index .*[(]", why, "[)]"), info = why)
  }
})

test_that("a valid result has a percentile among the submissions, and a phase that is missing makes no index", {
  table <- phases_part$make_table(io500_example(301), beside_submissions)
  easy <- read_submissions(submissions_file)[phase == "ior_easy_write"]$whole
  expect_equal(table[phase == "ior_easy_write"]$percentile, 100 * mean(easy < 96.133))
  expect_true("score 2017" %in% table$phase)
  expect_identical(nrow(index_of_io500(phases_of_io500(io500_example()[access != "find"], list()))), 0L)
  expect_identical(nrow(io500_submissions(read_synthetic(), beside_submissions)), 0L)
})

test_that("a valid result is ranked as a whole, per node and per process; a shortened one is not", {
  one <- data.table::copy(io500_example(301))[, `:=`(nn = 10L, ppn = 8L)]
  own <- submissions_part$make_table(one, beside_submissions)[own == TRUE & phase == "ior_hard_read"]
  expect_setequal(as.character(own$per), io500_per)
  expect_equal(own[per == "process"]$median, own[per == "whole"]$median / 80)
  known <- read_submissions(submissions_file)[phase == "ior_hard_read"]
  expect_equal(own[per == "node"]$below, 100 * mean(known[is.finite(node)]$node < own[per == "node"]$median))
  expect_identical(sum(submissions_part$make_table(io500_example(), beside_submissions)$own), 0L)
  unshaped <- submissions_part$make_table(io500_example(301), beside_submissions)[own == TRUE]
  expect_identical(unique(as.character(unshaped$per)), "whole")
})

test_that("the figure of the submissions tells their number and its own results, with or without any", {
  without <- provenance_words(submissions_part$make_table(io500_example(), beside_submissions), submissions_part)
  expect_match(without, "each set is one run", fixed = TRUE)
  expect_match(without, "No result of this study is a valid IO500 score.", fixed = TRUE)
  sets <- sprintf(" %d result sets.", nrow(data.table::fread(submissions_file)))
  expect_match(without, sets, fixed = TRUE)
  ranked <- provenance_words(submissions_part$make_table(io500_example(301), beside_submissions), submissions_part)
  expect_match(ranked, "12 crosses: valid results of this study, 12 of them unproven.", fixed = TRUE)
  expect_match(ranked, sets, fixed = TRUE)
})

test_that("a score of IO500 is of one stack and one number of nodes and processes", {
  two <- function(column, values) {
    data.table::rbindlist(lapply(values, function(value) {
      data.table::set(io500_example(301), j = column, value = value)[, bw_mib_s := bw_mib_s * match(value, values)]
    }))
  }
  of <- function(records) index_of_io500(phases_of_io500(records, list()))
  expect_identical(of(two("stack", c("debian", "spack")))$target, c("example (debian)", "example (spack)"))
  nodes <- of(two("nn", c(1, 10)))
  expect_identical(nodes$target, c("example (1 node)", "example (10 nodes)"))
  expect_equal(nodes$bandwidth[2], 2 * nodes$bandwidth[1])
  expect_identical(of(two("ppn", 8))$target, "example")
})
