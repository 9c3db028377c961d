title <- "Effects of a setting, in numbers"
position <- 55
section <- "appendix"
needs <- "cells that differ in one setting only"
caption <- paste(
  "Effects of a setting as factors, with 95 % t intervals over the rounds in which both sides were measured (over",
  "the pairs of cells with fewer than three rounds); in brackets the lowest and highest pair. Bold: a clear effect",
  "of this campaign, with false discoveries held at 5 % over the table (a cell that was slow for all of its rounds",
  "looks the same; with a dagger its pairs of cells agree, so that one slow cell cannot be the reason)."
)
most_printed <- 40

make_table <- function(records, inputs) emulated_last(effects_of_settings(records, metric_of(inputs)))

make_latex <- function(table) {
  shown <- utils::head(table, most_printed)
  rows <- sub("[.]$", "", unproven_rows_words(shown))
  all_rows <- if (nrow(table) > nrow(shown)) sprintf("; all %d are in tables/effects.csv", nrow(table))
  more <- paste0(" ", rows, all_rows, ".")
  cells <- shown[, .(
    setting = latex_name(paste(setting, "instead of", instead_of)),
    "storage, access" = paste0(target_cell(target, emulated), ", ", latex_name(access)),
    factor = effect_cell(.SD), "pairs from" = sprintf("%s to %s", factor_words(lowest), factor_words(highest)),
    "pairs, $n$" = sprintf("%d, %d", pairs, rounds), "also differs" = latex_name(also_differs)
  )]
  latex_table(
    name, paste0(caption, more), cells,
    c(setting = wrapped_column(24), "storage, access" = wrapped_column(20), factor = wrapped_column(20),
      "pairs from" = wrapped_column(19), "also differs" = wrapped_column(11)),
    lines = rep(2, nrow(cells))
  )
}

effect_cell <- function(effects) {
  interval <- effect_interval(effects, factor_words)
  words <- paste0(factor_words(effects$ratio), ifelse(nzchar(interval), sprintf(" (%s)", interval), ""))
  marked <- paste0(sprintf("\\textbf{%s}", words), ifelse(effects$pairs_agree, "$^\\dagger$", ""))
  is_told <- !nzchar(interval) | (!effects$clear & is_too_wide(effects$lo, effects$hi))
  ifelse(effects$clear, marked, paste0(words, ifelse(is_told, "", ", unclear")))
}
