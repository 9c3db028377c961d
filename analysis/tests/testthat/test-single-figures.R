# Figures with tests of their own numbers; what holds for all is in test-figures.R.

test_that("the overhead is what is no transfer, and synchronisation where the tool times it", {
  records <- read_synthetic(n = 1, open_s = 1, io_s = 6, close_s = 3, total_s = 10, bw_mib_s = 1.6, sync_s = 1.5)
  table <- figures$overhead$make_table(records, list())
  expect_equal(unique(table[phase == "open and close"]$median), 40)
  expect_equal(unique(table[phase == "synchronisation"]$median), 15)
  expect_identical(unique(figures$overhead$make_table(records[, sync_s := NA], list())$phase), "open and close")
  table <- figures$overhead$make_table(many_nodes(), list())
  expect_identical(c(unique(table$nn), unique(table$ppn)), c(4, 2))
})

test_that("shares of openings and of synchronisations that are alike do not stand on each other", {
  records <- read_synthetic(n = 1, open_s = 1, io_s = 8, close_s = 0, total_s = 10, bw_mib_s = 1.6, sync_s = 1)
  points <- filled_points(plot_of(figures$overhead, records[access == "write"]))
  expect_equal(points$x[1], points$x[2])
  expect_gt(abs(points$y[1] - points$y[2]), 0.2)
})

test_that("on one node the scaling is that of its processes", {
  plot <- plot_of(figures$scaling, one_node(ppn = c(1, 2, 4)))
  expect_identical(plot$scales$get_scales("x")$name, "Processes per node")
})

test_that("two numbers of processes are no scaling, and the ratio of the two is an effect", {
  records <- one_node(ppn = c(1, 2))
  expect_identical(why_nothing(figures$scaling, figures$scaling$make_table(records, list()), records),
    "all records are of 1 node and of 1 and 2 processes per node; a line needs three numbers of either.")
  expect_true("ppn" %in% effects_of_settings(records)$dimension)
})

test_that("storage with an interface of its own is on pages of its own where overhead is drawn", {
  records <- rbind(read_synthetic(target = "disk"), read_synthetic(target = "buffer", api = "IME"))
  table <- figures$overhead$make_table(with_cells(records), list())
  expect_identical(table[, .(targets = data.table::uniqueN(target)), by = page]$targets, c(1L, 1L))
  alike <- figures$overhead$make_table(with_cells(read_synthetic(target = c("a", "b"))), list())
  expect_identical(data.table::uniqueN(alike$page), 1L)
})

test_that("the ranking has the best point of each storage, access and interface, and what is expected of it", {
  records <- one_node(n = 4)
  table <- figures$ranking$make_table(records, list())
  expect_identical(nrow(table), 4L)
  for (i in seq_len(4)) {
    expect_equal(table$median[i], max(table$others[[i]]))
    expect_lte(table$expected[i], max(unlist(table$values[i])) * 1.0001)
  }
  cached <- records[access == "read"][xfer_bytes == min(xfer_bytes)]
  cached <- data.table::copy(cached)[, `:=`(bw_mib_s = 1e6, verdict = "DEGRADED", sync = FALSE)]
  beside <- figures$ranking$make_table(rbind(records, cached), list())
  expect_lt(max(unlist(beside$others)), 1e6)
})

test_that("the heat map has a share for each size and interface", {
  table <- figures[["size-interface"]]$make_table(one_node(), list())
  expect_identical(nrow(table), 12L)
  expect_equal(table[, max(share), by = access]$V1, c(1, 1))
})

test_that("sizes that read the same have columns of their own in the heat map", {
  records <- read_synthetic(api = c("POSIX", "MPIIO"), xfer_bytes = c(2^20, 1052672))
  tiles <- ggplot2::layer_data(plot_of(figures[["size-interface"]], records))
  expect_identical(length(unique(as.numeric(tiles$x))), 2L)
})

test_that("features of NetCDF are groups of their own, and beside IOR it stands without them", {
  records <- netcdf_study()
  pressed <- records[tool == "netcdf-bench" & collective == TRUE][, `:=`(deflate_level = 1, bw_mib_s = 1)]
  records <- rbind(records[, deflate_level := 0], pressed)
  table <- figures$netcdf$make_table(records, list())
  expect_equal(unique(table[feature == "deflate 1"]$median), 1)
  table <- figures[["netcdf-ior"]]$make_table(records, list())
  expect_true(all(table$median > 0.1))
  expect_match(table$note[1], "no compression")
})

test_that("collective and independent calls of IOR stand apart beside NetCDF-Bench, where both were measured", {
  records <- netcdf_study()
  both <- rbind(records, records[api == "MPIIO" & order == "sequential"][, `:=`(collective = TRUE, bw_mib_s = 1)])
  programs <- function(records) sort(unique(figures[["netcdf-ior"]]$make_table(records, list())$program_of))
  expect_identical(programs(records), c("IOR MPI-IO, random", "IOR MPI-IO, sequential"))
  expect_identical(programs(both), c("IOR MPI-IO, random", "IOR MPI-IO, sequential, collective",
    "IOR MPI-IO, sequential, independent"))
})

test_that("the tail of latencies is of all operations, without a row for each, and invalid runs have no part in it", {
  records <- single_operations()
  inputs <- inputs_for(records)
  table <- figures$latency$make_table(records, inputs)
  expect_equal(unique(table$operations), 300)
  expect_equal(unique(table$median), 100)
  expect_equal(table$beyond[[1]], c(0.5, 0.1, 0))
  many <- data.table::fread(inputs$latencies)[, count := count * 1e7]
  many[1, upper_us := 0]
  data.table::fwrite(many, inputs$latencies)
  expect_equal(figures$latency$make_table(records, inputs)[1]$operations, 3e9)
  records[iteration == 0, verdict := "INVALID"]
  expect_equal(unique(figures$latency$make_table(records, inputs)$operations), 2e9)
})

test_that("figures of single operations name storages whose reads were cached, and count degraded records", {
  records <- single_operations()[access == "read"][, fetched_bytes := 0]
  inputs <- inputs_for(records)
  for (name in c("density", "latency")) {
    note <- figures[[name]]$make_table(records, inputs)$note[1]
    expect_match(note, "Reads of synthetic were served from the page cache.", fixed = TRUE)
  }
  records[iteration == 0, verdict := "DEGRADED"]
  expect_match(figures$density$make_table(records, inputs)$note[1], "Not drawn: [0-9]+ degraded records?[.]")
})

test_that("storage by different interfaces stands in one figure of latencies", {
  records <- rbind(single_operations(target = "disk"), single_operations(target = "pool", api = "MPIIO"))
  records[, collective := ifelse(api == "MPIIO", FALSE, NA)]
  table <- figures$latency$make_table(records, inputs_for(records))
  expect_length(split_pages(table), 1)
  expect_setequal(table$storage, c("disk, POSIX", "pool, MPI-IO"))
})

test_that("the finding of the scaling is the growth of the best from the first number to the last", {
  table <- data.table::CJ(access = c("read", "write"), workers = c(1, 2, 4), xfer_bytes = 1:2)
  table[, `:=`(along = "nn", target = "disk", emulated = FALSE, verdict = "VALID", n = 1L, unit = "MiB/s",
    metric = "bandwidth")]
  table[, median := ifelse(access == "read", 100 * workers, 50) * xfer_bytes]
  expect_identical(scaling_words(table), paste(
    "In these panels, from 1 to 4 nodes, the best write goes from 100 to 100 MiB/s (\u00d71.0) and the best read goes",
    "from 200 to 800 MiB/s (\u00d74.0)."
  ))
  expect_null(scaling_words(rbind(table, data.table::copy(table)[, target := "memory"])))
})
