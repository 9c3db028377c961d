# How values stand in the cells of LaTeX tables.

dash <- function(values) ifelse(is.na(values), "--", as.character(values))

interval_cell <- function(lo, hi, words = rate_words) {
  ifelse(is.na(lo), "--", paste0(words(lo), "--", words(hi)))
}

short_layout <- function(layout) in_words(layout, c(shared = "shared", "file-per-process" = "per process"))

# Nodes and processes per node.
shape_cell <- function(nn, ppn) sprintf("$%s\\times%s$", dash(nn), dash(ppn))

# The sections of a publication where something stands.
section_signs <- function(where) gsub("Sect. ", "\\S", escape_latex(where), fixed = TRUE)

# Target and access head the rows that they belong to; what else tells points apart stands beside them.
access_groups <- function(table) {
  heads <- paste0(target_cell(table$target, table$emulated), ", ", latex_name(table$access))
  variant <- if (is.null(table$variant)) "" else table$variant
  paste0(heads, ifelse(nzchar(variant), paste0("; ", latex_name(variant)), ""))
}

target_cell <- function(target, emulated) {
  paste0(latex_name(dash(target)), ifelse(emulated, " \\textbf{(EMULATED)}", ""))
}

shorten <- function(text, most) {
  ifelse(nchar(text) > most, paste0(substr(text, 1, most - 3), "..."), text)
}

factor_words <- function(ratios) paste0("$\\times$", two_digits(ratios))

# Beside a median that is not of valid records alone.
verdict_signs_in_print <- c(DEGRADED = "$^\\dagger$", UNPROVEN = "$^\\circ$")
verdict_sign <- function(verdict) {
  sign <- verdict_signs_in_print[verdict]
  ifelse(is.na(sign), "", sign)
}

# In a column the digits of all rows stand below each other.
verdict_mark <- function(verdict) {
  sign <- verdict_sign(verdict)
  ifelse(nzchar(sign), sprintf("\\rlap{%s}", sign), "")
}
