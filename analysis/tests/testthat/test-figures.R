test_that("every figure says what it needs and shows", {
  for (part in known_figures) {
    expect_match(part$caption, "[.]$")
    expect_true(is.character(part$needs) || is.character(part$if_empty), info = part$name)
  }
})

test_that("every figure writes its files, and the table is what is drawn", {
  skip_if_quick()
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

test_that("every figure says n, verdicts and the level of its intervals, or that the marks are runs", {
  for (part in figures[of_medians]) {
    few <- one_line(plot_of(part, study_for(part$name, n = 4))$labels$caption)
    expect_match(few, "n = 4 runs. Fewer than 6 runs: ", fixed = TRUE)
    expect_match(few, "points? valid[.]")
    many <- one_line(plot_of(part, study_for(part$name, n = 9))$labels$caption)
    expect_match(many, "n = 9 runs. Bars: [0-9]+ % interval of the median[.]")
  }
})

test_that("below six runs the runs are drawn and no interval", {
  records <- one_node(n = 4)
  plot <- plot_of(figures[["transfer-size"]], records)
  runs <- points_of(plot)
  expect_equal(sort(10^runs$y), sort(records$bw_mib_s))
  expect_identical(nrow(points_of(plot_of(figures[["transfer-size"]], one_node(n = 7)))), 0L)
})

test_that("where the text below a figure names small marks, each run has its mark, and nowhere else", {
  # The runs are the smallest points of all.
  marks_of <- function(plot) {
    sum(vapply(layers_of(plot, "GeomPoint"), function(drawn) if (all(drawn$size == 0.45)) nrow(drawn) else 0L, 1L))
  }
  told <- vapply(figures, function(part) {
    plot <- plot_of(part, study_for(part$name, n = 4))
    found <- grepl("small marks", one_line(plot$labels$caption), ignore.case = TRUE)
    expect_identical(found, marks_of(plot) > 0L, info = part$name)
    found
  }, TRUE)
  expect_setequal(names(figures)[told], c("netcdf", "netcdf-ior", "overhead", "ranking", "scaling", "transfer-size"))
})

test_that("beside IOR the small marks are the ratios of the rounds that both have", {
  records <- netcdf_study(n = 3)
  records <- records[!(tool == "ior" & iteration == 0)]
  table <- figures[["netcdf-ior"]]$make_table(records, list())
  expect_identical(unique(lengths(table$values)), 2L)
  row <- table[1]
  median_of <- function(found) setNames(found$bw_mib_s, found$iteration)
  found <- records[access == row$access & xfer_bytes == row$xfer_bytes]
  ours <- median_of(found[tool == "netcdf-bench" & way_of(found) == row$way])
  theirs <- median_of(found[tool == "ior" & paste0("IOR MPI-IO, ", order) == row$program_of])
  expect_equal(sort(unname(unlist(row$values))), sort(unname((ours[c("1", "2")] / theirs[c("1", "2")]))))
})

test_that("bandwidths are drawn where the table says", {
  for (name in c("transfer-size", "scaling")) {
    records <- study_for(name)
    table <- figures[[name]]$make_table(records, list())
    expect_equal(sort(10^filled_points(plot_of(figures[[name]], records))$y), sort(table$median))
  }
  expect_equal(table[access == "read" & nn == 2 & ppn == 1 & xfer_bytes == 2^20]$median,
    stats::median(records[access == "read" & nn == 2 & ppn == 1 & xfer_bytes == 2^20]$bw_mib_s)
  )
})

test_that("a line goes through three values and more", {
  expect_identical(nrow(layers_of(plot_of(figures[["transfer-size"]], one_node()), "GeomLine")[[1]]), 24L)
  expect_identical(nrow(figures[["transfer-size"]]$make_table(many_nodes(), list())), 0L)
})

test_that("lines have their names at their ends, apart from each other, where there is room; else a key", {
  draws_key <- function(plot) {
    # Without a device of its own it would open one that stays, on which other tests measure texts.
    grDevices::cairo_pdf(scratch("key.pdf"))
    on.exit(grDevices::dev.off())
    drawn <- ggplot2::ggplotGrob(plot)
    keys <- drawn$grobs[startsWith(drawn$layout$name, "guide-box")]
    !all(vapply(keys, inherits, logical(1), "zeroGrob"))
  }
  labels_of <- function(records) {
    plot <- plot_of(figures$scaling, records)
    list(rows = layers_of(plot, "GeomLabel")[[1]], key = draws_key(plot))
  }
  few <- labels_of(many_nodes(access = "write"))
  expect_setequal(few$rows$label, c("16 KiB", "1 MiB"))
  expect_false(few$key)
  expect_true(draws_key(plot_of(figures$scaling, many_nodes(access = "write")) + ggplot2::guides(colour = "legend")))
  apart <- tapply(few$rows$y, few$rows$PANEL, function(at) min(diff(sort(at))))
  expect_true(all(apart > 0))
  drawn <- figures$scaling$make_table(many_nodes(), list())[, label := bytes_words(xfer_bytes)]
  expect_null(labels_of_lines(drawn, "workers", "xfer_bytes", "label", 20, 30))
  expect_null(labels_of_lines(drawn, "workers", "xfer_bytes", "label", 60, 4))
  expect_null(labels_of_lines(drawn[xfer_bytes > 2^14 | nn < 4], "workers", "xfer_bytes", "label", 60, 30))
  expect_equal(kept_apart(c(3, 1, 1), 0.5, c(0, 10)), c(3, 0.75, 1.25))
  expect_equal(kept_apart(c(9.9, 9.9), 1, c(0, 10)), c(9, 10))
})

test_that("reads are drawn over the writes of the same configuration, where there are several nodes", {
  records <- many_nodes()
  table <- figures[["read-write"]]$make_table(records, list())
  drawn <- filled_points(plot_of(figures[["read-write"]], records))
  expect_equal(sort(10^drawn$x), sort(table$write))
  expect_equal(sort(10^drawn$y), sort(table$read))
  expect_match(why_nothing(figures[["read-write"]], table, one_node()), "one number of nodes")
})

test_that("the sentence of reads against writes counts pairs with two usable medians, of real storage", {
  part <- figures[["read-write"]]
  told <- function(records) finding_of(part, part$make_table(records, list()))
  records <- many_nodes()[, bw_mib_s := ifelse(access == "read", 200, 100)]
  expect_match(told(records), "in 12 of 12 configurations; in the median a read has 2.0 times")
  records[access == "read" & nn == 1, verdict := "INVALID"][access == "read" & nn == 2, verdict := "DEGRADED"]
  emulated <- many_nodes(target = "buffer")[, `:=`(emulated = TRUE, bw_mib_s = ifelse(access == "read", 1, 100))]
  expect_match(told(rbind(records, emulated)), "in 4 of 4 configurations; in the median a read has 2.0 times")
  expect_null(told(many_nodes(verdict = "DEGRADED")))
})

test_that("the key of a figure shows filled points and writes before reads, whatever is drawn hollow", {
  marks_of_key <- function(plot) {
    keys <- laid_out(list(plot))[[1]]$grobs
    keys <- keys[vapply(keys, function(grob) any(startsWith(grob$name, "guide-box")), TRUE)]
    found <- unlist(lapply(keys, marks_of), recursive = FALSE)
    Filter(function(mark) mark$pch %in% 21:25, found)
  }
  # With two kinds of time, as a key of one is not drawn.
  hollow <- many_nodes(verdict = "DEGRADED")[, sync_s := 0.01]
  for (name in c("effects", "read-write", "overhead")) {
    marks <- marks_of_key(plot_of(figures[[name]], if (name == "effects") many_nodes() else hollow))
    expect_true(length(marks) > 0 && all(vapply(marks, function(mark) is_coloured(mark$gp$fill), TRUE)), info = name)
  }
  key <- marks_of_key(plot_of(figures$effects, many_nodes()))
  expect_identical(toupper(substr(vapply(unname(key), function(mark) mark$gp$fill, ""), 1, 7)),
    toupper(looks_of("access", c("write", "read"))$colour))
})

test_that("degraded points are hollow, unproven ones have a white centre, invalid records are counted and not drawn", {
  records <- one_node()
  records[access == "write" & api == "POSIX" & xfer_bytes == 2^20 & order == "random", verdict := "DEGRADED"]
  records[access == "write" & api == "POSIX" & xfer_bytes == 2^20 & order == "sequential", verdict := "UNPROVEN"]
  records[api == "MPIIO" & xfer_bytes == 2^14, verdict := "INVALID"]
  invalid <- sum(records$verdict == "INVALID")
  plot <- plot_of(figures[["transfer-size"]], records)
  expect_identical(sum(filled_points(plot)$fill == "white", na.rm = TRUE), 1L)
  expect_identical(nrow(points_of(plot, 3)), 1L)
  text <- one_line(plot$labels$caption)
  expect_match(text, "18 points valid, 1 unproven (white centre).", fixed = TRUE)
  expect_match(text, "Hollow: 1 point of degraded records alone.", fixed = TRUE)
  expect_match(text, sprintf("Not drawn: %d invalid records.", invalid), fixed = TRUE)
})

test_that("points over several cells are counted", {
  shown <- data.table::data.table(cells = c(1, 2, 3))
  expect_identical(pooled_words(shown), "2 points are medians over several cells.")
  expect_identical(pooled_words(shown[1:2]), "1 point is a median over several cells.")
  expect_null(pooled_words(shown[1]))
})

test_that("emulated storage is marked where its name stands and named below; real storage stands first", {
  records <- one_node(target = c("a-buffer", "disk"))[target == "a-buffer", emulated := TRUE]
  table <- figures[["transfer-size"]]$make_table(records, list())
  expect_identical(levels(droplevels(table$row)), c("disk", "a-buffer (E)"))
  expect_match(one_line(plot_of(figures[["transfer-size"]], records)$labels$caption), "(E): emulated storage",
    fixed = TRUE)
  expect_no_match(one_line(plot_of(figures[["transfer-size"]], one_node())$labels$caption), "emulated")
})

test_that("what does not apply has no picture and says why in print", {
  reason <- function(name, records) {
    table <- figures[[name]]$make_table(records, list())
    why_nothing(figures[[name]], table, records)
  }
  for (name in names(figures)) {
    expect_identical(reason(name, many_nodes()[, verdict := "INVALID"]), "no valid record: all 72 are invalid.")
    expect_identical(reason(name, many_nodes()[1][, verdict := "INVALID"]), "no valid record: the only one is invalid.")
    expect_identical(reason(name, many_nodes()[0]), "there are no records.")
  }
  expect_identical(
    reason("scaling", one_node()), "all records are of 1 node and 1 process per node; there is nothing to scale."
  )
  expect_null(reason("transfer-size", one_node(access = "read")))
  expect_identical(reason("effects", one_node()[, verdict := "DEGRADED"]),
    "it needs cells that differ in one setting only, and no record is valid or unproven.")
  files <- written(figures$scaling, one_node())
  expect_identical(
    readLines(files$tex),
    "\\notshown{Scaling with nodes}{all records are of 1 node and 1 process per node; there is nothing to scale.}"
  )
  expect_match(readLines(files$rst), "there is nothing to scale", all = FALSE)
  expect_false(file.exists(files$svg))
})

test_that("reads alone of one run are enough for what they can show; two sizes show no line", {
  records <- read_synthetic(access = "read", xfer_bytes = c(2^14, 2^17, 2^20), n = 1)
  plot <- plot_of(figures[["transfer-size"]], records)
  expect_equal(sort(10^filled_points(plot)$y), sort(records$bw_mib_s))
  expect_identical(nrow(figures[["transfer-size"]]$make_table(records[xfer_bytes >= 2^17], list())), 0L)
})

test_that("campaigns that measured the same are not mixed: each has its page and its caption", {
  records <- rbind(many_nodes(), many_nodes(access = "read")[, `:=`(experiment = "again", stonewall_s = 30)])
  records[, cell := paste(experiment, nn, ppn, xfer_bytes)]
  files <- written(figures$scaling, records)
  print <- readLines(files$tex)
  expect_match(print, "page=1,.*\\{scaling\\}", all = FALSE)
  expect_match(print, "page=2,.*\\{scaling\\}", all = FALSE)
  text <- "(2 of 2: synthetic, POSIX, shared file, sequential, read, stonewall 30~s)"
  expect_match(print, text, fixed = TRUE, all = FALSE)
  expect_match(print, "label{fig:scaling-2}", fixed = TRUE, all = FALSE)
})

test_that("no line joins the nodes of two systems", {
  records <- rbind(many_nodes(site = "a"), with_cells(read_synthetic(nn = c(8, 16, 32), ppn = c(1, 2), site = "b")))
  table <- figures$scaling$make_table(records, list())
  expect_setequal(table$variant, c("a", "b"))
  expect_identical(table[, .(systems = data.table::uniqueN(variant)), by = page]$systems, c(1L, 1L))
})

test_that("nothing that is unknown, zero or beyond all bounds stops a study", {
  skip_if_quick()
  records <- many_nodes()
  broken <- rbind(
    data.table::copy(records)[, `:=`(nn = NA, ppn = NA, api = NA, target = "without", cell = paste("w", cell))],
    data.table::copy(records)[, `:=`(xfer_bytes = 0, target = "zero", cell = paste("z", cell))],
    data.table::copy(records)[, `:=`(bw_mib_s = 0, moved_bytes = 0, target = "still", cell = paste("s", cell))],
    data.table::copy(records)[, `:=`(total_s = 0, bw_mib_s = Inf, target = "instant", cell = paste("i", cell))]
  )
  broken[, cell := sprintf("c%03d", .GRP), by = cell]
  inputs <- list(facts = facts_file(about = list(title = "T", site = "s"), targets = list(), reasons = list()))
  folder <- scratch("parts")
  write_figures(known_figures, broken, inputs, folder)
  tables <- lapply(part_names("table"), load_part, kind = "table")
  write_tables(tables, broken, inputs, folder)
  printed <- unlist(lapply(list.files(folder, pattern = "[.]tex$", full.names = TRUE), readLines))
  expect_no_match(printed, "(^|[^A-Za-z])(NA|NaN|Inf)([^A-Za-z]|$)", perl = TRUE)
})

test_that("a caption begins with what real storage shows, where the figure has words for it", {
  part <- list(finding = function(table) sprintf("%d points of %s.", nrow(table), table$target[1]))
  table <- data.table::data.table(
    target = c("disk", "disk", "pool"), emulated = c(FALSE, FALSE, TRUE), n = c(1L, 0L, 1L)
  )
  expect_identical(finding_of(part, table), "1 points of disk.")
  expect_identical(finding_of(part, table[emulated == TRUE]), "1 points of pool.")
  expect_null(finding_of(list(), table))
})

test_that("each figure that has a finding states it of a study of its own", {
  for (part in Filter(function(part) !is.null(part$finding), figures)) {
    records <- study_for(part$name)
    expect_match(finding_of(part, part$make_table(records, inputs_for(records))), "[a-z0-9)][.]$", label = part$name)
  }
})

test_that("what is counted of real storage stands beside no page of emulated storage", {
  records <- rbind(many_nodes(target = "disk"), many_nodes(target = "buffer", emulated = TRUE))
  told <- function(records) {
    pages <- split_pages(figures[["read-write"]]$make_table(records, list()))
    vapply(pages, function(page) is.character(finding_of(figures[["read-write"]], page)), TRUE)
  }
  expect_identical(told(records), c(TRUE, FALSE))
  expect_identical(told(records[emulated == TRUE]), TRUE)
})
