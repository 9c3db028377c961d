known_figures <- lapply(setNames(nm = part_names("figure", home)), load_part, kind = "figure", home = home)
# Those of bandwidth; test-metadata.R looks at the others.
figures <- known_figures[setdiff(names(known_figures), "metadata-rates")]

# A study of one node like the suite `quick`, and one over nodes; synthetic both.
one_node <- function(...) {
  read_synthetic(api = c("POSIX", "MPIIO"), xfer_bytes = c(2^14, 102400, 2^20), order = c("sequential", "random"), ...)
}
many_nodes <- function(...) read_synthetic(nn = c(1, 2, 4), ppn = c(1, 2), xfer_bytes = c(2^14, 2^20), ...)

study_for <- function(of_figure, ...) {
  switch(of_figure,
    "netcdf-boxes" = netcdf_study(...), "netcdf-ior" = netcdf_study(...), "latency-density" = single_operations(...),
    repetitions = many_nodes(n = 6)[, cell := paste(nn, ppn, xfer_bytes)][], many_nodes(...)
  )
}
of_medians <- c("transfer-size", "read-write", "phase-shares", "scaling", "scaling-io", "netcdf-boxes", "netcdf-ior")

plot_of <- function(part, records) {
  draw_page(split_pages(part$make_table(records, inputs_for(records)))[[1]], part)
}

points_of <- function(plot) {
  is_point <- vapply(plot$layers, function(layer) inherits(layer$geom, "GeomPoint"), logical(1))
  ggplot2::layer_data(plot, which(is_point))
}

one_line <- function(text) gsub("\n", " ", text, fixed = TRUE)

written <- function(part, records) {
  stem <- scratch(part$name)
  write_figure(part, records, inputs_for(records), stem)
  files <- setNames(paste0(stem, c(".pdf", ".svg", ".csv", ".tex", ".rst")), c("pdf", "svg", "csv", "tex", "rst"))
  as.list(files)
}

test_that("every figure of the study is known, and each says what it needs and shows", {
  expect_setequal(names(figures), c(of_medians, "latency-density", "repetitions"))
  for (part in known_figures) {
    expect_match(part$caption, "[.]$")
    expect_type(part$needs, "character")
  }
})

test_that("every figure writes its files, and the table is what is drawn", {
  for (part in figures) {
    records <- study_for(part$name)
    files <- written(part, records)
    expect_true(all(file.size(unlist(files)) > 100), info = part$name)
    table <- part$make_table(records, inputs_for(records))
    expect_equal(data.table::fread(files$csv)$n, table$n, info = part$name)
    expect_identical(readBin(files$pdf, "raw", 5), charToRaw("%PDF-"))
    expect_match(readLines(files$tex), paste0("{", part$name, "}"), fixed = TRUE, all = FALSE)
    expect_match(readLines(files$rst), part$caption, fixed = TRUE, all = FALSE)
  }
})

test_that("every figure says n, interval and unit", {
  for (part in figures[of_medians]) {
    plot <- plot_of(part, study_for(part$name, n = 5))
    said <- one_line(plot$labels$caption)
    expect_match(said, "of n = 5[.]", info = part$name)
    expect_match(said, "95 % bootstrap interval of the median (n = 5 cannot cover", fixed = TRUE)
    names <- vapply(c("x", "y"), function(axis) {
      named <- plot$scales$get_scales(axis)$name
      if (is.character(named)) named else plot$labels[[axis]]
    }, "")
    expect_true(any(grepl("in MiB/s$|in %$", names)), info = part$name)
  }
})

test_that("bandwidths are drawn where the table says", {
  for (name in c("transfer-size", "scaling")) {
    records <- many_nodes()
    table <- figures[[name]]$make_table(records, list())
    expect_equal(sort(10^points_of(plot_of(figures[[name]], records))$y), sort(table$median))
  }
  expect_equal(table[access == "read" & nn == 2 & ppn == 1 & xfer_bytes == 2^20]$median,
    stats::median(records[access == "read" & nn == 2 & ppn == 1 & xfer_bytes == 2^20]$bw_mib_s)
  )
})

test_that("reads are drawn over the writes of the same configuration", {
  records <- one_node()
  table <- figures[["read-write"]]$make_table(records, list())
  drawn <- points_of(plot_of(figures[["read-write"]], records))
  expect_equal(sort(10^drawn$x), sort(table$write))
  expect_equal(sort(10^drawn$y), sort(table$read))
  cell <- records[api == "MPIIO" & order == "random" & xfer_bytes == 2^14]
  expect_equal(
    table[api == "MPIIO" & order == "random" & xfer_bytes == 2^14, c(write, read)],
    c(stats::median(cell[access == "write"]$bw_mib_s), stats::median(cell[access == "read"]$bw_mib_s))
  )
})

test_that("shares of a bar add up, and the border of the transfer is the ratio of the two bandwidths", {
  records <- read_synthetic(n = 1, open_s = 1, io_s = 6, close_s = 3, total_s = 10, bw_mib_s = 1.6, sync_s = 1.5)
  table <- figures[["phase-shares"]]$make_table(records, list())
  expect_equal(table[1, c(transfer, sync, open, close)], c(45, 15, 10, 30))
  expect_equal(table$median / 100, bandwidth_all(records) / bandwidth_io(records))
})

test_that("without a time of its own synchronisation is not told apart from the transfer", {
  records <- read_synthetic(n = 1, open_s = 1, io_s = 6, close_s = 3, sync_s = NA)
  expect_equal(figures[["phase-shares"]]$make_table(records, list())[1, c(transfer, sync)], c(60, 0))
})

test_that("degraded points are hollow, invalid records are counted and not drawn", {
  records <- one_node()
  records[access == "write" & api == "POSIX" & xfer_bytes == 2^20 & order == "random" & iteration == 1,
    verdict := "DEGRADED"]
  records[api == "MPIIO" & xfer_bytes == 2^14, verdict := "INVALID"]
  invalid <- sum(records$verdict == "INVALID")
  for (name in c("transfer-size", "read-write")) {
    plot <- plot_of(figures[[name]], records)
    expect_identical(sum(points_of(plot)$fill == "white", na.rm = TRUE), 1L)
    expect_match(one_line(plot$labels$caption), "Hollow: 1 point with degraded records[.]")
    expect_match(one_line(plot$labels$caption), sprintf("Not drawn: %d invalid records.", invalid), fixed = TRUE)
  }
  bars <- ggplot2::layer_data(plot_of(figures[["phase-shares"]], records), 1)
  expect_identical(sum(bars$fill == "white"), 4L)
})

test_that("a figure with emulated storage says so above everything, one without does not", {
  for (part in figures) {
    plain <- plot_of(part, study_for(part$name, target = "ime"))
    expect_null(plain$labels$title)
    records <- study_for(part$name, target = "ime")[, `:=`(emulated = TRUE, target = "ime")]
    expect_match(plot_of(part, records)$labels$title, "^EMULATED STORAGE, ime: these numbers say nothing")
  }
  records <- one_node(target = c("disk", "ime"))[target == "ime", emulated := TRUE]
  expect_match(plot_of(figures[["read-write"]], records)$labels$title, "STORAGE, ime:")
})

test_that("what is not there is said in words, in the picture and in print", {
  reason <- function(name, records) {
    table <- figures[[name]]$make_table(records, list())
    why_nothing(figures[[name]], table, records)
  }
  for (name in names(figures)) {
    expect_identical(reason(name, many_nodes()[, verdict := "INVALID"]), "no valid record: all 72 are invalid.")
    expect_identical(reason(name, many_nodes()[0]), "there are no records.")
    expect_match(reason(name, many_nodes()[, access := "stat"]), "no valid record for it; it needs ", info = name)
  }
  expect_match(reason("read-write", many_nodes(access = "read")), "it needs writes and reads of the same kind")
  expect_identical(
    reason("scaling", one_node()), "all records are of 1 node and 1 process per node; there is nothing to scale."
  )
  expect_null(reason("transfer-size", one_node(access = "read")))
  files <- written(figures$scaling, one_node())
  expect_identical(
    readLines(files$tex),
    "\\notshown{Scaling with nodes}{all records are of 1 node and 1 process per node; there is nothing to scale.}"
  )
  expect_match(readLines(files$rst), "there is nothing to scale", all = FALSE)
  expect_match(paste(readLines(files$svg), collapse = " "), "there is nothing")
})

test_that("reads alone, one size, one repetition are enough for what they can show", {
  records <- read_synthetic(access = "read", xfer_bytes = 2^20, n = 1)
  plot <- plot_of(figures[["transfer-size"]], records)
  expect_equal(10^points_of(plot)$y, records$bw_mib_s)
  expect_match(one_line(plot$labels$caption), "of n = 1[.] No intervals: they take n of at least 3[.]")
})

test_that("campaigns that measured the same are not mixed: each has its page and its caption", {
  records <- rbind(many_nodes(), many_nodes(access = "read")[, `:=`(experiment = "again", stonewall_s = 30)])
  records[, cell := paste(experiment, nn, ppn, xfer_bytes)]
  files <- written(figures$scaling, records)
  print <- readLines(files$tex)
  expect_match(print, "page=1,.*\\{scaling\\}", all = FALSE)
  expect_match(print, "page=2,.*\\{scaling\\}", all = FALSE)
  said <- "(2 of 2: synthetic, POSIX, shared file, sequential, read, stonewall 30 s)"
  expect_match(print, said, fixed = TRUE, all = FALSE)
  expect_match(print, "label{fig:scaling-2}", fixed = TRUE, all = FALSE)
})

test_that("the best repetition has a line of its own in the scaling", {
  plot <- plot_of(figures$scaling, many_nodes())
  lines <- which(vapply(plot$layers, function(layer) inherits(layer$geom, "GeomLine"), logical(1)))
  drawn <- lapply(lines, function(i) sort(10^ggplot2::layer_data(plot, i)$y))
  table <- figures$scaling$make_table(many_nodes(), list())
  expect_equal(drawn, list(sort(table$best), sort(table$median)))
})

test_that("on one node the scaling is that of its processes", {
  plot <- plot_of(figures$scaling, one_node(ppn = c(1, 2)))
  expect_identical(plot$scales$get_scales("x")$name, "Processes per node")
})

test_that("the second definition of the scaling divides by the time of the transfers", {
  records <- many_nodes()
  table <- figures[["scaling-io"]]$make_table(records, list())
  one <- records[access == "read" & nn == 2 & ppn == 1 & xfer_bytes == 2^20]
  expect_equal(
    table[access == "read" & nn == 2 & ppn == 1 & xfer_bytes == 2^20]$median, stats::median(bandwidth_io(one))
  )
})

test_that("boxes are quartiles of the records, on a linear and on a logarithmic page", {
  records <- netcdf_study(n = 5)
  table <- figures[["netcdf-boxes"]]$make_table(records, list())
  expect_setequal(table$axis, c("linear axis", "logarithmic axis"))
  box <- table[axis == "linear axis" & access == "read" & xfer_bytes == 2^14 & way == "collective, contiguous"]
  values <- records[tool == "netcdf-bench" & access == "read" & xfer_bytes == 2^14 & collective == TRUE]$bw_mib_s
  expect_equal(
    unlist(box[, .(least, quarter, median, three_quarters, most)], use.names = FALSE), unname(quantile(values))
  )
})

test_that("features of NetCDF are groups of their own, and beside other programs it stands without them", {
  records <- netcdf_study()
  pressed <- records[tool == "netcdf-bench" & collective == TRUE][, `:=`(deflate_level = 1, bw_mib_s = 1)]
  records <- rbind(records[, deflate_level := 0], pressed)
  table <- figures[["netcdf-boxes"]]$make_table(records, list())
  expect_identical(data.table::uniqueN(table$page), 2L)
  expect_equal(unique(table[feature == "deflate 1"]$median), 1)
  for (name in c("netcdf-ior", "phase-shares")) {
    table <- figures[[name]]$make_table(records, list())
    expect_true(all(table$median > 1), info = name)
    expect_match(table$note[1], "no compression", info = name)
  }
  ratios <- feature_ratios(records)
  expect_identical(ratios[column == "compression"]$choice, rep("compression", nrow(ratios[column == "compression"])))
  expect_lt(max(ratios[column == "compression"]$highest), 1)
})

test_that("shares are of the most processes, and the figure says so", {
  table <- figures[["phase-shares"]]$make_table(many_nodes(), list())
  expect_identical(c(unique(table$nn), unique(table$ppn)), c(4, 2))
  expect_match(table$note[1], "^Drawn: the most nodes and processes")
})

test_that("storage by different interfaces stands in one figure of densities", {
  records <- rbind(single_operations(target = "disk"), single_operations(target = "pool", api = "MPIIO"))
  records[, collective := ifelse(api == "MPIIO", FALSE, NA)]
  table <- figures[["latency-density"]]$make_table(records, inputs_for(records))
  expect_length(split_pages(table), 1)
  expect_setequal(table$storage, c("disk, POSIX", "pool, MPI-IO"))
})

test_that("a density is of all operations of its runs, and invalid runs have no part in it", {
  records <- single_operations()
  table <- figures[["latency-density"]]$make_table(records, inputs_for(records))
  expect_identical(unique(table$n), 300L)
  expect_equal(unique(table$median), 105)
  area <- table[1, sum(density[[1]]) * mean(diff(log10(lat_us[[1]])))]
  expect_equal(area, 1, tolerance = 0.02)
  records[iteration == 0, verdict := "INVALID"]
  table <- figures[["latency-density"]]$make_table(records, inputs_for(records))
  expect_identical(unique(table$n), 200L)
})

test_that("what repetitions buy is the expected width of the interval, and none where nothing varies", {
  widths <- figures$repetitions$expected_widths
  expect_equal(widths(rep(7, 6)), rep(0, length(figures$repetitions$counts)))
  values <- c(90, 95, 100, 105, 110)
  expect_lt(widths(values)[10], widths(values)[1])
  drawn <- with_seed(1, replicate(2000, {
    own <- median_interval(sample(values, 10, replace = TRUE))
    own$hi - own$lo
  }))
  expect_equal(widths(values)[figures$repetitions$counts == 10], mean(drawn), tolerance = 0.15)
})
