wishes <- c(variant = "page", access = "column", order = "column", target = "row", nn = "row", ppn = "row")

crossed <- function(...) {
  given <- utils::modifyList(
    list(variant = "", access = c("read", "write"), order = "sequential", target = "disk", nn = 1, ppn = 1), list(...)
  )
  do.call(data.table::CJ, c(given, list(xfer_bytes = c(2^14, 2^20))))[, n := 3L][]
}

pages_of <- function(table) data.table::uniqueN(table$page)

panels_of_pages <- function(placed) {
  vapply(split_pages(placed), function(page) row_count(page) * column_count(page), 1L)
}

test_that("what varies stands where it is wished, in the order of time", {
  placed <- place_panels(crossed(target = c("disk", "memory")), wishes)
  expect_identical(levels(placed$row), c("disk", "memory"))
  placed <- place_panels(crossed(order = c("random", "sequential")), wishes)
  expect_identical(levels(placed$column), c("write\nsequential", "write\nrandom", "read\nsequential", "read\nrandom"))
  expect_identical(pages_of(placed), 1L)
})

test_that("numbers are ordered as numbers, not as text", {
  placed <- place_panels(crossed(nn = c(16, 2, 8)), wishes)
  expect_identical(levels(placed$row), c("2 nodes", "8 nodes", "16 nodes"))
})

test_that("numbers within texts are ordered as numbers, and sizes by their bytes", {
  texts <- c("own, 1 MiB", "own, 64 KiB", "deflate 10", "deflate 2", "own, 512 B", NA)
  expect_identical(texts[order(by_size(texts))], texts[c(4, 3, 5, 2, 1, 6)])
  rows <- data.table::data.table(variant = c("ost10", "ost2"), target = "disk", access = "write")
  expect_identical(levels(words_in_order(rows, "variant")), c("ost2", "ost10"))
  expect_identical(in_access_order(rows, c("target", "variant"))$variant, c("ost2", "ost10"))
})

test_that("what fills more than a page moves until it fits, and nothing is lost", {
  table <- crossed(nn = c(1, 4, 16), order = c("random", "sequential"))
  placed <- place_panels(table, wishes)
  expect_identical(nrow(placed), nrow(table))
  expect_identical(sort(panels_of_pages(placed)), c(6L, 6L))
  expect_null(placed$note)
})

test_that("no page has more than six panels, whatever varies, with sheets and without", {
  for (flow in c(FALSE, TRUE)) {
    placed <- place_panels(crossed(order = c("a", "b"), target = letters[1:7], nn = c(1, 2)), wishes, flow = flow)
    expect_lte(max(panels_of_pages(placed)), 6L)
    expect_identical(nrow(placed), 112L)
  }
})

test_that("of a full study some numbers are drawn, the ends among them, and the note says which", {
  placed <- place_panels(crossed(nn = 1:10, ppn = 1:8), wishes)
  expect_lte(length(split_pages(placed)), most_pages)
  expect_lte(max(panels_of_pages(placed)), most_panels)
  expect_identical(range(placed$nn), c(1L, 10L))
  expect_identical(range(placed$ppn), c(1L, 8L))
  expect_match(placed$note[1], fixed = TRUE,
    "Of 1, 2, 3, 4, 5, 6, 7, 8 processes per node only 1, 8 are drawn; tables/summary.csv has the others."
  )
})

test_that("rows that flow fill sheets of about as many rows, in order and without loss", {
  table <- crossed(target = sprintf("t%02d", 1:15), access = "write")
  placed <- place_panels(table, wishes, most_rows = 8, flow = TRUE)
  sheets <- split_pages(placed)
  expect_identical(vapply(sheets, row_count, 1L), c(5L, 5L, 5L))
  rows <- unlist(lapply(sheets, function(sheet) as.character(unique(sort(sheet$row)))))
  expect_identical(rows, sort(unique(table$target)))
  expect_identical(sum(vapply(sheets, nrow, 1L)), nrow(table))
  expect_length(split_pages(place_panels(table[target < "t06"], wishes, most_rows = 6, flow = TRUE)), 1)
})

test_that("a variant has pages of its own, the fullest comes first, an empty one is not printed", {
  table <- rbind(
    crossed(variant = "trial"), crossed(variant = "all", nn = c(1, 2)), crossed(variant = "none")[, n := 0L]
  )
  pages <- split_pages(place_panels(table, wishes))
  expect_identical(vapply(pages, function(page) page$variant[1], ""), c("all", "trial"))
  expect_identical(constant_words(pages[[2]]), "disk, 1 node, 1 process per node, sequential, trial")
})

test_that("of hundreds of pages the fullest are drawn, and the note counts what is in the others", {
  table <- crossed(variant = sprintf("system %02d", 1:9), nn = 1)[variant == "system 03", xfer_bytes := xfer_bytes + 1]
  pages <- split_pages(place_panels(table, wishes))
  expect_length(pages, most_pages_of_figure)
  expect_identical(unique(unlist(lapply(pages, function(page) page$note))),
    "Not drawn: 12 points on 3 further selections; tables/summary.csv has them.")
  expect_false(any(grepl("Not drawn", unlist(lapply(pages[-1], function(page) page$note)))))
  remarked <- split_pages(place_panels(table, wishes)[, remark := "Not drawn: 2 points."])
  expect_match(remarked[[1]]$note[1], "Not drawn: 2 points.", fixed = TRUE)
  expect_no_match(provenance_words(remarked[[2]], list(statistic = "Points: medians")), "NA", fixed = TRUE)
  expect_false(any(grepl("2 points", unlist(lapply(remarked[-1], function(page) page$note)))))
  expect_length(split_pages(place_panels(table, wishes), page_limit_of(list(page_limit = 2L))), 2)
})

test_that("no rows stay no rows", {
  expect_identical(nrow(place_panels(crossed()[0], wishes)), 0L)
})

test_that("labels of an axis keep apart, the outer ones are there, and stay within the panel", {
  sizes <- c(2^14, 102400, 2^20, 10 * 2^20, 2^30)
  for (width_mm in c(17, 23, 50, 100)) {
    spaced <- spaced_labels(bytes_words(sizes), log2(sizes), width_mm)
    shown <- nzchar(spaced$labels)
    expect_true(all(shown[c(1, 5)]))
    reach <- diff(range(log2(sizes))) + spaced$expand[2] + spaced$expand[4]
    middle_mm <- (log2(sizes) - min(log2(sizes)) + spaced$expand[2]) / reach * width_mm
    half_mm <- nchar(spaced$labels) * mm_per_letter / 2
    left <- (middle_mm - half_mm)[shown]
    right <- (middle_mm + half_mm)[shown]
    expect_true(all(left[-1] > right[-sum(shown)]))
    # The first label of the next panel does not read on from the last of this one.
    expect_gte(left[1], 0.7)
    expect_lte(right[sum(shown)], width_mm - 0.7)
  }
  expect_identical(spaced_labels("1 MiB", 20, 20)$labels, "1 MiB")
})

test_that("a label that would leave its panel is not printed, if two others stay", {
  expect_identical(within_panel(10^(2:5), c(80, 1.01e5), 76, 0.07), 10^(2:4))
  expect_identical(within_panel(10^(2:5), c(20, 5e5), 76, 0.07), 10^(2:5))
  expect_identical(within_panel(c(100, 1e5), c(90, 1.1e5), 30, 0.07), c(100, 1e5))
})

test_that("a rate axis has two to five labels whatever its range", {
  for (limits in list(c(1, 1e5), c(30, 9000), c(700, 3500), c(5100, 5900), c(0.2, 7e6))) {
    breaks <- decade_breaks(limits)
    within <- sum(breaks >= limits[1] & breaks <= limits[2])
    expect_gte(within, 2)
    expect_lte(within, 5)
  }
})

test_that("titles take one line where there is room, else a line each", {
  expect_identical(fit_title("write\nrandom", 40), "write, random")
  expect_identical(fit_title("POSIX\nfile per process\nwrite", 25), "POSIX\nfile per process\nwrite")
  expect_identical(fit_title("a rather long name", 12), "a rather\nlong name")
})

test_that("pages of published values come last", {
  table <- data.table::data.table(page = c("a", "b", "b"), sheet = 1L, n = 1L, emulated = FALSE)
  expect_identical(split_pages(table)[[1]]$page[1], "b")
  pages <- split_pages(table[, published := page == "b"])
  expect_identical(pages[[1]]$page, "a")
  finding <- function(table) sprintf("Shown: %s.", table$page[1])
  floats <- float_lines(list(name = "n", title = "T", caption = "C.", finding = finding), pages, c(1, 1))
  expect_match(floats, "T (1 of 2). Shown: a. C.", fixed = TRUE, all = FALSE)
  expect_match(floats, "T (2 of 2). Shown: b.}", fixed = TRUE, all = FALSE)
})

test_that("a note of some rows is none of the others", {
  bound <- rbind(add_note(data.table::data.table(n = 1L), "One."), data.table::data.table(n = 2L), fill = TRUE)
  expect_identical(add_note(bound, "All.")$note, c("One. All.", "All."))
})

test_that("pages that only a setting of their panels tells apart have it in their words", {
  table <- data.table::data.table(target = "disk", nn = 1, ppn = 2, access = "read",
    program_of = rep(c("IOR MPI-IO, random", "IOR MPI-IO, sequential"), each = 2), xfer_bytes = c(2^14, 2^20), n = 3L,
    median = 1:4, verdict = "VALID", emulated = FALSE)
  pages <- split_pages(place_panels(table, c(program_of = "page")))
  words <- vapply(pages, constant_words, "")
  expect_length(words, 2)
  expect_setequal(sub(".*read, ", "", words), c("over IOR MPI-IO, random", "over IOR MPI-IO, sequential"))
})
