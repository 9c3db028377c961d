test_that("every sign is printed: a command of LaTeX, two that would be one, one that the fonts lack, a bracket", {
  printed <- c(
    "50% & #2 a_b $5 {z}" = "50\\% \\& \\#2 a\\_b \\$5 \\{z\\}",
    "\\input~^" = "\\textbackslash{}input\\textasciitilde{}\\textasciicircum{}", "a\tb\nc" = "a b c",
    "--mca" = "-{}-mca", "''" = "'{}'", "`x` ended" = "\\textasciigrave{}x\\textasciigrave{} ended",
    "\u76ee \u00fc \u00d7" = "{[}U+76EE{]} \u00fc \u00d7", "[2 mm] disk" = "{[}2 mm{]} disk", "* disk" = "{*} disk"
  )
  expect_equal(escape_latex(names(printed)), unname(printed))
})

test_that("no line begins with the unit of its number, nor with that of an interval", {
  path <- tempfile(fileext = ".tex")
  write_latex(c(escape_latex("300 s or longer, [1, 2] MiB/s: 5 % of 2 GiB"), "3 \u00b5s & 4 sizes, 2 hosts"), path)
  expect_equal(readLines(path, encoding = "UTF-8"), c(
    "300~s or longer, {[}1, 2{]}~MiB/s: 5~\\% of 2~GiB", "3~\u00b5s & 4 sizes, 2 hosts"
  ))
})

test_that("long names may break after a sign and within a long word, short ones do not", {
  expect_equal(latex_name("disk"), "disk")
  expect_equal(latex_name("a-rather_long-name"), "a-\\allowbreak{}rather\\_\\allowbreak{}long-\\allowbreak{}name")
  expect_match(latex_name(strrep("x", 40)), "^x{10}\\\\allowbreak")
  expect_equal(gsub("\\\\allowbreak\\{\\}", "", latex_name(strrep("x", 40))), strrep("x", 40))
  # Each number that stands for a sign is eight letters wide.
  expect_equal(latex_name("\u76ee\u9304 a"), "{[}U+76EE{]}\\allowbreak{}{[}U+9304{]} a")
})

test_that("a short table floats, a long one breaks over pages and repeats its head", {
  cells <- data.table(a = as.character(1:3), b = "x")
  short <- latex_table("few", "Few rows", cells, c("l", "r"), c("a", "b"))
  expect_true(any(grepl("begin{table}", short, fixed = TRUE)))
  long <- latex_table("many", "Many rows", cells[rep(1:3, 40)], c("l", "r"), c("a", "b"))
  expect_true(any(grepl("begin{longtable}{@{}lr@{}}", long, fixed = TRUE)))
  expect_equal(sum(long == "a & b \\\\"), 2)
})

test_that("a column in which nothing is known is not printed, but named in the caption", {
  cells <- data.table(a = c("1", "--"), b = c(NA, "--"), c = "\u2013")
  lines <- latex_table("some", "Some", cells, c("l", "r", "p{2cm}"), c("a", "$b$", "c"))
  expect_true("\\begin{tabular}{@{}l@{}}" %in% lines)
  expect_true(all(c("a \\\\", "1 \\\\", "-- \\\\") %in% lines))
  expect_true(any(grepl("Some (not shown, as they have no values: $b$, c).", lines, fixed = TRUE)))
})

test_that("the marks of verdicts are explained in the caption, once where every value has the same", {
  caption_of <- function(verdict, ...) {
    cells <- data.table(a = "x", b = paste0(seq_along(verdict), verdict_mark(verdict)))
    paste(latex_table("some", "Some.", cells, c("l", "r"), c("a", "b"), ...), collapse = " ")
  }
  both <- caption_of(c("VALID", "UNPROVEN", "DEGRADED"))
  expect_match(both, "Some ($^\\dagger$: degraded; $^\\circ$: unproven).", fixed = TRUE)
  expect_match(both, "2\\rlap{$^\\circ$}", fixed = TRUE)
  same <- caption_of(c("UNPROVEN", "UNPROVEN"))
  expect_match(same, "Some (all unproven).", fixed = TRUE)
  expect_no_match(same, "circ", fixed = TRUE)
  expect_no_match(caption_of(c("VALID", "VALID")), "unproven|degraded")
  expect_match(caption_of(c("VALID", "VALID"), below = "pool 3$^\\circ$"), "Some ($^\\circ$: unproven).", fixed = TRUE)
})

test_that("columns of text are as wide as their rows need for the fewest lines, and fill the text", {
  long <- strrep("some part of a claim ", 8)
  cells <- data.table(claim = c(long, long), bound = "factor 1", nothing = NA, needed = c("two rounds", "--"))
  laid <- wrapped_columns(cells, least = c(20, 11, 30, 10))
  widths <- as.numeric(sub(".*p[{]([0-9.]+).*", "\\1", laid$columns))
  expect_equal(sum(widths[-3]), text_units - 2 * gap_units)
  expect_gt(widths[1], 70)
  lines <- function(width) max(lines_of_text(widths_of_words(cells$claim), width))
  expect_identical(laid$lines, rep(lines(widths[1]), 2))
  expect_lt(lines(widths[1]), lines((text_units - 2 * gap_units) / 3))
  expect_true(all(widths >= c(20, 11, 30, 10)))
})

test_that("of LaTeX the lines that a reader sees are counted", {
  expect_identical(visible_text("\\textbf{\\textcolor[HTML]{606060}{? undecided}}$^\\dagger$\\newline 0.91~(0.8 to 1)"),
    list(c("? undecided", "0.91 (0.8 to 1)")))
  expect_identical(visible_text("\\partorreason{figure}{scaling}{}{not here: too few}"), list("not here: too few"))
  expect_identical(lines_of_text(widths_of_words(c("one two\\newline three", "--", "")), 6), c(3, 1, 1))
  expect_identical(visible_text(""), list(""))
})

test_that("a group heads its rows once and stays with the first of them", {
  lines <- with_group_lines(c("1", "2", "3"), c("disk", "disk", "memory"), 2)
  expect_equal(lines[c(2, 3, 5)], c("1", "2", "3"))
  expect_match(lines[1], "multicolumn{2}{@{}l@{}}{\\itshape disk} \\\\*", fixed = TRUE)
  expect_match(lines[4], "^\\\\addlinespace")
})

test_that("the last rows of a long table stay on one page", {
  rows <- keep_last_together(sprintf("%d \\\\", 1:20))
  expect_equal(which(endsWith(rows, "\\\\*")), 13:19)
  expect_equal(keep_last_together("1 \\\\"), "1 \\\\")
})

test_that("a factor has as many digits just above one as below it", {
  # A clear effect of 1.04 [1.02, 1.06] was 1.0 (1.0 to 1.1).
  words <- factor_words(c(0.96, 1.04, 1.004, 0.997, 1, 1.12, 2.04, 47.1, 0.0123))
  expect_identical(words, paste0("$\\times$", c("0.96", "1.04", "1.004", "0.997", "1.0", "1.1", "2.0", "47", "0.012")))
})
