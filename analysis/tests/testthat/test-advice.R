# Each rule of analysis/advice reports where its evidence is there, and is silent where it is not.

effect_row <- function(dimension, setting, ratio, access = "write", clear = TRUE, instead_of = "usual",
  emulated = FALSE) {
  data.table::data.table(
    dimension = dimension, setting = setting, instead_of = instead_of, ratio = ratio, lo = ratio * 0.95,
      hi = ratio * 1.05, difference = 100 * (ratio - 1),
    target = "disk", access = access, clear = clear, emulated = emulated, pairs = 2L, rounds = 6L, also_differs = ""
  )
}

evidence_of <- function(effects = data.table::data.table(), points = page_points(records[0]),
                        records = read_synthetic(xfer_bytes = 2^20), facts = NULL) {
  list(effects = effects, points = points, records = records, facts = facts)
}

advised <- function(rule, evidence) vapply(load_part("advice", rule)$advise(evidence), function(piece) piece$title, "")
first_of <- function(rule, evidence) load_part("advice", rule)$advise(evidence)[[1]]
action_of <- function(rule, evidence) first_of(rule, evidence)$action

test_that("every rule has a test here", {
  tested <- c(
    "cached-reads", "chunk-shape", "collective", "interface", "link-share", "open-close", "processes-per-node",
    "random-offsets", "server-cache", "shared-file", "stripe-count", "sync-share",
    "tail-latency", "too-few-rounds", "transfer-size", "unproven-reads"
  )
  expect_setequal(part_names("advice"), tested)
})

test_that("clear effects become advice, unclear and emulated ones do not", {
  cases <- list(
    "chunk-shape" = effect_row("chunking", "chunked", 0.5), collective = effect_row("collective", "collective", 1.5),
    interface = effect_row("api", "MPI-IO", 0.6), "processes-per-node" = effect_row("ppn", "8 processes per node", 2),
    "random-offsets" = effect_row("order", "random", 0.3),
    "shared-file" = effect_row("layout", "file per process", 1.4),
    "stripe-count" = effect_row("stripe_count", "8 stripes", 3), "transfer-size" = effect_row("xfer_bytes", "1 MiB", 2)
  )
  for (rule in names(cases)) {
    clear <- cases[[rule]]
    expect_length(advised(rule, evidence_of(clear)), 1)
    expect_match(advised(rule, evidence_of(clear)), "disk")
    expect_length(advised(rule, evidence_of(data.table::copy(clear)[, clear := FALSE])), 0)
    expect_length(advised(rule, evidence_of(data.table::copy(clear)[, emulated := TRUE])), 0)
    expect_length(advised(rule, evidence_of(data.table::copy(clear)[, ratio := 1.01])), 0)
    expect_length(advised(rule, evidence_of()), 0)
  }
})

test_that("stripes are proposed where a target may have them", {
  action_on <- function(kind) {
    facts <- list(targets = list(list(target = "disk", kind = kind)))
    action_of("shared-file", evidence_of(effect_row("layout", "file per process", 1.4), facts = facts))
  }
  expect_match(action_on("parallel"), "stripes")
  expect_no_match(action_on("memory"), "stripes")
})

test_that("large effects that are not sure want more rounds", {
  open <- effect_row("order", "random", 0.5, clear = FALSE)
  expect_match(first_of("too-few-rounds", evidence_of(open))$evidence, "^One large effect is not sure: random for")
  expect_length(advised("too-few-rounds", evidence_of(data.table::copy(open)[, ratio := 1.05])), 0)
})

test_that("writes that wait for their synchronisation are named where others were measured without", {
  points <- data.table::data.table(target = "disk", emulated = FALSE, access = "write", sync_share = c(0.8, 0.9),
    n = 4L)
  records <- read_synthetic(xfer_bytes = 2^20)[, `:=`(target = "disk", sync = TRUE)]
  expect_length(advised("sync-share", evidence_of(points = points, records = records)), 0)
  records <- rbind(records, data.table::copy(records)[, sync := FALSE])
  expect_length(advised("sync-share", evidence_of(points = points, records = records)), 1)
  expect_length(advised("sync-share", evidence_of(points = data.table::copy(points)[, sync_share := 0.1],
    records = records)), 0)
})

# Records and points of one file system behind servers.
on_servers <- function(..., records = read_synthetic(xfer_bytes = 2^20), points = page_points(records[0])) {
  evidence_of(records = data.table::copy(records)[, `:=`(target = "scratch", emulated = FALSE)], points = points,
    facts = list(targets = list(list(target = "scratch", kind = "parallel", ...))))
}

test_that("no advice about reads that was followed already", {
  reads <- read_synthetic(xfer_bytes = 2^20)[access == "read"][, `:=`(verdict = "UNPROVEN", emulated = FALSE,
    program = "IOR", direct = FALSE)]
  expect_match(action_of("unproven-reads", evidence_of(records = reads)), "^Measure with weir-io .*O_DIRECT")
  expect_match(action_of("unproven-reads", on_servers(records = reads)), "^Measure with weir-io .*server_addresses")
  reads[, program := "weir-io"]
  expect_match(action_of("unproven-reads", evidence_of(records = reads)), "^Read with O_DIRECT, or read files larger")
  expect_match(action_of("unproven-reads", on_servers(records = reads)), "^Name the servers in the target")
  expect_identical(action_of("unproven-reads", evidence_of(records = reads[, direct := TRUE])),
    "Read files larger than the memory.")
})

test_that("cached reads of servers are told from those of the page cache, and dropped pages are not dropped again", {
  reads <- read_synthetic(xfer_bytes = 2^20)[access == "read"][, `:=`(verdict = "DEGRADED",
    reasons = "not-from-servers", notes = "")]
  expect_match(action_of("cached-reads", on_servers(records = reads)), "^Turn off the cache that the client")
  reads[, notes := "mount-decides: client_oc=true: reads may come from the memory of the client program"]
  expect_match(action_of("cached-reads", on_servers(records = reads)), "that the note mount-decides names")
  reads[, `:=`(reasons = "read-from-cache", notes = "")]
  expect_match(action_of("cached-reads", on_servers(records = reads)), "^Drop the caches before the read, or let")
  expect_match(action_of("cached-reads", evidence_of(records = reads[, emulated := FALSE])), "use O_DIRECT")
})

test_that("files are compared with the memory of servers that a probe reports", {
  reads <- read_synthetic(xfer_bytes = 2^20)[access == "read"][, `:=`(proof = "servers", file_bytes = 2^30, item = NA)]
  expect_length(advised("server-cache", on_servers(records = reads)), 0)
  expect_length(advised("server-cache", on_servers(records = reads, server_memory_bytes = 2^29)), 0)
  found <- first_of("server-cache", on_servers(records = reads, server_memory_bytes = 2^32))
  expect_identical(found$evidence, "The largest file (1 GiB) is 25 % of their memory (4 GiB).")
  seen <- data.table::copy(reads)[, proof := "devices"]
  expect_length(advised("server-cache", on_servers(records = seen, server_memory_bytes = 2^32)), 0)
  caught <- data.table::copy(reads)[, `:=`(verdict = "DEGRADED", reasons = "not-from-server-devices", proof = "")]
  expect_match(first_of("server-cache", on_servers(records = caught))$evidence, "came from the caches of the servers")
})

test_that("the doubt about memory is not of servers whose memory is known or whose devices gave the bytes", {
  records <- read_synthetic(xfer_bytes = 2^20)[, `:=`(file_bytes = 2^30, proof = "servers")]
  evidence <- on_servers(records = records)
  evidence$facts$machines <- list(list(memory_bytes = 2^32))
  expect_identical(doubt_about_memory(evidence)$number, "25 %")
  evidence$records[, proof := "devices"]
  expect_null(doubt_about_memory(evidence))
  evidence <- on_servers(records = records, server_memory_bytes = 2^33)
  evidence$facts$machines <- list(list(memory_bytes = 2^32))
  expect_null(doubt_about_memory(evidence))
})

test_that("what was reached of the links is told in per cent, and more clients are proposed where links limit", {
  points <- data.table::data.table(target = "scratch", emulated = FALSE, n = 6L, access = "write", nn = c(1L, 2L),
    ppn = 4L, median = c(1100, 2150), verdict = "VALID", api = "POSIX", purpose = "bandwidth", sync = TRUE,
    direct = NA)
  expect_length(advised("link-share", on_servers(points = points)), 0)
  found <- first_of("link-share", on_servers(points = points, links_mbit_s = 10000))
  expect_identical(found$title, "The links limit writes on scratch.")
  expect_identical(found$evidence, "1,100 MiB/s are 92 % of what the links of 1 client carry.")
  expect_match(found$action, "more than 2 clients")
  slow <- data.table::copy(points)[, median := 300]
  expect_match(action_of("link-share", on_servers(points = slow, links_mbit_s = 10000)), "Look at the servers")
  expect_match(action_of("link-share", on_servers(points = slow[nn == 1], links_mbit_s = 10000)),
    "several clients, or with more than 4 processes each")
  faster <- data.table::copy(points)[, median := 2400]
  other <- function(column, value) data.table::set(data.table::copy(faster), j = column, value = value)
  doubted <- rbind(points, other("verdict", "DEGRADED"), other("sync", FALSE), other("api", "NULL"))
  again <- first_of("link-share", on_servers(points = doubted, links_mbit_s = 10000))
  expect_identical(again$evidence, found$evidence)
  # Logs may not tell their nodes.
  expect_length(advised("link-share", on_servers(points = other("nn", NA_integer_), links_mbit_s = 10000)), 0)
})

test_that("stripes are proposed where shared files had one in all runs", {
  records <- read_synthetic(xfer_bytes = 2^20)[, `:=`(layout = "shared", stripe_count = 1, nn = 2, ppn = 4)]
  expect_match(advised("stripe-count", on_servers(records = records)), "more than one stripe on scratch")
  records[1, stripe_count := 4]
  expect_length(advised("stripe-count", on_servers(records = records)), 0)
})

test_that("a long tail and unproven reads are named", {
  records <- read_synthetic(xfer_bytes = 2^14)
  slow <- data.table::copy(records)[, `:=`(lat_p50_us = 10, lat_p99_us = 5000, ops = 5000, emulated = FALSE)]
  # In sequential order that is how read-ahead looks.
  expect_length(advised("tail-latency", evidence_of(records = slow)), 0)
  slow[, order := "random"]
  expect_gt(length(advised("tail-latency", evidence_of(records = slow))), 0)
  expect_length(advised("tail-latency", evidence_of(records = data.table::copy(slow)[, lat_p99_us := 500])), 0)
  expect_length(advised("tail-latency", evidence_of(records = slow[, lat_p99_us := 20])), 0)
  reads <- data.table::copy(records)[access == "read"][, `:=`(verdict = "UNPROVEN", emulated = FALSE)]
  expect_length(advised("unproven-reads", evidence_of(records = reads)), 1)
  expect_length(advised("unproven-reads", evidence_of(records = reads[, verdict := "VALID"])), 0)
})

test_that("reads of a cache and files that are open for a moment are named", {
  records <- read_synthetic(xfer_bytes = 2^14)[, `:=`(emulated = FALSE, cell = "a")]
  expect_length(advised("cached-reads", evidence_of(records = records)), 0)
  cached <- data.table::copy(records)[access == "read", `:=`(verdict = "DEGRADED", reasons = "read-from-cache")]
  expect_length(advised("cached-reads", evidence_of(records = cached)), 1)
  expect_length(advised("cached-reads", evidence_of(records = cached[, emulated := TRUE])), 0)
  expect_length(advised("open-close", evidence_of(records = records)), 0)
  short <- data.table::copy(records)[access == "write", `:=`(open_s = 0.6, total_s = 1)]
  each <- data.table::copy(short)[, layout := "file-per-process"]
  expect_identical(advised("open-close", evidence_of(records = each)), "Open fewer files for writes on synthetic.")
  # One shared file cannot be fewer.
  one <- advised("open-close", evidence_of(records = short[, layout := "shared"]))
  expect_identical(one, "Move more in writes on synthetic each time the file is open.")
  expect_length(advised("open-close", evidence_of(records = short[, emulated := TRUE])), 0)
})

test_that("advice is ordered by what it gains, and general advice is one piece at most, the last", {
  slow <- effect_row("collective", "collective", 4)[, difference := 30]
  fast <- effect_row("ppn", "8 processes per node", 1.5)[, difference := 1000]
  general <- rbind(effect_row("order", "random", 0.1), effect_row("xfer_bytes", "1 MiB", 80))
  found <- page_advice(evidence_of(rbind(general, slow, fast)))
  rules <- vapply(found, function(piece) piece$rule, "")
  expect_identical(rules, c("processes-per-node", "collective", "transfer-size"))
  expect_match(found[[1]]$evidence, "The median difference is 1,000 MiB/s.", fixed = TRUE)
  both <- rbind(slow, fast, data.table::copy(fast)[, access := "read"])
  rules <- vapply(page_advice(evidence_of(both)), function(piece) piece$rule, "")
  expect_identical(rules, c("processes-per-node", "collective", "processes-per-node"))
  expect_length(page_advice(evidence_of()), 0)
})

test_that("doubts name evidence in words, and the rule that found most", {
  records <- read_synthetic(access = "read")[, `:=`(verdict = "UNPROVEN", missing = "fetched")]
  expect_match(doubt_about_verdicts(records)$sentence, "most often that the bytes came from the storage")
  expect_null(doubt_about_findings(records))
  records[1:2, `:=`(verdict = c("DEGRADED", "INVALID"), reasons = "sync-not-applied")]
  found <- doubt_about_findings(records)
  expect_identical(found$number, "2 of 3")
  expect_identical(found$sentence, "results are degraded or invalid, most often by the rule sync-not-applied.")
  # None is the commonest of two that are as often.
  records[2, reasons := "exit-code"]
  expect_identical(doubt_about_findings(records)$sentence, "results are degraded or invalid.")
  records[3, missing := "fetched;end"]
  expect_match(doubt_about_verdicts(records)$sentence, "but evidence is missing.", fixed = TRUE)
  expect_identical(meaning_of_evidence("new"), "new")
})

test_that("doubts and effects are about real storage, or about what there is", {
  skip_if_quick()
  emulated <- with_cells(read_synthetic(target = "buffer", xfer_bytes = c(2^14, 2^20)))
  emulated[, `:=`(verdict = "UNPROVEN", emulated = TRUE)]
  told <- function(records) {
    evidence <- concluding_evidence(page_evidence(records, list()))
    c(vapply(page_doubts(evidence), function(one) one$number, ""),
      vapply(page_effects(evidence$effects), function(one) one$target, ""))
  }
  expect_true(all(c("12 of 12", "buffer (E)") %in% told(emulated)))
  expect_false(any(c("12 of 12", "12 of 18", "buffer") %in% told(rbind(emulated, with_cells(read_synthetic())))))
})

test_that("layers are one piece of advice, and so are transfer sizes, with what is reached in per cent", {
  layers <- rbind(effect_row("api", "HDF5", 0.8, instead_of = "POSIX"),
    effect_row("api", "PnetCDF", 0.5, instead_of = "POSIX"))
  found <- load_part("advice", "interface")$advise(evidence_of(layers))
  expect_length(found, 1)
  expect_null(names(page_advice(evidence_of(layers))))
  expect_match(found[[1]]$title, "PnetCDF and HDF5 cost bandwidth for writes on disk", fixed = TRUE)
  expect_match(found[[1]]$evidence, "They reach 50 % [48\u201352 %] and 80 % [76\u201384 %] of POSIX.", fixed = TRUE)
  sizes <- rbind(effect_row("xfer_bytes", "1 MiB", 2), effect_row("xfer_bytes", "10 MiB", 3))
  expect_match(first_of("transfer-size", evidence_of(sizes))$evidence, "10 MiB")
  expect_length(advised("transfer-size", evidence_of(sizes)), 1)
})

test_that("collective calls are turned off by a hint with its value", {
  action <- action_of("collective", evidence_of(effect_row("collective", "collective", 0.5)))
  expect_match(action, "`romio_cb_write` to `disable`", fixed = TRUE)
})

test_that("third-party records are not measured again, and no example has an interval over a factor of 10", {
  open <- effect_row("order", "random", 0.5, clear = FALSE)
  wide <- effect_row("block_bytes", "block 1 GiB", 0.1, clear = FALSE)[, `:=`(lo = 1e-4, hi = 100)]
  evidence <- evidence_of(rbind(wide, open), facts = list(about = list(site = "elsewhere")))
  expect_match(first_of("too-few-rounds", evidence)$evidence, "such as random")
  expect_no_match(action_of("too-few-rounds", evidence), "suite")
})

test_that("the doubt about rounds tells all numbers of runs, not the smallest as that of all", {
  of <- function(n) doubt_about_rounds(data.table::data.table(emulated = FALSE, n = n))
  expect_null(of(c(10L, 12L)))
  expect_identical(of(c(2L, 6L, 6L))$number, "n = 2\u20136")
  expect_match(of(c(2L, 6L, 6L))$sentence, "1 of 3 have too few for an interval")
  expect_match(of(c(6L, 6L))$sentence, "setting: the interval is the range of nearly all runs; 18 more would halve it")
  expect_match(of(c(6L, 12L, 30L))$sentence, "the interval of 1 of 3 is the range")
  expect_match(of(1L)$sentence, "unknown")
})

test_that("the doubt about short phases is of short ones alone, and not of memory", {
  points <- data.table::data.table(target = c("disk", "disk", "memory"), emulated = FALSE, n = 6L,
    seconds = c(1, 2, 0.01), api = "POSIX", access = "read", purpose = "bandwidth", sync = NA, direct = NA)
  evidence <- evidence_of(points = points, facts = list(targets = list(list(target = "memory", kind = "memory"))))
  expect_null(doubt_about_phases(evidence))
  evidence$points[1, seconds := 0.012]
  found <- doubt_about_phases(evidence)
  expect_identical(found$number, "1 of 2")
  expect_match(found$sentence, "the shortest for 12 ms")
})

test_that("text in backticks is code in print, and a number keeps its unit", {
  expect_identical(in_print("Raise `rounds` to 4 MiB"), "Raise \\texttt{rounds} to 4~MiB")
})
