rates_figure <- load_part("figure", "metadata-rates", home)
rates_table <- load_part("table", "metadata", home)

# Two shapes of files, and directories; synthetic.
metadata_records <- function(...) {
  of <- function(item, directories, xfer_bytes, access) {
    rows <- synthetic_records(
      access = access, ppn = c(1, 2), xfer_bytes = xfer_bytes, item = item, directories = directories, layout = NA,
      order = "sequential", tool = "mdtest", purpose = "metadata", bw_mib_s = NA, moved_bytes = NA, ...
    )
    rows[, `:=`(ops = 1000, ops_s = 1000 * ppn + iteration * 10, lat_p50_us = 5, lat_p99_us = 50)]
    rows[, cell := paste(item, directories, xfer_bytes, ppn)]
  }
  rows <- rbind(
    of("file", "own", 0, c("create", "stat", "read", "remove")),
    of("file", "shared", 3901, c("create", "stat", "read", "remove")),
    of("directory", "own", 0, c("create", "stat", "rename", "remove"))
  )
  read_records(write_synthetic(rows))
}

plot_page <- function(records, number = 1) {
  draw_page(split_pages(rates_figure$make_table(records, list()))[[number]], rates_figure)
}

test_that("rates are drawn where the table says, files and directories apart", {
  skip_if_quick()
  records <- metadata_records(n = 5)
  table <- rates_figure$make_table(records, list())
  expect_setequal(unique(table$shape), c("own directory, empty", "shared directory, 3901 B", "own directory"))
  pages <- split_pages(table)
  expect_length(pages, 2)
  plot <- plot_page(records)
  expect_equal(sort(10^filled_points(plot)$y), sort(pages[[1]]$median))
  expect_identical(unique(pages[[1]]$n), 5L)
  expect_match(gsub("\n", " ", plot$labels$caption), "n = 5 runs[.]")
  expect_match(plot$scales$get_scales("y")$name, "op/s$")
  expect_equal(table[kind == "files" & ppn == 2 & access == "stat"]$median, c(2020, 2020))
})

test_that("sizes of files are ordered by their bytes, and a 99th percentile has a hundred operations", {
  records <- metadata_records()[item == "file"][, xfer_bytes := ifelse(directories == "own", 2^16, 2^20)]
  records[, directories := "own"]
  sizes <- c("own directory, 64 KiB", "own directory, 1 MiB")
  expect_identical(unique(metadata_points(records)[access == "stat"]$shape), sizes)
  drawn <- rates_figure$make_figure(rates_figure$make_table(records, list()))$data
  expect_identical(levels(drawn$shape), sizes)
  expect_true(all(metadata_points(records)$p99_us == 50))
  expect_true(all(is.na(metadata_points(records[, ops := 99])$p99_us)))
})

test_that("reads of metadata are no bandwidths, and bandwidths no metadata", {
  records <- metadata_records()
  expect_identical(nrow(transfers_of(records)), 0L)
  expect_identical(nrow(bandwidth_points(records)), 0L)
  plain <- read_synthetic()
  expect_identical(why_nothing(rates_figure, data.table(), plain), "no record is of files or directories as such.")
  both <- rbind(records, plain)
  expect_identical(nrow(transfers_of(both)), nrow(plain))
  expect_identical(nrow(metadata_points(both)), nrow(metadata_points(records)))
})

test_that("every part copes with records that have no bandwidth", {
  records <- metadata_records()
  for (name in setdiff(part_names("figure", home), "metadata-rates")) {
    part <- load_part("figure", name, home)
    expect_type(why_nothing(part, part$make_table(records, list()), records), "character")
  }
  for (name in c("best", "effects", "summary")) {
    part <- load_part("table", name, home)
    expect_type(why_nothing(part, part$make_table(records, list()), records), "character")
  }
})

test_that("a search is told by its label, from the number of files on", {
  records <- metadata_records()[access == "stat" & item == "file"]
  records[, `:=`(access = "find", directories = NA, label = "memory debian 1x2 2000 files 3901B *1* names-only")]
  points <- metadata_points(records)
  expect_identical(unique(points$shape), "2000 files 3901B *1* names-only")
  expect_identical(unique(points$kind), "search")
})

test_that("rates of unknown tasks stand in print beside those of the most", {
  skip_if_quick()
  records <- metadata_records()[, `:=`(nn = NA, ppn = NA)]
  of <- function(records) sum(grepl("1,0[0-9]0|2,0[0-9]0", rates_table$make_latex(metadata_points(records))))
  expect_identical(of(records), nrow(metadata_points(records)))
  both <- rbind(data.table::copy(records)[item == "directory"], metadata_records()[item == "directory"])
  most <- metadata_points(metadata_records()[item == "directory" & ppn == 2])
  expect_identical(of(both), nrow(metadata_points(records[item == "directory"])) + nrow(most))
})

test_that("invalid rates are counted and not drawn, emulated ones are marked", {
  records <- metadata_records()
  records[access == "create" & item == "file", verdict := "INVALID"]
  records[, emulated := TRUE]
  plot <- plot_page(records)
  expect_match(gsub("\n", " ", plot$labels$caption), "Not drawn: 12 invalid records.", fixed = TRUE)
  expect_match(gsub("\n", " ", plot$labels$caption), "(E): emulated storage", fixed = TRUE)
  lines <- rates_table$make_latex(rates_table$make_table(records, list()))
  expect_match(paste(lines, collapse = "\n"), "EMULATED")
  expect_no_match(paste(lines, collapse = "\n"), "\ncreate & own directory, empty")
})

test_that("what is not valid is marked in print, and degraded rates are the best where there are no others", {
  records <- metadata_records()[access == "create" & item == "file"]
  records[, verdict := ifelse(directories == "own", "DEGRADED", "UNPROVEN")][verdict == "DEGRADED", ops_s := 1e6]
  print <- rates_table$make_latex(rates_table$make_table(records, list()))
  expect_match(print, "own directory, empty .* 1M\\\\rlap\\{[$]\\^\\\\dagger", all = FALSE)
  expect_match(print, "shared directory, .* 2,010\\\\rlap\\{[$]\\^\\\\circ", all = FALSE)
  text <- function(records) unlist(best_numbers(bandwidth_points(records), metadata_points(records)))
  expect_match(text(records), "2,010~op/s for create")
  expect_match(text(records[verdict == "DEGRADED"]), "1,000,000~op/s for create [(](synthetic, )?degraded")
})

test_that("of a study of metadata alone the prose gives rates", {
  text <- best_numbers(bandwidth_points(metadata_records()), metadata_points(metadata_records()))$BestInShort
  expect_match(text, "2,010~op/s for create \\(synthetic\\), 2,010~op/s for stat \\(synthetic\\), .*[.]$")
  expect_match(best_rates(metadata_points(metadata_records()[0]))$BestInShort, "^No record can be used")
})
