# Claims in made worlds: beside each file of claims is one in which they hold, and the contrary, in NAME.world.R.

paper_world <- load_world("ime-paper")
sizes <- paper_world$sizes
true_world <- paper_world$holds
world_facts <- paper_world$facts

verdicts_of <- function(records, published = NULL, facts = world_facts) {
  decide_claims(records, facts, published, home)
}
test_that("every claim is reproduced in the world of its paper and not in the contrary one", {
  for (name in part_names("claims", home)) {
    found <- outcomes_in_worlds(name)
    expect_identical(names(found$holds)[found$holds != "reproduced"], character(), label = name)
    expect_identical(names(found$contrary)[found$contrary == "reproduced"], character(), label = name)
    # A claim that two things are alike or that nothing grows may be undecided in its contrary.
    expect_gt(mean(found$contrary == "contradicted"), 0.8, label = name)
  }
})

test_that("every claim is out of scope where its records are missing, and says which", {
  poor <- verdicts_of(read_synthetic(access = "read", target = "memory"), facts = targets_of(memory = "memory"))
  expect_identical(unique(poor$verdict), "out of scope here")
  expect_true(all(nzchar(poor$needs)))
  expect_identical(unique(verdicts_of(read_synthetic()[0])$verdict), "out of scope here")
})

test_that("a wrong claim is caught: by the records, and by name where it cannot be decided at all", {
  shrinks <- made_claims("function(points) growth_of(points[role == \"native\"])", "below(0)")
  decided <- decide_claims(true_world, world_facts, NULL, shrinks)
  expect_identical(decided[evidence == "these records"]$verdict, "contradicted")
  expect_gt(decided$effect[1], 0.8)
  broken <- made_claims("function(points) no_such_effect(points)")
  expect_error(decide_claims(true_world, world_facts, NULL, broken), "made.R: claim 'a-claim': could not find")
  without <- made_claims(lines = "title <- \"Made\"")
  expect_error(load_claims("made", without), "made.R: does not define cites, claims")
  twice <- made_claims(lines = made_paper("rep(list(claim(\"a\", \"A.\", \"p\", \"n\", identity, above(1), 0)), 2)"))
  expect_error(load_claims("made", twice), "claim 'a': the id is there twice")
})

test_that("invalid and degraded records decide nothing; unproven ones decide and are counted", {
  natively <- true_world[api == "IME"]
  claim_is <- function(records) {
    decided <- decide_claims(records, world_facts, NULL, home, "ime-paper")
    decided[evidence == "these records" & claim == "native-granularity"]
  }
  honest <- claim_is(natively)
  broken <- data.table::copy(natively)[, at := .I]
  hit <- broken[xfer_bytes == sizes[1] & iteration == 0]$at
  broken[hit, `:=`(bw_mib_s = 1e9, io_s = 1e-9, verdict = "INVALID")][, at := NULL]
  expect_identical(claim_is(broken)$verdict, "reproduced")
  doubtful <- data.table::copy(natively)[, `:=`(verdict = "DEGRADED", reasons = "a-rule")]
  expect_identical(claim_is(doubtful)$verdict, "out of scope here")
  lacking <- data.table::copy(natively)[, verdict := "UNPROVEN"]
  expect_identical(claim_is(lacking)$verdict, "reproduced")
  expect_equal(claim_is(lacking)$unproven, honest$points)
})

test_that("what the paper printed decides claims too, and contradicts one", {
  published <- file.path(checkout, "reference", "published.csv")
  decided <- verdicts_of(read_synthetic()[0], published)[evidence == "published values"]
  verdicts <- setNames(decided$verdict, decided$claim)
  expect_identical(verdicts[["native-scales"]], "reproduced")
  expect_identical(verdicts[["native-writes-near-wire"]], "contradicted")
  expect_identical(verdicts[["files-best-read"]], "out of scope here")
  expect_true(all(is.na(decided$lo)))
})

ratio_of_orders <- function(records) {
  ratio_between(evidence_of(records, NULL, bandwidth_io), "order", "random", "sequential")
}

test_that("an effect has the interval of its rounds, and one too wide decides nothing", {
  steady <- read_synthetic(order = c("sequential", "random"), n = 5, io_s = 1, moved_bytes = mib)
  steady[order == "random", io_s := 0.5]
  found <- ratio_of_orders(steady)
  expect_equal(c(found$effect, found$lo, found$hi), c(2, 2, 2))
  expect_equal(c(found$count, found$rounds), c(2, 5))
  shaken <- data.table::copy(steady)[order == "random", io_s := c(0.5, 0.4, 0.6, 3, 3)[iteration + 1]]
  found <- ratio_of_orders(shaken)
  expect_lt(found$lo, 1)
  expect_gt(found$hi, 1.05)
  judged <- outcome_of(list(expects = above(1), tolerance = 0.05), found)
  expect_identical(judged$verdict, "undecided")
})

above_one <- list(expects = above(1), tolerance = 0.05)
order_effect <- function(factors) {
  records <- read_synthetic(access = "write", order = c("sequential", "random"), n = length(factors), moved_bytes = mib)
  ratio_of_orders(records[, io_s := ifelse(order == "random", 1 / factors[iteration + 1], 1)])
}

test_that("less evidence decides less: one round decides nothing, a missing interval is no certainty", {
  sure <- order_effect(c(1.3, 1.31, 1.29, 1.3))
  expect_identical(outcome_of(above_one, sure)$verdict, "reproduced")
  alone <- outcome_of(above_one, order_effect(1.3))
  expect_identical(alone[c("verdict", "doubt", "needed")], list(
    verdict = "undecided", doubt = "fewer than two rounds", needed = 2L
  ))
  equal <- order_effect(c(1.001, 0.999, 1.002, 0.998))
  expect_identical(outcome_of(above_one, equal)$verdict, "contradicted")
  wide <- outcome_of(above_one, order_effect(c(1.6, 1.0, 1.7, 1.05)))
  expect_identical(wide$verdict, "undecided")
  expect_gt(wide$needed, 4)
  expect_lt(wide$needed, 30)
})

test_that("sides that did not take turns are noted and have a wider interval", {
  records <- read_synthetic(access = "write", order = c("sequential", "random"), n = 4, io_s = 1, moved_bytes = mib)
  records[order == "random", io_s := c(0.5, 0.55, 0.52, 0.6)[run + 1]]
  found <- function(first, other) ratio_of_orders(begun(records, records$order == "random", first, other))
  turns <- found(c(0, 3, 4, 7), c(1, 2, 5, 6))
  apart <- found(0:3, 4:7)
  expect_null(turns$note)
  expect_identical(apart$note, "measured one after the other")
  expect_equal(log(apart$hi / apart$lo) / log(turns$hi / turns$lo), inflation_of(assumed_autocorrelation))
})

test_that("one pair with one round takes no interval from nineteen others", {
  ratios <- c(rep(list(setNames(log(c(1.3, 1.31, 1.29)), 0:2)), 19), list(setNames(log(1.3), "0")))
  expect_length(middle_by_round(ratios), 3)
})

test_that("of many claims a decision has to be sure among all of them", {
  one <- data.table::data.table(evidence = "these records", verdict = "reproduced", doubt = "", p = 0.04,
    by_whole_time = "contradicted", p_whole = 0.04)
  expect_identical(correct_for_many(data.table::copy(one))$verdict, "reproduced")
  many <- rbind(one, one[rep(1, 9)][, `:=`(p = 0.5, verdict = "undecided", p_whole = 0.5, by_whole_time = "undecided")])
  corrected <- correct_for_many(many)
  expect_identical(corrected$verdict[1], "undecided")
  expect_match(corrected$doubt[1], "not sure among 10 claims")
  expect_identical(corrected$by_whole_time, rep("undecided", 10), info = "nor is the other definition of bandwidth")
})

test_that("a claim never compares or joins two systems", {
  records <- rbind(read_synthetic(nn = c(1, 2), site = "a"), read_synthetic(nn = c(4, 8), site = "b")[, site := "b"])
  records[site == "b", bw_mib_s := 100 * bw_mib_s]
  points <- evidence_of(records, NULL, bandwidth_all)
  expect_error(ratio_of(points[site == "a"], points[site == "b"], "nn"), class = "nothing_to_show")
  expect_identical(growth_of(points)$count, 4L)
  expect_setequal(add_variant(records, c("access", "nn"))$variant, c("a", "b"))
})

test_that("growth, lines and spread are what they say", {
  records <- read_synthetic(nn = c(1, 2, 4, 8), n = 4)
  records[, io_s := 1][, moved_bytes := nn^0.5 * mib * ifelse(access == "read", 3, 1)]
  points <- evidence_of(records, NULL, bandwidth_io)
  expect_equal(growth_of(points)$effect, 0.5)
  expect_equal(line_of(points)$effect, 1)
  expect_lt(spread_of(points)$effect, 1e-5)
  expect_error(growth_of(points[nn == 1]), class = "nothing_to_show")
})

test_that("beside a stand-in the file system is the one behind it, on a real machine any", {
  records <- read_synthetic(target = c("buffer", "backing", "disk"), n = 1)
  facts <- targets_of(buffer = "burst-buffer", backing = "disk", disk = "disk")
  roles <- function(records) {
    found <- unique(add_roles(records, facts)[, .(target, role)])
    setNames(found$role, found$target)
  }
  expect_identical(roles(records), c(buffer = "native", backing = "file system", disk = "file system"))
  records[target != "disk", emulated := TRUE]
  expect_identical(roles(records), c(buffer = "native", backing = "file system", disk = "other file system"))
})

test_that("the table of claims and the numbers of the prose come from the same file", {
  records <- true_world[api == "IME"][, emulated := TRUE]
  decided <- decide_claims(records, world_facts, NULL, home, "ime-paper")
  inputs <- claims_input(decided)
  expect_equal(decided_claims(NULL, inputs)$verdict, decided$verdict)
  print <- print_of("claims", NULL, inputs)
  expect_match(print, "cite\\{imefuse\\}", all = FALSE)
  expect_match(print, "these records, \\\\textbf\\{EMULATED\\}", all = FALSE)
  numbers <- claim_numbers(decided)
  expect_identical(numbers$ClaimsDecided, numbers$ClaimsReproduced)
  named <- named_claims(decided)
  expect_identical(named[["verdictof-native-scales"]], "reproduced")
  expect_identical(c(named[["firmof-native-scales"]], named[["wholeof-native-scales"]]), c("reproduced", ""))
  decided[claim == "native-scales", by_whole_time := "undecided"]
  turned <- named_claims(decided)
  expect_identical(turned[["firmof-native-scales"]], "undecided", info = "no abstract has it")
  expect_identical(turned[["wholeof-native-scales"]], "; undecided by the time from open to close")
})
