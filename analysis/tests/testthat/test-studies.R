# The studies of the talks: their tables and their answers.

beside <- file.path(checkout, "reference", "mistral-defaults.csv")
published_values <- file.path(checkout, "reference", "published.csv")
facts_of <- function(suite, ...) {
  list(suites = list(list(suite = suite)), targets = list(list(target = "files", kind = "parallel", ...)))
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
  # Two processes on a node reach all of the best; one reaches a half on one node and a fifth on two.
  records[, bw_mib_s := 1000 * nn * ifelse(ppn == 2, 1, ifelse(nn == 1, 0.5, 0.2))][]
}

test_that("shares of the best are averaged over the numbers of nodes, and the answer names the best setting", {
  shares <- shares_of_best(defaults_world())[access == "read"]
  expect_equal(shares[ppn == 1]$arithmetic, 0.35)
  expect_equal(shares[ppn == 1]$harmonic, 2 / 7)
  expect_equal(shares[ppn == 2]$harmonic, 1)
  answer <- default_answer(defaults_world(), list())
  expect_match(answer, "on files 2 processes per node and 1 stripe by POSIX (100~\\%, the worst 29~\\%)", fixed = TRUE)
  expect_identical(study_answers(read_synthetic(), list())$AnswerDefaults, "")
})

test_that("no default is a setting that is degraded beside others, or was not measured everywhere", {
  skip_if_quick()
  degraded <- defaults_world()[ppn == 2, verdict := "DEGRADED"]
  answer <- default_answer(degraded, list())
  expect_match(answer, "on files 1 process per node and 1 stripe by POSIX (100~\\%", fixed = TRUE)
  expect_equal(shares_of_best(degraded[ppn == 2])$harmonic, c(1, 1))
  by_nodes <- load_part("figure", "settings-by-nodes", home)$make_table(degraded, list())
  expect_identical(unique(by_nodes$ppn), 1)
  # Two processes were best, on one node or for writes alone.
  for (half in list(defaults_world()[ppn == 1 | nn == 1], defaults_world()[ppn == 1 | access == "write"])) {
    expect_match(default_answer(half, list()), "on files 1 process per node", fixed = TRUE)
    chosen <- load_part("figure", "best-settings", home)
    drawn <- chosen$make_figure(chosen$make_table(half, list()))
    expect_equal(unique(as.numeric(ggplot2::layer_data(drawn, 3)$x)), 1)
  }
  halves <- rbind(defaults_world()[ppn == 1 & nn == 1], defaults_world()[ppn == 2 & nn == 2])
  expect_identical(study_answers(halves, list())$AnswerDefaults, "")
  acceptance <- read_synthetic(target = "files", experiment = "acceptance", api = c("POSIX", "MPIIO"), ppn = 2)
  acceptance[, `:=`(bw_mib_s = ifelse(api == "POSIX", 500, 250), verdict = ifelse(api == "POSIX", "DEGRADED", "VALID"))]
  table <- load_part("table", "acceptance", home)$make_table(acceptance, list())
  expect_identical(unique(table$peak), 250)
  none <- acceptance[, verdict := "INVALID"]
  expect_identical(nrow(load_part("table", "acceptance", home)$make_table(none, list())), 0L)
})

test_that("acceptance relates each interface to the declared peak, or reports that none is declared", {
  part <- load_part("table", "acceptance", home)
  records <- read_synthetic(target = "files", experiment = "acceptance", api = c("POSIX", "MPIIO"), ppn = 2)
  records[, bw_mib_s := ifelse(api == "POSIX", 500, 250)]
  facts <- do.call(facts_file, facts_of("mistral", peak_mib_s = list(write = 1000, read = 2000)))
  table <- part$make_table(records, list(facts = facts))
  expect_equal(table[api == "POSIX"]$share, c(0.5, 0.25))
  undeclared <- part$make_table(records, list())
  expect_equal(undeclared[access == "write"]$share, c(1, 0.5))
  expect_match(part$make_latex(undeclared), "50\\,\\%*", fixed = TRUE, all = FALSE)
  other <- print_of("acceptance", records[, xfer_bytes := 3e6])
  expect_match(other, "Transfers of 3,000,000 bytes", fixed = TRUE, all = FALSE)
})

test_that("the claims of a study are decided in it alone, and the numbers that its talk printed decide them", {
  expect_identical(papers_of(facts_of("mistral"), home), "mistral")
  expect_false("mistral" %in% papers_of(facts_of("quick"), home))
  printed <- decide_claims(read_synthetic()[0], facts_of("mistral"), published_values, home)
  printed <- printed[evidence == "published values"]
  verdicts <- setNames(printed$verdict, printed$claim)
  expect_identical(verdicts[["mistral-files-beat-shared"]], "reproduced")
  expect_identical(verdicts[["mistral-stream-is-slow"]], "reproduced")
  expect_identical(verdicts[["mistral-hdf5-half-of-pnetcdf"]], "reproduced")
  # The slowest of single values is the lowest: 160 GB/s over 23 GB/s.
  expect_identical(verdicts[["mistral-settings-matter"]], "reproduced")
})

layers_world <- function() {
  records <- read_synthetic(
    target = "files", api = c("POSIX", "MPIIO", "HDF5"), xfer_bytes = 2^c(14, 16, 18, 20), n = 6, experiment = "layers"
  )
  added <- c(POSIX = 0, MPIIO = 5, HDF5 = 20)[records$api]
  slower <- c(POSIX = 0, MPIIO = 0, HDF5 = 40)[records$api]
  records[, io_s := moved_bytes / xfer_bytes * (10 + added + (100 + slower) * xfer_bytes / mib + 0.1 * iteration) / 1e6]
}

test_that("a layer costs what was put into it, per operation and per byte", {
  costs <- layer_costs(layers_world())[access == "read"]
  of <- function(interface, part) costs[api == interface & cost == part]
  expect_equal(of("HDF5", "operation_us")$added, 20)
  expect_equal(of("HDF5", "mib_us")$added, 40)
  expect_equal(of("MPIIO", "operation_us")$added, 5)
  expect_equal(of("POSIX", "operation_us")$mean, 10.25)
  expect_true(of("POSIX", "operation_us")$lo < 10.25 && of("POSIX", "operation_us")$hi > 10.25)
  expect_match(layers_answer(layers_world(), list()), "HDF5 adds 20", fixed = TRUE)
  # What may be zero does not count.
  same <- layers_world()[access == "read" & api == "POSIX"]
  noise <- data.table::copy(same)[, `:=`(api = "HDF5", io_s = io_s * (1 + 0.3 * (-1)^iteration))]
  expect_identical(layers_answer(rbind(same, noise), list()),
    "No layer adds a cost to reads on files that these rounds tell from zero.")
  faster <- data.table::copy(same)[, `:=`(api = "HDF5", io_s = io_s / 2)]
  expect_match(layers_answer(rbind(same, faster)[iteration == 0], list()), "^No layer adds a cost")
  expect_identical(nrow(layer_costs(read_synthetic())), 0L)
})

test_that("what a layer adds is as good as both of its sides, and the figure has n and verdict of what it draws", {
  records <- layers_world()[!(api == "POSIX" & iteration == 0)][api == "POSIX", verdict := "UNPROVEN"]
  table <- load_part("table", "layers", home)$make_table(records, list())
  expect_identical(unique(table$verdict), "UNPROVEN")
  expect_equal(unique(table$n), 5)
  drawn <- load_part("figure", "layers", home)$make_table(records, list())
  expect_identical(unique(drawn[api == "HDF5"]$verdict), "VALID")
  expect_equal(unique(drawn[api == "HDF5"]$n), 6)
  expect_equal(unique(drawn[api == "HDF5"]$added_n), 5)
})

test_that("the mount is compared with the native interface of its burst buffer", {
  records <- rbind(
    layers_world()[api == "POSIX"][, target := "mount"],
    layers_world()[api == "HDF5"][, `:=`(target = "buffer", api = "IME")]
  )
  facts <- do.call(facts_file, targets_of(mount = "burst-buffer-fuse", buffer = "burst-buffer"))
  table <- load_part("table", "layers", home)$make_table(records, list(facts = facts))
  expect_identical(unique(table$layer), "FUSE mount over buffer")
  drawn <- load_part("figure", "layers", home)$make_table(records, list(facts = facts))
  expect_identical(sort(unique(drawn$page)), "mount")
  expect_setequal(drawn$api, c("POSIX", "IME"))
  expect_identical(unique(drawn[api == "IME"]$target), "buffer")
  expect_match(constant_words(drawn), "mount and buffer", fixed = TRUE)
  expect_equal(table$added_operation_us, c(-20, -20))
})

test_that("the counters of a Lustre client stand in the table where a client counts", {
  records <- read_synthetic(
    xfer_bytes = 2^14, tool = "io-model", purpose = "latency", experiment = "operations", target = "files",
    label = "read cached seq", cell = "c0ffee"
  )[access == "read"]
  part <- load_part("table", "client-counters", home)
  expect_match(print_of("client-counters", records), "are not available here", all = FALSE)
  counters <- scratch("client-counters.csv")
  one <- records[1]
  data.table::fwrite(data.table::data.table(
    cell = one$cell, run = 0, access = "read", iteration = one$iteration,
    counter = c("read_bytes", "open", "osc_read_bytes"), samples = c(10, 1, NA), sum = c(163840, 0, 2097152)
  ), counters)
  table <- part$make_table(one, list(counters = counters))
  expect_equal(table[, c(llite_calls, llite_bytes, osc_bytes)], c(10, 16384, 2097152))
  expect_match(part$make_latex(table), "llite", all = FALSE)
})

hints_world <- function() {
  plain <- read_synthetic(target = "files", api = "MPIIO", n = 6, experiment = "hints", label = "files MPIIO 100KiB")
  hinted <- data.table::copy(plain)[, label := "files MPIIO 100KiB romio_cb_write=enable romio_cb_read=enable"]
  plain[, bw_mib_s := 100 * (1 + 0.01 * iteration)]
  hinted[, bw_mib_s := 200 * (1 + 0.01 * iteration)]
  rbind(plain, hinted)[, run := iteration]
}

test_that("hints are compared with the runs without them, round by round", {
  found <- hint_effects(hints_world())
  expect_identical(unique(found$hints), "romio_cb_read=enable, romio_cb_write=enable")
  expect_equal(found$mean, c(2, 2))
  expect_true(all(found$n == 6))
  expect_identical(nrow(hint_effects(read_synthetic())), 0L)
  both <- rbind(hints_world(), hints_world()[, `:=`(xfer_bytes = 8e6, bw_mib_s = 10 * bw_mib_s)])
  expect_equal(hint_effects(both)$mean, rep(2, 4), info = "transfers of one size are compared with those of the same")
  part <- load_part("figure", "hints", home)
  titles <- function(records) unique(part$make_figure(part$make_table(records, list()))$data$titled)
  expect_identical(titles(hints_world()), "cb_read=enable\ncb_write=enable")
  expect_setequal(titles(both), paste0("cb_read=enable\ncb_write=enable\n", c("1 MiB", "7.63 MiB")))
  unproven <- hints_world()[!grepl("romio", label), verdict := "UNPROVEN"]
  expect_identical(unique(hint_effects(unproven)$verdict), "UNPROVEN")
})

predicted_world <- function(factor) {
  kernel <- read_synthetic(target = "files", api = "POSIX", ppn = 2, xfer_bytes = 2^24, n = 6, experiment = "kernel")
  app <- read_synthetic(target = "files", api = "POSIX", ppn = 2, xfer_bytes = 2^24, n = 6, experiment = "madbench",
    tool = "madbench", purpose = "application")
  app <- rbind(app, data.table::copy(app)[, access := paste0("update-", access)])
  kernel[, `:=`(bw_mib_s = 100 * (1 + 0.01 * iteration), suite = "nersc-ior", sync = TRUE)]
  app[, suite := "nersc-ior"]
  app[, total_s := moved_bytes / mib / (100 * (1 + 0.01 * iteration)) * factor]
  rbind(kernel, app)[, run := iteration]
}

test_that("an application is predicted by its kernel round by round, with its error and the worst case", {
  found <- predictions(predicted_world(2))
  expect_identical(sort(found$access), sort(names(phase_names)))
  expect_equal(found$mean, rep(0.5, 4))
  expect_equal(found$predicted_s / found$measured_s, rep(0.5, 4))
  expect_true(all(found$n == 6))
  expect_match(prediction_answer(predicted_world(2), list()), "madbench within a factor of 2.00. Worst", fixed = TRUE)
  expect_match(print_of("prediction", predicted_world(2)), "-50\\,\\%", fixed = TRUE, all = FALSE)
  expect_identical(nrow(predictions(read_synthetic())), 0L)
  expect_identical(study_answers(read_synthetic(), list())$AnswerPrediction, "")
  expect_match(prediction_answer(predicted_world(1.241)[, emulated := TRUE], list()),
    "factor of 1.25. Worst is .* on files \\(E\\):")
})

test_that("the kernel of an application has its stripes, its kind of calls and the nearest block, and is one cell", {
  world <- predicted_world(2)
  other <- function(column, value) {
    made <- data.table::copy(world[experiment == "kernel"])[, bw_mib_s := 10 * bw_mib_s]
    data.table::set(made, j = column, value = value)
  }
  expect_equal(predictions(rbind(world, other("block_bytes", 2^34)))$mean, rep(0.5, 4))
  expect_equal(predictions(rbind(world, other("collective", TRUE)))$mean, rep(0.5, 4))
  striped <- data.table::copy(world)[, stripe_count := 4]
  far <- data.table::copy(striped)[experiment == "kernel", block_bytes := 2^34]
  expect_equal(predictions(rbind(far, other("stripe_count", 1)))$mean, rep(0.5, 4))
  expect_identical(nrow(predictions(rbind(world[experiment != "kernel"], other("collective", TRUE)))), 0L)
})

test_that("predictions of several numbers of nodes and processes stand apart in figure and table", {
  world <- rbind(predicted_world(2), predicted_world(3)[, nn := 2])
  part <- load_part("figure", "prediction", home)
  drawn <- part$make_table(world, list())
  expect_identical(levels(part$make_figure(drawn)$data$panel), c("files\n1\u00d72", "files\n2\u00d72"))
  rows <- print_of("prediction", world)
  expect_match(rows, "$1\\times2$", fixed = TRUE, all = FALSE)
  expect_match(rows, "$2\\times2$", fixed = TRUE, all = FALSE)
  expect_match(print_of("prediction", world[run == 0]), "no values: interval", fixed = TRUE, all = FALSE)
})

test_that("numbers of two stacks are not pooled, and stand beside each other by name", {
  skip_if_quick()
  slow <- function(records, factor = 3) {
    again <- data.table::copy(records)[, stack := "spack"]
    for (column in c("io_s", "total_s")) data.table::set(again, j = column, value = factor * again[[column]])
    rbind(data.table::copy(records)[, stack := "debian"], again[, bw_mib_s := bw_mib_s / factor])
  }
  names <- c("files (debian)", "files (spack)")
  costs <- layer_costs(slow(layers_world()))[api == "HDF5" & access == "read" & cost == "operation_us"]
  expect_identical(costs$target, names)
  expect_equal(costs$added, c(20, 60))
  hints <- hint_effects(rbind(slow(hints_world()), hints_world()[!grepl("romio", label)][, `:=`(stack = "other",
    bw_mib_s = 1e6)]))
  expect_setequal(hints$target, names)
  operations <- read_synthetic(xfer_bytes = 2^14, tool = "io-model", purpose = "latency", target = "files",
    experiment = "operations", label = "read cached seq", cell = "c", lat_p50_us = 5)
  for (of in list(c("figure", "operations"), c("table", "client-counters"))) {
    expect_setequal(load_part(of[1], of[2], home)$make_table(slow(operations), list())$target, names)
  }
  expect_equal(hints$mean, rep(2, 4))
  shares <- shares_of_best(slow(defaults_world()))
  expect_equal(shares[ppn == 2]$harmonic, rep(1, 4))
  expect_match(default_answer(slow(defaults_world()), list()), "files (spack) 2 processes", fixed = TRUE)
  by_nodes <- load_part("figure", "settings-by-nodes", home)$make_table(slow(defaults_world()), list())
  expect_setequal(by_nodes$page, c(outer(names, c(", write, POSIX", ", read, POSIX"), paste0)))
  expect_equal(by_nodes[, max(share), by = page]$V1, rep(1, 4))
  predicted <- predictions(slow(predicted_world(2)))
  expect_setequal(predicted$target, names)
  expect_equal(predicted$mean, rep(0.5, 8))
  accepted <- read_synthetic(target = "files", experiment = "acceptance", bw_mib_s = 300)
  accepted <- load_part("table", "acceptance", home)$make_table(slow(accepted), list())
  expect_equal(sort(unique(accepted[, paste(target, median)])), paste(names, c(300, 100)))
  sizes <- slow(load_world("nersc-ior")$holds[experiment %in% "file-size"])
  expect_setequal(load_part("figure", "file-size", home)$make_table(sizes, list())$target, names)
})

test_that("the dashed line of a file size is of the same cell but for size and caches", {
  cached <- load_world("nersc-ior")$holds[experiment %in% "file-size"]
  dropped <- read_synthetic(target = "files", api = "POSIX", ppn = 2, xfer_bytes = 2^20, n = 6, experiment = "scaling",
    bw_mib_s = 100)
  other <- rbind(data.table::copy(dropped)[, api := "MPIIO"], data.table::copy(dropped)[, xfer_bytes := 2^14],
    data.table::copy(dropped)[, suite := "another"])[, bw_mib_s := 900]
  part <- load_part("figure", "file-size", home)
  table <- part$make_table(rbind(cached, dropped, other, fill = TRUE), list())
  expect_equal(unique(table$storage_mib_s), 100)
  dropped[, verdict := "DEGRADED"]
  for (rows in list(other, dropped)) {
    expect_true(all(is.na(part$make_table(rbind(cached, rows, fill = TRUE), list())$storage_mib_s)))
  }
})

settings_world <- function() {
  data.table::rbindlist(lapply(c(1, 4), function(stripes) {
    read_synthetic(nn = c(1, 2), ppn = c(1, 4), stripe_count = stripes, suite = "mistral", experiment = "defaults")
  }))
}

test_that("tiles explain their marks", {
  skip_if_quick()
  words_of <- function(...) tile_words(data.table::data.table(verdict = c(...)))
  expect_identical(words_of("VALID", "INVALID"), "2 cells, none unproven or degraded.")
  expect_identical(words_of("VALID", "DEGRADED"), "Of 2 cells, 1 is degraded (\u2020).")
  unproven <- settings_world()[ppn == 1, verdict := "UNPROVEN"]
  # A situation has degraded settings where it has no others.
  worlds <- list("best-settings" = data.table::copy(unproven)[access == "read", verdict := "DEGRADED"],
    "settings-by-nodes" = unproven[nn == 2, verdict := "DEGRADED"])
  for (name in names(worlds)) {
    records <- worlds[[name]]
    part <- load_part("figure", name, home)
    table <- part$make_table(records, list())
    words <- provenance_words(table, part)
    expect_match(words, sprintf("Of %d cells, %d are unproven (\u00b0), %d degraded (\u2020).", nrow(table),
      nrow(table) / 4, nrow(table) / 2), fixed = TRUE)
    expect_no_match(words, "white centre|Hollow")
    labels <- ggplot2::layer_data(part$make_figure(split_pages(table)[[1]]), 2)$label
    expect_true(any(grepl("\u00b0", labels)) && any(grepl("\u2020", labels)))
  }
  part <- load_part("figure", "size-interface", home)
  records <- read_synthetic(api = c("POSIX", "MPIIO"), xfer_bytes = 2^c(14, 20), verdict = "UNPROVEN")
  table <- part$make_table(records, list())
  expect_match(provenance_words(table, part), "All 8 cells are unproven.", fixed = TRUE)
  expect_no_match(ggplot2::layer_data(part$make_figure(table), 2)$label, "\u00b0")
})

test_that("the number on a dark tile is white, also if all tiles are dark", {
  part <- load_part("figure", "best-settings", home)
  table <- part$make_table(settings_world()[, bw_mib_s := 100], list())
  expect_identical(unique(ggplot2::layer_data(part$make_figure(table), 2)$colour), "white")
})

test_that("the figures of these studies are drawn from records of such a study, and from nothing else", {
  skip_if_quick()
  settings <- settings_world()
  operations <- read_synthetic(
    xfer_bytes = 2^c(12, 16), tool = "io-model", purpose = "latency", suite = "mistral", experiment = "operations",
    lat_p50_us = 50, label = "write+read discarded sequential"
  )
  worlds <- list(
    prediction = predicted_world(2), hints = hints_world(),
    "file-size" = load_world("nersc-ior")$holds[experiment %in% "file-size"],
    "best-settings" = settings, "settings-by-nodes" = settings, operations = operations, layers = layers_world(),
    "io500-radar" = rbind(io500_example(), io500_example()[, target := "other"]),
    "io500-submissions" = io500_example(301)
  )
  for (name in names(worlds)) {
    part <- load_part("figure", name, home)
    inputs <- list(submissions = submissions_file)
    stem <- scratch(name)
    write_figure(part, worlds[[name]], inputs, stem)
    expect_true(file.size(paste0(stem, ".pdf")) > 1000, info = name)
    expect_match(readLines(paste0(stem, ".tex")), paste0("{", name, "}"), fixed = TRUE, all = FALSE)
    expect_identical(why_nothing(part, part$make_table(read_synthetic(), list()), read_synthetic()), part$if_empty,
      info = name)
  }
})
