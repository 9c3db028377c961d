# What tables print of what they know.

load_table <- function(name) load_part("table", name, home)
published <- list(published = file.path(checkout, "reference", "published.csv"))

test_that("a claim takes one row: what these records and what the printed values say stand beside each other", {
  skip_if_quick()
  records <- read_synthetic(
    target = "buffer", api = "IME", order = c("sequential", "random"), n = 5, xfer_bytes = 2^20, emulated = TRUE
  )
  decided <- decide_claims(records, NULL, published$published, home, "ime-paper")
  print <- print_of("claims", records, claims_input(decided))
  row <- grep("^``The same considerations apply to sequential performance''", print, value = TRUE)
  expect_length(row, 1)
  expect_match(row, "factor $\\ge$~0.9 &", fixed = TRUE)
  expect_identical(lengths(regmatches(row, gregexpr("reproduced", row))), 2L)
  expect_match(print, "these records, \\\\textbf\\{EMULATED\\}", all = FALSE)
})

test_that("a claim says what is computed of its sentence, and how many points are unproven without a riddle", {
  part <- load_table("claims")
  cell <- part$claim_cell(data.table(
    quote = c("it scales", NA), quoted_at = "Sect. 5", says = "It grows.", where = "Sect. 5"
  ))
  expect_identical(cell, c("``it scales'' \\emph{(\\S5)}; here: It grows.\\tablegap{}",
    "It grows. \\emph{(\\S5)}\\tablegap{}"))
  expect_identical(part$unproven_words(c(0, 1, 8, 2), c(3, 1, 8, 4)),
    c("", "; 1 point, unproven", "; all 8 points unproven", "; 2 of 4 points unproven"))
})

test_that("a dagger marks each claim that the other definition of bandwidth reverses, whatever the rest are", {
  found <- data.table(verdict = c("reproduced", "undecided", "contradicted", "undecided"),
    by_whole_time = c("undecided", "undecided", "reproduced", NA))
  expect_identical(grepl("dagger", load_table("claims")$verdict_cell(found)), c(TRUE, FALSE, TRUE, FALSE))
})

test_that("a claim that is undecided tells what would decide it: rounds, or rounds that are not degraded", {
  skip_if_quick()
  rounds <- function(n, ...) {
    records <- read_synthetic(target = "buffer", api = "IME", order = c("sequential", "random"), n = n, ...)
    decided <- decide_claims(records, NULL, NULL, home, "ime-paper")
    table_of("claims", records, claims_input(decided))[claim == "native-random-harmless" & evidence == "these records"]
  }
  once <- rounds(1)
  expect_identical(once$verdict, "undecided")
  expect_identical(once$would_decide, "2 rounds or more")
  lost <- read_synthetic(target = "buffer", api = "IME", order = c("sequential", "random"), n = 3)
  lost[iteration > 0, `:=`(verdict = "DEGRADED", reasons = "a-rule")]
  decided <- decide_claims(lost, NULL, NULL, home, "ime-paper")
  found <- decided[claim == "native-random-harmless" & evidence == "these records"]
  expect_identical(found$doubt, "of 3 rounds fewer than two are not degraded")
  expect_identical(deciding_words(found), "2 rounds that are not degraded, of 3 that ran")
  sure <- rounds(6)
  expect_identical(sure$would_decide[sure$verdict != "undecided"], character(sum(sure$verdict != "undecided")))
})

test_that("the claims of every paper are quoted, and every figure and table of a publication has a place or a reason", {
  for (name in publication_names(home)) {
    rows <- read_publication(name, home)
    expect_gt(nrow(rows[kind %in% mapped_kinds]), 3)
    expect_true(nzchar(title_of_publication(name, home)[["cites"]]), info = name)
    expect_false(anyDuplicated(rows$item) > 0, info = name)
    if (name %in% part_names("claims", home)) {
      claims <- vapply(load_claims(name, home)$claims, function(it) it$id, "")
      expect_setequal(rows[kind == "claim"]$item, claims)
    }
  }
  expect_setequal(publication_names(home), c("ime-paper", "io500", "mistral", "nersc-ior", "netcdf-slides"))
})

test_that("the map of a publication has what records hold, what is emulated, and a reason for the rest", {
  lustre <- read_synthetic(target = "lustre", nn = c(1, 2), order = "random")
  facts <- list(about = list(publications = list("ime-paper")))
  map <- publication_map(lustre, facts, home)
  expect_identical(map[held == TRUE]$item, c("Figure 1", "Figure 4a"))
  expect_match(map[item == "Figure 2"]$reason,
    "no record of IME's native interface is public")
  expect_identical(map[item == "Figure 2"]$instead, "suite ime-paper, emulated (E)")
  alone <- publication_map(lustre[nn == 1], list(suites = list(list(suite = "ime-paper"))), home)
  expect_true(all(alone$instead == ""))
  expect_identical(alone[item == "Figure 4a"]$reason, "all records of it are of 1 node")
  expect_identical(alone[item == "Figure 4b"]$reason, "nothing like it was measured at this site")
  buffer <- read_synthetic(target = "buffer", api = "IME", order = "random", emulated = TRUE)
  both <- publication_map(rbind(lustre, buffer), facts, home)
  expect_true(both[item == "Figure 2"]$held && both[item == "Figure 2"]$emulated)
  expect_false(both[item == "Figure 4a"]$emulated)
  expect_identical(nrow(publication_map(lustre, list(suites = list(list(suite = "my-own"))), home)), 0L)
  print <- load_table("publication")$make_latex(both)
  expect_match(print, "\\partorreason\\{figure\\}\\{read-write\\}\\{ \\(E\\)\\}", all = FALSE)
  expect_match(print, "not here: no record of NetCDF-Bench is public", fixed = TRUE, all = FALSE)
})

test_that("what is not here for one reason has one line that names it, and the CSV a row for each", {
  lustre <- read_synthetic(target = "lustre", nn = c(1, 2), order = "random")
  map <- publication_map(lustre, list(about = list(publications = list("ime-paper", "netcdf-slides"))), home)
  part <- load_table("publication")
  rows <- part$absent_together(map)
  expect_identical(rows[paper == "ime-paper"]$item[1:3], c("Figure 1", "Figure 2; Table 1; Figure 3", "Figure 4a"))
  expect_false(anyDuplicated(rows[held == FALSE, .(paper, reason, instead)]) > 0)
  expect_identical(sort(unlist(strsplit(rows$item, "; ", fixed = TRUE))), sort(map$item))
  print <- part$make_latex(map)
  expect_match(print, "^Figure~2; Table~1; Figure~3 & \\\\emph\\{\\(\\\\S4[.]2; \\\\S5\\)", all = FALSE)
  expect_match(print, "share a line, and tables/publication.csv has", fixed = TRUE, all = FALSE)
  alone <- part$make_latex(map[item == "Figure 4a"])
  expect_no_match(alone, "share a line")
})

test_that("claims of the records and of the printed values have lines of their own where none has both", {
  row <- function(claim, evidence, verdict, ...) {
    data.table(paper = "ime-paper", claim = claim, says = "It grows.", where = "Sect. 5", quote = NA_character_,
      quoted_at = NA_character_, bound = "1.05 or more", unit = "factor", evidence = evidence, verdict = verdict,
      effect = 1.2, lo = NA_real_, hi = NA_real_, rounds = 1L, points = 2, unproven = 0, emulated = FALSE,
      by_whole_time = NA_character_, ...)
  }
  here <- row("a", "these records", "undecided", would_decide = "2 rounds or more")
  printed <- row("b", "published values", "reproduced", would_decide = "")
  part <- load_table("claims")
  print <- part$make_latex(rbind(printed, here))
  expect_match(print, "^claim & has to be & verdict", all = FALSE)
  expect_match(print, "cite\\{imefuse\\}: these records", all = FALSE)
  expect_match(print, "cite\\{imefuse\\}: printed values", all = FALSE)
  expect_match(print, "would decide it: 2 rounds or more", fixed = TRUE, all = FALSE)
  expect_no_match(print, "& --", fixed = TRUE)
  beside <- part$make_latex(rbind(here, row("a", "published values", "reproduced", would_decide = "")))
  expect_match(beside, "these records & printed values", fixed = TRUE, all = FALSE)
})

test_that("records that decide nothing have no table of claims", {
  skip_if_quick()
  records <- read_synthetic(access = "read", target = "memory")
  decided <- decide_claims(records, targets_of(memory = "memory"), published$published, home)
  for (name in c("claims", "claims-open")) {
    expect_identical(nrow(load_table(name)$make_table(records, claims_input(decided))), 0L)
  }
})

test_that("best and mean are printed of the fastest way, and of every way in the CSV, beside what was published", {
  skip_if_quick()
  records <- read_synthetic(
    target = "buffer", api = "IME", layout = c("shared", "file-per-process"), xfer_bytes = 10 * 2^20
  )
  records[, bw_mib_s := ifelse(layout == "shared", 500, 900) + iteration]
  part <- load_table("best-mean")
  suites <- list(list(suite = "ime-paper"))
  own <- published
  published$facts <- facts_file(suites = suites)
  table <- part$make_table(records, published)
  expect_setequal(table[n > 0]$layout, c("shared", "file-per-process"))
  print <- part$make_latex(table)
  expect_match(print, "^IME, p.p. & seq. & 10 MiB & [$]1.*902 & 901 & 901 .*1,230 & 870", all = FALSE)
  expect_no_match(paste(print, collapse = "\n"), "\nIME & ")
  expect_match(print, "^published & seq. & 10 MiB & [$]10", all = FALSE)
  # The publication has no table of another storage: it stands in the CSV alone, as the caption tells.
  memory <- list(list(target = "tmp", kind = "memory"))
  beside <- utils::modifyList(published, list(facts = facts_file(suites = suites, targets = memory)))
  both <- rbind(records, data.table::copy(records)[, `:=`(target = "tmp", api = "POSIX")])
  table <- part$make_table(both, beside)
  print <- paste(part$make_latex(table), collapse = "\n")
  expect_setequal(table$target, c("buffer", "tmp"))
  expect_no_match(print, "itshape tmp", fixed = TRUE)
  expect_match(print, "storage that it did not measure is in tables/best-mean.csv alone", fixed = TRUE)
  cached <- part$make_table(data.table::copy(records)[layout != "shared", verdict := "DEGRADED"], own)
  expect_setequal(part$fastest_ways(cached)$layout, "shared")
  elsewhere <- data.table::copy(records)[, xfer_bytes := 2^20]
  expect_identical(part$make_table(elsewhere, published)[n == 0], part$make_table(elsewhere, published)[0])
  mine <- paste(part$make_latex(part$make_table(records, own)), collapse = "\n")
  expect_no_match(mine, "pub[.]|publi", info = "a suite of one's own repeats no publication")
  expect_no_match(print_of("netcdf-configuration", netcdf_study(), own), "printed|paper")
})

test_that("of many points the highest of each target and access are printed, and the caption says so", {
  records <- read_synthetic(target = c("a", "b"), nn = 1:10, ppn = 1:5, n = 1)
  part <- load_table("summary")
  table <- part$make_table(records, list())
  shown <- part$highest_of_each(table)
  expect_identical(shown[, .N, by = .(target, access)]$N, rep(25L, 4))
  expect_equal(shown[target == "a" & access == "read"]$median, sort(table[target == "a" & access == "read"]$median,
    decreasing = TRUE
  )[1:25])
  expect_match(part$make_latex(table), "the 25 highest medians; all 200 points are in", all = FALSE)
})

test_that("a number near one, near the whole or near nothing does not read as that", {
  expect_identical(percent_words(c(0.334, 0.994, 0.996, 1.046, 1.26)), paste0(c(33, 99, 99.6, 105, 126), "~\\%"))
  expect_identical(percent_words(c(0.9996, 1.0004)), paste0(c(99.96, 100.04), "~\\%"))
  expect_identical(share_words(list(ratio = 0.0041, lo = 0.003, hi = 0.005)), "0.41 % [0.30\u20130.50 %]")
  expect_identical(share_words(list(ratio = 0.51, lo = 0.26, hi = 0.997)), "51 % [26\u201399.7 %]")
  expect_identical(whole_percent(c(0, 0.004, 0.334, 0.996, 0.99996, 1, 1.004)),
    c("0", "0.4", "33", "99.6", "99.996", "100", "100.4"))
  expect_identical(signed_percent(c(-0.997, -0.004, 0, 0.12)), c("-99.7", "-0.4", "+0", "+12"))
  expect_identical(vapply(c(0.996, 1.004, 1.012, 9.996, 0.9996), plain_factor, ""),
    c("0.996", "1.004", "1.01", "10", "0.9996"))
  expect_identical(two_digits(c(1.004, 0.9996, NA)), c("1.004", "0.9996", NA))
  of_figure <- function(name, ...) load_part("figure", name, home)$finding(data.table(...))
  effect <- list(clear = TRUE, over = "rounds", setting = "a", instead_of = "b", ratio = 1.04, access = "write",
    target = "buffer", emulated = TRUE, all_clear = 40L)
  expect_match(do.call(of_figure, c("effects", effect)), "^40 effects are clear", info = "not of the rows drawn alone")
  expect_match(do.call(of_figure, c("effects", effect)), "\u00d71.04 for a write on buffer (E).", fixed = TRUE)
  expect_match(of_figure("read-write", all_pairs = 3L, all_faster = 2L, all_ratio = 1.04), "a read has 1.04 times")
  grown <- data.table(target = "t", along = "nn", workers = c(1, 4), median = c(996, 1030), access = "write",
    verdict = "VALID", unit = "MiB/s", emulated = FALSE, metric = "bandwidth")
  expect_match(scaling_words(grown), "from 996 to 1,030 MiB/s (\u00d71.03)", fixed = TRUE)
  # The best latency is the lowest.
  latency <- data.table(target = "t", along = "nn", workers = c(1, 1, 4, 4), median = c(100, 900, 150, 2000),
    access = "read", verdict = "VALID", unit = "us", emulated = FALSE, metric = "p99")
  expect_match(scaling_words(latency), "goes from 100 to 150 us (\u00d71.5)", fixed = TRUE)
})

test_that("rates are short whatever their size and sign", {
  expect_identical(rate_words(c(-19.8053378, -1234.5, 0, NA)), c("-19.8", "-1,230", "0", "--"))
  expect_identical(short_rate_words(c(1873000, 312400, 9990, 5.25, NA)), c("1.87M", "312k", "9,990", "5.25", "--"))
})

test_that("a table as a page has what its rows have, exact where it is sorted, and is short", {
  part <- list(name = "some", title = "Some & more", caption = "A caption.")
  table <- data.table::data.table(
    target = c("a<b", NA), median = c(1234.5, 12), n = c(4L, 1048576L), lo = NA_real_, variant = "",
    reached_with = paste(rep("word", 12), collapse = " ")
  )
  page <- paste(html_page(part, table), collapse = "\n")
  expect_match(page, "<tr><td>a&lt;b<td data-v=1234.5>1,230<td>4<td>word", fixed = TRUE)
  expect_match(page, "<tr><td><td>12<td data-v=1048576>1,048,576<td>", fixed = TRUE)
  expect_no_match(page, "<th>interval|<th>variant")
  expect_match(page, "td:nth-child(2), td:nth-child(3) { text-align: right", fixed = TRUE)
  expect_match(page, "td:nth-child(4) { min-width", fixed = TRUE)
  long <- data.table::data.table(n = seq_len(most_html_rows + 1))
  expect_match(html_page(part, long), "The first 2500 of 2501 rows; all are in some.csv.", fixed = TRUE, all = FALSE)
})

test_that("print has real storage in the table of the best, and below it a line of what is emulated", {
  records <- rbind(read_synthetic(target = "disk"), read_synthetic(target = "pool", emulated = TRUE))
  part <- load_table("best")
  table <- part$make_table(records, list())
  print <- paste(part$make_latex(table), collapse = "\n")
  body <- sub(".*midrule(.*)bottomrule.*", "\\1", print)
  expect_match(body, "disk, write")
  expect_no_match(body, "pool")
  expect_match(print, "EMULATED.*emph[{]pool[}]: write POSIX [0-9.,]+; read POSIX [0-9.,]+[.]")
  alone <- paste(part$make_latex(table[emulated == TRUE]), collapse = "\n")
  expect_match(alone, "pool \\\\textbf[{][(]EMULATED[)][}], write")
  # A mark without a width of its own would stand on the comma that follows it.
  unproven <- records[target == "pool", verdict := "UNPROVEN"]
  below <- sub(".*EMULATED", "", paste(part$make_latex(part$make_table(unproven, list())), collapse = "\n"))
  expect_match(below, "$^\\circ$; read POSIX", fixed = TRUE)
  expect_no_match(below, "rlap")
})

test_that("tables begin with real storage", {
  records <- rbind(read_synthetic(target = "buffer", emulated = TRUE), read_synthetic(target = "disk"))
  files <- data.table::copy(records)[, `:=`(item = "file", access = "create", ops_s = 10)]
  first <- list(summary = records, metadata = files, defaults = data.table::copy(records)[, experiment := "defaults"],
    effects = with_cells(rbind(records, data.table::copy(records)[, `:=`(order = "random", bw_mib_s = 1)])))
  for (name in names(first)) expect_identical(load_table(name)$make_table(first[[name]], list())$target[1], "disk")
})

test_that("one reason of several experiments is one row, and no cell is lost", {
  table <- data.table::data.table(
    suite = "quick", experiment = c("a", "b", "a", "b"), cells = c(1L, 2L, 3L, 4L),
    reason = c("too long", "too long", "target disk has no interface IME", "target pool has no interface MPIIO")
  )
  rows <- grep("^quick", load_table("excluded")$make_latex(table), value = TRUE)
  expect_identical(rows, c(
    "quick & a, b & 3 & too long \\\\",
    "quick & a, b & 7 & the target has no such interface: disk (IME native), pool (MPI-IO) \\\\"
  ))
})

test_that("the executions of a plan are told in words", {
  told <- function(...) data.table::rbindlist(plan_rows(list(...)))
  counts <- list(factorial_executions = 36, valid_executions = 36, reachable_executions = 24)
  words <- "36 if all combinations were run; 36 of these are valid, and 24 can run here"
  expect_identical(do.call(told, counts)$value, words)
  many <- do.call(told, utils::modifyList(counts, list(factorial_executions = 12000, notes = list("ime: no store"))))
  expect_identical(many$name, c("executions", "excluded"))
  expect_match(many$value[1], "^12,000 if all combinations were run; 36 of these")
  expect_identical(nrow(told()), 0L)
})

test_that("a table has the same numbers whatever profile and variables of the user set", {
  skip_if_quick()
  file <- write_synthetic(synthetic_records(xfer_bytes = 1.5 * 2^20, total_s = 3))
  here <- scratch("here")
  write_tables(chosen_parts("table", "summary", home), read_records(file), list(), here)
  profile <- scratch("profile.R")
  writeLines("options(OutDec = ',', scipen = -9, digits = 3, warn = 2); cat('Good morning')", profile)
  there <- scratch("there")
  status <- system2(file.path(R.home("bin"), "Rscript"),
    shQuote(c(file.path(home, "draw.R"), "table", "summary", file, there)),
    stdout = FALSE, env = c(paste0("R_PROFILE_USER=", shQuote(profile)), "R_DEFAULT_PACKAGES=NULL")
  )
  expect_identical(status, 0L)
  for (output in c("summary.tex", "summary.html", "summary.csv")) {
    expect_identical(readLines(file.path(there, output)), readLines(file.path(here, output)))
  }
  expect_match(readLines(file.path(here, "summary.tex")), "1.5~MiB", fixed = TRUE, all = FALSE)
})
