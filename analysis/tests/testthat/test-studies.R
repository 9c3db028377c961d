# The studies of the talks: their tables, their answers, and worlds in which their claims hold or do not.

beside <- file.path(checkout, "reference", "mistral-defaults.csv")
published_values <- file.path(checkout, "reference", "published.csv")
facts_of <- function(suite, ...) {
  list(suites = list(list(suite = suite)), targets = list(list(target = "files", kind = "parallel", ...)))
}
outcomes_in <- function(records, facts) {
  here <- decide_claims(records, facts, NULL, home)[evidence == "these records"]
  setNames(here$verdict, here$claim)
}

test_that("all arithmetic means of the printed defaults follow from one bandwidth of the best settings", {
  printed <- read_printed_defaults(beside)
  expect_identical(nrow(printed), 70L)
  expect_identical(printed$recomputed, printed$arithmetic)
  expect_true(all(printed$best_lo < printed$best_hi))
  wrong <- data.table::copy(printed)[access == "read"]
  ends <- best_behind(wrong$node_mib_s, replace(wrong$arithmetic, 1, 40))
  expect_gt(ends[[1]], ends[[2]])
})

defaults_world <- function() {
  records <- read_synthetic(
    target = "files", nn = c(1, 2), ppn = c(1, 2), api = "POSIX", stripe_count = 1, experiment = "defaults"
  )
  # Of two processes a node reaches all of the best, of one a half on one node and a fifth on two.
  records[, bw_mib_s := 1000 * nn * ifelse(ppn == 2, 1, ifelse(nn == 1, 0.5, 0.2))][]
}

test_that("shares of the best are averaged over the numbers of nodes, and the answer names the best setting", {
  shares <- shares_of_best(defaults_world())[access == "read"]
  expect_equal(shares[ppn == 1]$arithmetic, 0.35)
  expect_equal(shares[ppn == 1]$harmonic, 2 / 7)
  expect_equal(shares[ppn == 2]$harmonic, 1)
  answer <- default_answer(defaults_world(), list())
  expect_match(answer, "2 processes and 1 stripe by POSIX (100~\\% of the best", fixed = TRUE)
  expect_match(answer, "the worst setting 29~\\%", fixed = TRUE)
  expect_identical(default_answer(read_synthetic(), list()), "")
})

test_that("acceptance relates each interface to the declared peak, or says that it does not", {
  part <- load_part("table", "acceptance", home)
  records <- read_synthetic(target = "files", experiment = "acceptance", api = c("POSIX", "MPIIO"), ppn = 2)
  records[, bw_mib_s := ifelse(api == "POSIX", 500, 250)]
  facts <- scratch("facts.json")
  jsonlite::write_json(facts_of("mistral", peak_mib_s = list(write = 1000, read = 2000)), facts, auto_unbox = TRUE)
  table <- part$make_table(records, list(facts = facts))
  expect_equal(table[api == "POSIX"]$share, c(0.5, 0.25))
  undeclared <- part$make_table(records, list())
  expect_equal(undeclared[access == "write"]$share, c(1, 0.5))
  expect_match(part$make_latex(undeclared), "50\\,\\%*", fixed = TRUE, all = FALSE)
})

mistral_world <- function(holds) {
  apis <- list(POSIX = "file-per-process", MPIIO = "shared", PNETCDF = "shared", HDF5 = "shared")
  records <- data.table::rbindlist(Map(function(api, layout) {
    read_synthetic(target = "files", api = api, layout = layout, ppn = c(1, 4), n = 6)
  }, names(apis), apis))
  speed <- c(POSIX = 1600, MPIIO = 400, PNETCDF = 800, HDF5 = 200)[records$api] * ifelse(records$ppn == 4, 1, 0.05)
  single <- read_synthetic(
    target = "files", order = c("sequential", "random"), xfer_bytes = 2^14, n = 6, tool = "io-model",
    purpose = "latency"
  )
  rows <- rbind(records, single)
  speed <- c(speed, rep(100, nrow(single)))
  rows[, bw_mib_s := (if (holds) speed else 1000 - speed / 4) * (1 + 0.002 * iteration)]
  rows[, io_s := moved_bytes / mib / bw_mib_s]
  slow <- rows$order == "random" & holds
  rows[, `:=`(lat_p50_us = ifelse(slow, 90, 30) * (1 + 0.002 * iteration), began = "2026-01-01T00:00:00")][]
}

test_that("the claims about Mistral hold in their world, and none does in the contrary one", {
  held <- outcomes_in(mistral_world(TRUE), facts_of("mistral"))
  expect_identical(names(held)[held != "reproduced"], character())
  expect_gt(length(held), 5)
  broken <- outcomes_in(mistral_world(FALSE), facts_of("mistral"))
  expect_identical(names(broken)[broken == "reproduced"], character())
  expect_gt(sum(broken == "contradicted"), 4)
})

test_that("the claims of a study are decided in it alone, and the numbers that its talk printed decide them", {
  expect_identical(papers_of(facts_of("mistral"), home), "mistral")
  expect_false("mistral" %in% papers_of(facts_of("quick"), home))
  printed <- decide_claims(read_synthetic()[0], facts_of("mistral"), published_values, home)
  printed <- printed[evidence == "published values"]
  verdicts <- setNames(printed$verdict, printed$claim)
  expect_identical(verdicts[["mistral-files-beat-shared"]], "reproduced")
  expect_identical(verdicts[["mistral-stream-is-slow"]], "reproduced")
})
