# Forms of publications: drawn where the study repeats one that has the form, or its sidecar names the form.

facts_with <- function(...) {
  list(facts = facts_file(about = list(title = "T", site = "s", ...)))
}
repeating <- function(name) facts_with(publications = I(name))
form <- function(name, kind = "figure") load_part(kind, name, home)
nersc_lustre <- function(...) {
  with_cells(read_synthetic(nn = c(1, 2, 8), ppn = c(1, 4, 8), xfer_bytes = c(2^14, 2^20, 2^24), ...))
}

test_that("a form is drawn for its publication and for the sidecar that names it, and for nobody else", {
  records <- nersc_lustre()
  part <- form("curves-processes")
  expect_identical(nrow(part$make_table(records, list())), 0L)
  expect_identical(nrow(part$make_table(records, repeating("io500"))), 0L)
  expect_gt(nrow(part$make_table(records, repeating("nersc-ior"))), 0)
  named <- facts_with(forms = list("nersc-ior" = I("figure curves-processes")))
  expect_gt(nrow(part$make_table(records, named)), 0)
  expect_identical(nrow(form("curves-layouts")$make_table(records, named)), 0L)
  stem <- scratch("none")
  write_figure(part, records, list(), stem)
  expect_match(readLines(paste0(stem, ".tex")), "^% nothing to list: no publication", all = FALSE)
  expect_error(part$make_table(records, facts_with(forms = list(nobody = I("figure curves-processes")))),
    "'nobody' is none of reference/publications")
})

test_that("of a publication whose forms alone are wanted the map has these rows, and the report none of its claims", {
  facts <- list(about = list(publications = list("io500"), forms = list(mistral = list("figure single-process"))))
  map <- publication_map(read_synthetic(), facts, home)
  expect_identical(map[whole == FALSE]$item, "Figures: throughput")
  expect_identical(map[whole == FALSE]$instead, "")
  expect_identical(publications_of(facts, home), "io500")
  print <- form("publication", "table")$make_latex(map)
  expect_match(print, "Of the last talks only what", fixed = TRUE, all = FALSE)
})

test_that("what an archive cannot show although it has such records has the reason of the publication", {
  facts <- list(about = list(publications = list("mistral")))
  map <- publication_map(read_synthetic(), facts, home)
  print <- form("publication", "table")$make_latex(map)
  expect_match(print, "partorreason{table}{best-runs}{}{not here: the slide is a picture", fixed = TRUE, all = FALSE)
  measured <- publication_map(read_synthetic(), list(suites = list(list(suite = "mistral"))), home)
  expect_identical(measured[part == "table best-runs"]$reason, too_few_records)
})

test_that("every part of a sidecar's forms is one of that publication", {
  for (path in list.files(file.path(checkout, "reference"), pattern = "[.]yaml$", full.names = TRUE)) {
    forms <- yaml::read_yaml(path)$about$forms
    for (name in names(forms)) {
      expect_true(all(unlist(forms[[name]]) %in% read_publication(name, home)$part), info = paste(path, name))
    }
  }
})

test_that("along the processes a node is filled before the next one is taken", {
  table <- form("curves-processes")$make_table(nersc_lustre(), repeating("nersc-ior"))
  expect_setequal(table$tasks, c(1, 4, 8, 16, 64))
  expect_identical(unique(table$xfer_bytes), 2^24)
})

test_that("transfer sizes are those of eight processes, on the fewest nodes and on the most", {
  table <- form("curves-transfer-size")$make_table(nersc_lustre(), repeating("nersc-ior"))
  expect_identical(unique(table$nn * table$ppn), 8)
  expect_setequal(table$nn, c(1, 8))
  expect_setequal(table$xfer_bytes, c(2^14, 2^20, 2^24))
  fewer <- form("curves-transfer-size")$make_table(nersc_lustre()[xfer_bytes < 2^24], repeating("nersc-ior"))
  expect_identical(nrow(fewer), 0L)
})

test_that("a shared file stands beside a file per process of the same interface, and of no other", {
  part <- form("curves-layouts")
  both <- part$make_table(nersc_lustre(layout = c("shared", "file-per-process")), repeating("nersc-ior"))
  expect_setequal(both$layout, c("shared", "file-per-process"))
  apart <- rbind(
    nersc_lustre(layout = "shared", api = "MPIIO"), nersc_lustre(layout = "file-per-process", api = "POSIX")
  )
  expect_identical(nrow(part$make_table(apart, repeating("nersc-ior"))), 0L)
})

test_that("programs with records have a panel, and the caption names those without once", {
  skip_if_quick()
  part <- form("program-comparison")
  panels_of <- function(table) ggplot2::ggplot_build(draw_page(table, part))$layout$layout
  records <- with_cells(read_synthetic(api = "MPIIO", order = "random", nn = c(1, 2, 4), xfer_bytes = 2^c(14, 20)))
  table <- part$make_table(records, repeating("netcdf-slides"))
  expect_setequal(as.character(panels_of(table)$titled), c("IOR, random, write", "IOR, random, read"))
  told <- finding_of(part, table)
  expect_match(told, "no NetCDF-Bench and no IOR in sequential order", fixed = TRUE)
  expect_length(layers_of(draw_page(table, part), "GeomText"), 0)
  measured <- part$make_table(netcdf_study(), repeating("netcdf-slides"))
  expect_setequal(measured$program_of, c("NetCDF-Bench, NetCDF-4", "IOR, sequential", "IOR, random"))
  expect_null(finding_of(part, measured))
  expect_setequal(as.character(panels_of(measured)$column), as.character(unique(measured$program_of)))
  expect_lt(part$height_mm(table), part$height_mm(measured))
})

test_that("the throughput of a single process has a line for each order, and is of one process alone", {
  records <- with_cells(read_synthetic(
    order = c("sequential", "random", "reverse"), ppn = c(1, 2), xfer_bytes = 2^c(10, 14, 20)
  ))
  part <- form("single-process")
  table <- part$make_table(records, repeating("mistral"))
  expect_setequal(table$order, c("sequential", "random", "reverse"))
  expect_identical(table[n > 0, .N], 18L)
  expect_gt(length(laid_out(list(draw_page(table, part)))), 0)
})

test_that("the best settings for read are listed run by run in the order of the runs, with their means", {
  records <- with_cells(read_synthetic(nn = c(1, 2), ppn = c(1, 4), n = 4))
  records[, bw_mib_s := ifelse(access == "read", 1000, 100) * ppn + iteration]
  part <- form("best-runs", "table")
  table <- part$make_table(records, repeating("mistral"))
  expect_identical(table$ppn, c(4, 4))
  expect_equal(unlist(table[nn == 2, .(r1, r2, r3, w1)], use.names = FALSE), c(4000, 4001, 4002, 400))
  expect_equal(table[nn == 2]$mean_r, mean(4000:4003))
  expect_equal(table[nn == 2]$read_node, mean(4000:4003) / 2)
  expect_identical(nrow(part$make_table(records[iteration == 0], repeating("mistral"))), 0L)
  cached <- data.table::copy(records)[iteration == 0 & access == "read", `:=`(verdict = "DEGRADED", bw_mib_s = 1e6)]
  expect_equal(part$make_table(cached, repeating("mistral"))[nn == 2, c(r1, mean_r)], c(4001, 4002))
  expect_match(part$make_latex(table), "^400 & 401 & 402 & 4,000 & 4,000 & 4,000", all = FALSE)
})

test_that("no line of a note in a figure begins with a unit", {
  text <- paste(strrep("word ", 26), "Bars: 95 % t interval of 16 KiB in 30 s.")
  wrapped <- vapply(100:170, function(width) wrap_words(text, width), "")
  expect_no_match(wrapped, "\n(%|KiB|s)")
  expect_identical(unique(gsub("\n", " ", wrapped)), gsub(" +", " ", text))
})

test_that("the radar of published result sets has the file systems of the talk, and one storage is enough", {
  submissions <- list(submissions = submissions_file)
  part <- form("io500-radar-published")
  table <- part$make_table(io500_example(), submissions)
  kinds <- sub(" \\(.*", "", unique(table[own == FALSE]$series))
  expect_setequal(kinds, c("Lustre", "Spectrum Scale", "BeeGFS", "IME"))
  sets <- data.table::fread(submissions_file, na.strings = "")
  of_ime <- sets[grepl("IME", filesystem, fixed = TRUE)]
  expect_equal(table[grepl("^IME", series) & phase == "ior_hard_read"]$median, median(of_ime$ior_hard_read_gib_s))
  expect_equal(max(table$radius), 1)
  expect_identical(table[own == TRUE, .N], 12L)
  expect_identical(unique(table$note), "Not a valid IO500 score, and not ranked: example (shortened run).")
  expect_identical(nrow(part$make_table(read_synthetic(), submissions)), 0L)
})

test_that("the list of publications has each item once, with ours and its page as LaTeX numbered it, or a reason", {
  folder <- scratch("archive")
  dir.create(file.path(folder, "latex"), recursive = TRUE)
  write_synthetic(synthetic_records(suite = "mistral", n = 3), file.path(folder, "records.csv"))
  writeLines("{\"about\": {\"publications\": [\"mistral\"]}}", file.path(folder, "facts.json"))
  writeLines(c(
    "\\relax", "\\newlabel{tab:best-runs}{{4}{9}{Best}{table.4}{}}", "\\newlabel{fig:ranking}{{1}{2}{a}{figure.1}{}}"
  ), file.path(folder, "latex", "report.aux"))
  list <- list_of_publications(folder, home)
  items <- lapply(publication_names(home), function(name) read_publication(name, home)[kind %in% mapped_kinds]$item)
  expect_identical(list$item, unlist(items))
  expect_identical(list[item == "Table: best settings"]$ours, "archive, Table 4, page 9")
  expect_identical(list[item == "Table: best settings"]$not_here, "")
  expect_true(all(nzchar(list$ours) | nzchar(list$not_here)))
  expect_identical(list[nzchar(ours), .N], 1L)
})
