# The page: what is on it, and that nothing of a study can break it.

page_of <- function(records, facts = NULL) {
  folder <- file.path(tempfile(), "results", "lab", "study")
  dir.create(folder, recursive = TRUE)
  write_synthetic(records, file.path(folder, "records.csv"))
  if (!is.null(facts)) writeLines(jsonlite::toJSON(facts, auto_unbox = TRUE), file.path(folder, "facts.json"))
  inputs <- if (is.null(facts)) list() else list(facts = file.path(folder, "facts.json"))
  known <- read_records(file.path(folder, "records.csv"))
  complete_page(write_page(folder, known, inputs), folder, inputs, known)
  list(
    facts = jsonlite::fromJSON(file.path(folder, "page.json"), simplifyVector = FALSE),
    html = paste(readLines(file.path(folder, "report.html"), encoding = "UTF-8"), collapse = "\n")
  )
}

settings_on_page <- function(records) vapply(page_of(records)$facts$points, function(point) point$setting, "")

repeated_rounds <- function(n, ...) {
  data.table::rbindlist(lapply(seq_len(n) - 1, function(round) {
    rows <- synthetic_records(xfer_bytes = c(2^14, 2^20), ...)
    rows[, `:=`(run = round, bw_mib_s = bw_mib_s * (1 + 0.01 * round), cell = paste(xfer_bytes, target))]
  }))
}

test_that("the best point of every target and access is the first answer", {
  found <- page_of(repeated_rounds(6))
  for (answer in found$facts$answers) {
    mine <- Filter(function(point) point$target == answer$target && point$access == answer$access, found$facts$points)
    expect_equal(answer$best$value, max(vapply(mine, function(point) point$median, 1)))
    expect_equal(answer$best$n, 6)
    expect_lt(answer$best$lo, answer$best$value)
  }
})

test_that("the page tells as many ties as the table of the paper, also of few rounds", {
  skip_if_quick()
  records <- repeated_rounds(3)
  records[xfer_bytes == 2^14, bw_mib_s := 1.001 * records[xfer_bytes == 2^20]$bw_mib_s]
  found <- page_of(records)
  best <- best_points(bandwidth_points(read_records(write_synthetic(records))))
  expect_equal(vapply(found$facts$answers, function(answer) answer$best$tied, 1), best$tied)
  expect_gt(sum(best$tied), 0)
})

test_that("cells beside are a line of the page and no number of it", {
  skip_if_quick()
  own <- repeated_rounds(6)
  beside <- data.table::copy(own)[, cell := paste(cell, "beside")]
  beside[, `:=`(purpose = "cross-check", bw_mib_s = 10 * bw_mib_s)]
  text <- "weir-io and IOR agree within 3 % on 0 of 2 cells"
  found <- page_of(rbind(own, beside), list(cross_check = list(list(text = text))))
  expect_identical(found$facts$points, page_of(own)$facts$points)
  expect_identical(found$facts$verdicts, page_of(own)$facts$verdicts)
  expect_identical(found$facts$cross_check, list(text))
})

test_that("what the page lists is a list, also where there is one of it", {
  for (answer in page_of(repeated_rounds(1))$facts$answers) {
    expect_type(answer$best$values, "list")
    for (interface in answer$interfaces) {
      expect_type(interface$values, "list")
      expect_type(interface$others, "list")
    }
  }
})

test_that("neither the null back end nor single operations, of a warm cache even, are the best bandwidth", {
  skip_if_quick()
  fast <- function(rows, name) data.table::copy(rows)[, `:=`(bw_mib_s = 1e6, cell = name)]
  rows <- repeated_rounds(2)
  found <- page_of(rbind(rows, fast(rows, "null")[, api := "NULL"], fast(rows, "cached")[, purpose := "latency"]))
  for (answer in found$facts$answers) {
    expect_lt(answer$best$value, 1e5)
    expect_identical(answer$best$short, "POSIX, 16 KiB, 1\u00d71")
  }
  expect_gt(max(vapply(found$facts$points, function(point) point$median, 1)), 1e5)
})

test_that("writes that were not synchronised are no best bandwidth beside those that were", {
  skip_if_quick()
  rows <- repeated_rounds(2)[, sync := TRUE]
  cached <- data.table::copy(rows)[access == "write"][, `:=`(bw_mib_s = 1e6, cell = "unsynced", sync = FALSE)]
  best <- function(records) {
    Filter(function(answer) answer$access == "write", page_of(records)$facts$answers)[[1]]$best$value
  }
  expect_lt(best(rbind(rows, cached)), 1e5)
  expect_equal(best(rbind(rows, data.table::copy(cached)[, direct := TRUE], fill = TRUE)), 1e6)
  expect_equal(best(cached), 1e6)
  found <- rates_of_storage(rbind(rows, cached)[, `:=`(item = NA_character_, purpose = "bandwidth", direct = NA)])
  expect_setequal(found$cell, rows$cell)
})

test_that("of unclear effects few are on the page, and none whose interval spans a factor of ten", {
  effects <- data.table::data.table(target = "disk", access = "write", setting = letters[1:8], instead_of = "z",
    ratio = 1.2, lo = c(1, 1e-3, rep(1, 6)), hi = c(1.4, 1e3, rep(1.4, 6)), clear = c(TRUE, rep(FALSE, 7)), pairs = 1L,
    pairs_agree = FALSE, rounds = 6L, also_differs = "", emulated = FALSE)
  shown <- vapply(page_effects(effects), function(one) one$setting, "")
  expect_identical(shown, c("a", "c", "d", "e", "f"))
})

test_that("a point has the latency histogram of all of its usable records", {
  rows <- repeated_rounds(3)
  rows[, lat_histogram := data.table::fcase(
    verdict != "VALID", "0:999", run == 0, "-1:5", run == 1, "2:1;0;7", default = NA
  )]
  rows[xfer_bytes == 2^14 & access == "read", lat_histogram := "of another program"]
  points <- page_of(rows)$facts$points
  of <- function(size, access) Filter(function(it) it$xfer == size && it$access == access, points)[[1]]$latency
  records <- 3
  expect_equal(unlist(of(2^20, "write")), c(-1, 5 * records, 0, 0, records, 0, 7 * records))
  expect_length(of(2^14, "read"), 0)
})

test_that("a record without a time or a rate hides none of the others, and too few operations have no percentile", {
  records <- read_synthetic(access = "write", n = 3, cell = "c", ops = 1000, ops_s = 10 * 1:3, lat_p99_us = 1:3)
  records[iteration == 0, `:=`(total_s = NA, ops_s = NA, lat_p99_us = NA)]
  records[iteration == 1, ops := 99]
  point <- page_points(records)
  expect_identical(c(point$iops, point$p99_us), c(25, 3))
  expect_identical(point$seconds, stats::median(records$total_s, na.rm = TRUE))
})

test_that("counts of verdicts are of real storage, emulated storage stands beside", {
  skip_if_quick()
  rows <- repeated_rounds(2)
  rows[, verdict := rep(c("VALID", "UNPROVEN"), length.out = .N)][, emulated := FALSE]
  found <- page_of(rows)$facts$verdicts
  expect_equal(found$real$VALID + found$real$UNPROVEN, nrow(rows))
  rows[, emulated := TRUE]
  expect_equal(sum(unlist(page_of(rows)$facts$verdicts$real)), 0)
})

test_that("the page is one file that asks for nothing from a network", {
  html <- page_of(repeated_rounds(3))$html
  expect_no_match(html, "{{", fixed = TRUE)
  expect_no_match(html, "(src|href)=[\"']?(https?:)?//")
})

test_that("a label cannot end the script that holds the facts", {
  rows <- repeated_rounds(2)
  rows[, target := "</script><b>disk"]
  html <- page_of(rows)$html
  expect_length(gregexpr("</script>", html, fixed = TRUE)[[1]], 3)
})

test_that("a study without one bandwidth still has its page", {
  rows <- synthetic_records(xfer_bytes = 2^20)[, `:=`(verdict = "INVALID", reasons = "no-time", bw_mib_s = NA)]
  found <- page_of(rows)$facts
  expect_length(found$answers, 0)
  expect_gt(found$verdicts$real$INVALID + found$verdicts$emulated$INVALID, 0)
})

test_that("logs of several directories are several storages, not one answer", {
  records <- repeated_rounds(2)
  records[, `:=`(target = NA_character_, source = paste0("logs/", ifelse(run == 0, "one", "two"), "/out.txt"),
    directories = "shared")]
  named <- name_storage(records)
  expect_equal(named$target, ifelse(records$run == 0, "one", "two"))
  expect_equal(read_records(write_synthetic(records))$target, named$target)
  expect_true(all(is.na(records$target)))
})

test_that("every question of the suite has a section with its points and what is to be seen", {
  skip_if_quick()
  rows <- rbind(repeated_rounds(6, experiment = "sizes"), repeated_rounds(6, experiment = "other", target = "buffer"))
  rows[, cell := paste(cell, experiment)][experiment == "other", emulated := TRUE]
  rows[xfer_bytes == 2^14, bw_mib_s := bw_mib_s / 3]
  asked <- list(sizes = "Do sizes matter?", other = "Does it work?", unmeasured = "Not asked here?")
  suite <- list(suite = "synthetic", scale = "full", experiments = asked)
  facts <- list(site = list(site = "lab"), suites = list(suite))
  found <- page_of(rows, facts)$facts
  expect_equal(found$study$suites, "synthetic (scale full)")
  expect_equal(vapply(found$questions, function(one) one$question, ""), c("Do sizes matter?", "Does it work?"))
  first <- found$questions[[1]]
  expect_equal(first$common, "POSIX, shared file, sequential")
  expect_match(first$groups[[1]]$seen, "^1 MiB is fastest, \u00d72[.]9 of 16 KiB$")
  expect_equal(first$groups[[1]]$rows[[1]]$setting, "1 MiB")
  expect_equal(vapply(first$groups, function(group) group$settings, 1L), c(2L, 2L))
  expect_length(first$groups[[1]]$rows[[1]]$values, 6)
  expect_true(found$questions[[2]]$groups[[1]]$emulated)
})

test_that("cells that differ in an axis of their own are told apart, and only then", {
  skip_if_quick()
  rows <- repeated_rounds(6, experiment = "depth")
  depths <- data.table::rbindlist(lapply(c(1, 32), function(depth) {
    data.table::copy(rows)[, `:=`(iodepth = depth, cell = paste(cell, depth))]
  }))
  plain <- settings_on_page(rows)
  expect_setequal(plain, c("POSIX, shared file, sequential, 16 KiB", "POSIX, shared file, sequential, 1 MiB"))
  expect_setequal(settings_on_page(depths), paste0(rep(plain, 2), ", iodepth ", rep(c(1, 32), each = 2)))
})

test_that("where settings were compared and none is clear, the page does not deny that they were", {
  skip_if_quick()
  records <- repeated_rounds(2)[, `:=`(io_s = 0.1 * (1 + 0.5 * ((run + xfer_bytes / 2^14) %% 2)))]
  records[, total_s := open_s + io_s + close_s][, bw_mib_s := moved_bytes / total_s / mib]
  facts <- page_of(records)$facts
  expect_false(any(vapply(facts$effects, function(effect) effect$clear, TRUE)))
  expect_gt(facts$compared, 0)
  expect_identical(page_of(records[xfer_bytes == 2^20])$facts$compared, 0L)
})

test_that("options that one program alone has are no settings of a study in which no point differs in them", {
  skip_if_quick()
  rows <- repeated_rounds(2)[, `:=`(iodepth = 1, rate = 0, zipf = 0, distribution = "blocks", file_view = FALSE,
    compress_percent = 0, direct = FALSE, sync = TRUE)]
  others <- repeated_rounds(2)[, `:=`(tool = "io-model", purpose = "latency", cell = paste("single", cell))]
  found <- settings_on_page(rbind(rows, others, fill = TRUE))
  expect_setequal(found, c("POSIX, shared file, sequential, 16 KiB", "POSIX, shared file, sequential, 1 MiB"))
  deep <- data.table::copy(others)[, `:=`(iodepth = 8, cell = paste(cell, "deep"))]
  expect_true(any(grepl("iodepth 8", settings_on_page(rbind(rows, others, deep, fill = TRUE)))))
})

test_that("what only a failed run reports is no setting of the points of a study", {
  skip_if_quick()
  rows <- repeated_rounds(2)[, sync := TRUE]
  failed <- data.table::copy(rows)[cell == cell[1]]
  failed[, `:=`(verdict = "INVALID", sync = FALSE, cell = "failed", xfer_bytes = 2^16)]
  expect_no_match(settings_on_page(rbind(rows, failed)), "sync")
  unsynced <- data.table::copy(rows)[, `:=`(sync = FALSE, cell = paste(cell, "unsynced"))]
  expect_match(settings_on_page(rbind(rows, unsynced)), "sync")
})

test_that("page and print name the same of equal settings", {
  records <- read_synthetic(xfer_bytes = c(2^20, 2^14, 2^22), access = "write")[, bw_mib_s := 100]
  records[, cell := letters[match(xfer_bytes, c(2^22, 2^20, 2^14))]]
  expect_identical(page_answers(page_points(records))[[1]]$best$size, "16 KiB")
  expect_identical(best_points(bandwidth_points(records))$xfer_bytes, 2^14)
})

test_that("the sentence of a question is of all of its settings, also of those that have no row", {
  medians <- c(seq(112, 101), 50)
  points <- data.table::data.table(
    target = "disk", emulated = FALSE, access = "write", cell = "c", setting = sprintf("setting %d", 1:13),
    median = medians, lo = medians - 20, hi = medians + 20, n = 6L, verdict = "VALID", values = list(1)
  )
  expect_equal(seen_words(points), "setting 1 or one of 11 others is fastest, \u00d72.2 of setting 13")
  expect_length(question_groups(points)[[1]]$rows, most_rows_of_question)
  points[13, `:=`(lo = NA, hi = NA)]
  expect_equal(seen_words(points), "without intervals no order is certain")
  expect_equal(seen_words(points[1]), "")
  # The slowest reaches the fastest, and not what lies between.
  wide <- data.table::copy(points[1:3])[, `:=`(median = c(100, 90, 60), lo = c(60, 88, 50), hi = c(110, 91, 65))]
  expect_equal(seen_words(wide), "the intervals of the fastest and the slowest overlap")
  near <- data.table::copy(points[1:2])[, `:=`(median = c(101, 98), lo = c(100, 97), hi = c(102, 99))]
  expect_equal(seen_words(near), "setting 1 is fastest, \u00d71.03 of setting 2")
  expect_equal(common_pieces(c("a, b", "a, c")), "a")
  expect_equal(common_pieces(c("a, b", "a, b, c")), character())
})

test_that("the line of a study without a suite has no empty part", {
  expect_no_match(study_line(list(site = list(site = "lab"), suites = list())), "suite")
})

proof_of <- function(rows) proof_words(read_records(write_synthetic(rows)), list())

test_that("only a study of emulated storage alone begins with the warning", {
  rows <- repeated_rounds(2)[, emulated := target == "synthetic"]
  expect_match(proof_of(rows), "emulatedstorage", fixed = TRUE)
  words <- proof_of(rbind(rows, data.table::copy(rows)[, `:=`(target = "disk", emulated = FALSE)]))
  expect_match(words, "Emulated storage is marked (E): synthetic", fixed = TRUE)
  expect_no_match(words, "emulatedstorage", fixed = TRUE)
})

test_that("verdicts that came with a table are those of its author, and nothing is proven", {
  rows <- repeated_rounds(2)[, `:=`(emulated = FALSE, proof = "servers")]
  words <- proof_of(rows[, notes := "authors-verdict: the verdict is that of the table's author"])
  expect_match(words, "results VALID by the verdict of the table's author", fixed = TRUE)
  expect_no_match(words, "proven|to the servers")
  words <- proof_of(rows[, notes := ""])
  expect_match(words, "results proven", fixed = TRUE)
  expect_match(words, "\\([0-9,]+ to the servers\\)")
  # Only what is valid was followed anywhere.
  expect_no_match(proof_of(rows[, verdict := "DEGRADED"]), "to the servers", fixed = TRUE)
})

test_that("claims stand on the page of a suite that asks for them, and on no other", {
  claims <- claims_input(data.table::data.table(paper = c("ime-paper", "mistral"), claim = c("scales", "other"),
    says = "It scales.", evidence = "these records", verdict = "reproduced", effect = c(0.94567, NA),
    lo = c(0.9, NA), hi = c(1, NA), rounds = 3, unit = "", emulated = FALSE,
    doubt = "", bound = "0.85 or more"))
  asking <- list(suites = list(list(suite = "one", claims = list("ime-paper")), list(suite = "two")))
  shown <- page_claims(claims, asking)
  expect_equal(shown, list(list(paper = "ime-paper", claim = "scales", says = "It scales.", evidence = "these records",
    verdict = "reproduced", effect = "0.946", interval = "0.90 to 1.0", bound = "0.85 or more")))
  silent <- list(suites = list(list(suite = "two")))
  expect_length(page_claims(claims, silent), 0)
  expect_error(page_claims(claims, list(suites = list(list(claims = list("nobody"))))), "nobody")
})

test_that("an interface with degraded results only is named beside the chart", {
  records <- repeated_rounds(2, api = c("POSIX", "MPIIO"))
  records[, cell := paste(cell, api)][api == "MPIIO" & access == "write", verdict := "DEGRADED"]
  unusable <- lapply(page_of(records)$facts$answers, function(answer) list(answer$access, unlist(answer$unusable)))
  expect_setequal(unusable, list(list("write", "MPI-IO"), list("read", NULL)))
})

test_that("only interfaces with collective calls are called independent", {
  rows <- data.table::data.table(api = c("POSIX", "MPIIO", "MPIIO"), collective = c(FALSE, FALSE, TRUE))
  told <- describe_columns(rows, c("api", "collective"))
  expect_identical(told, c("POSIX", "MPI-IO, independent", "MPI-IO, collective"))
  expect_identical(describe_columns(rows[1], "collective"), "")
})

test_that("settings that a label has and no column tell points apart", {
  expect_identical(option_words(c(
    "disk POSIX shared sequential 1MiB", "disk POSIX read sequential off0 1 MiB x 800 memory-rnd uncached no-sync",
    "disk MPIIO shared collective romio_cb_read=enable romio_cb_write=enable", NA
  )), c("", "one offset, random buffers, not cached", "cb_read=enable cb_write=enable", ""))
  rows <- read_synthetic(access = "write", n = 2)[, `:=`(label = "MPIIO", cell = "plain")]
  hints <- data.table::copy(rows)[, `:=`(label = "MPIIO romio_cb_write=disable", cell = "hints")]
  points <- page_points(rbind(rows, hints))
  expect_identical(anyDuplicated(points$setting), 0L)
  expect_setequal(sub(".*, ", "", points$setting), c("no hints", "cb_write=disable"))
})

test_that("times of single operations are no answer in MiB/s", {
  points <- data.table::data.table(suite = "s", experiment = "operations", n = 3L, purpose = "latency", setting = "a")
  asked <- page_questions(points, list(suites = list(list(suite = "s", experiments = list(operations = "How long?")))))
  expect_match(asked[[1]]$note, "single operations")
  expect_length(asked[[1]]$groups, 0)
})

test_that("two programs of one tool are told apart, those of two tools are not", {
  points <- data.table::data.table(
    target = "disk", access = "write", n = 3L, api = "POSIX", layout = "shared", order = "sequential",
    xfer_bytes = c(4096, 65536), tool = "ior", program = c("IOR", "weir-io")
  )
  expect_true("program" %in% setting_columns(points))
  points[, tool := c("ior", "netcdf-bench")]
  expect_false("program" %in% setting_columns(points))
})
