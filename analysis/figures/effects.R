title <- "Effects of a setting"
position <- 12
statistic <- "Points: mean ratio over pairs of cells that differ in one setting, compared within each round"
needs <- "cells that differ in one setting only"
interval_text <- function(shown) {
  over <- c(rounds = "the rounds", pairs = "the pairs of cells with fewer than three rounds")[unique(shown$over)]
  sprintf("Bars: 95 %% t interval over %s.", paste(over, collapse = " or "))
}
caption <- paste(
  "Above 1 the value is higher with the setting; filled: a clear effect of this campaign, with false discoveries held",
  "at 5 % over all rows; large: its pairs of cells agree, where a small mark may be one cell that was slow in all of",
  "its rounds. Thin lines reach from the lowest to the highest pair of settings; all rows are in tables/effects.csv."
)
most_rows <- 28

make_table <- function(records, inputs) {
  effects <- effects_of_settings(records, metric_of(inputs))
  only_if(nrow(effects) > 0)
  # What only tests the method is drawn where nothing else was measured.
  real <- real_storage(effects)
  shown <- utils::head(real, most_rows)
  shown[, `:=`(n = rounds, page = "all", sheet = 1L, all_clear = sum(real$clear))]
  if (nrow(real) > nrow(shown)) {
    shown <- add_note(shown, sprintf("The strongest %d of %d rows.", nrow(shown), nrow(real)))
  }
  beside <- nrow(effects) - nrow(real)
  if (beside == 0) shown else add_note(shown, sprintf("Not drawn: %s on emulated storage.", counted(beside, "row")))
}

finding <- function(table) {
  known <- table[clear %in% TRUE]
  if (nrow(known) == 0) {
    return("No setting has a clear effect.")
  }
  over_pairs <- if (all(known$over == "pairs")) pairs_words else ""
  known[which.max(abs(log(ratio))), sprintf("%s%s; the strongest: %s instead of %s, \u00d7%s for a %s on %s.",
    counted(all_clear, "effect is clear", "effects are clear"), over_pairs, setting, instead_of,
    two_digits(ratio), access, mark_name(target, emulated))]
}

# Hollow and filled are taken by clear and not clear.
verdict_text <- unproven_rows_words

make_figure <- function(table) {
  table <- mark_emulated(table)[order(emulated, target)]
  table[, target := factor(target, levels = unique(target))]
  table[, name := vapply(row_words(setting, instead_of, also_differs), wrap_words, "", width = letters_of_row)]
  table[, name := factor(name, levels = rev(unique(name)))]
  table[, panel := paste(target, access, sep = ", ")]
  lines <- ggplot2::position_dodge(0.5)
  ggplot2::ggplot(table, ggplot2::aes(ratio, name, colour = access, group = panel)) +
    ggplot2::geom_vline(xintercept = 1, colour = "#808080", linewidth = 0.3) +
    ggplot2::geom_linerange(ggplot2::aes(xmin = lowest, xmax = highest), linewidth = 0.2, alpha = 0.6,
      position = lines) +
    ggplot2::geom_linerange(ggplot2::aes(xmin = lo, xmax = hi), linewidth = 0.7, na.rm = TRUE, position = lines) +
    ggplot2::geom_point(ggplot2::aes(fill = ifelse(clear, access, NA), shape = access, size = pairs_agree),
      stroke = 0.4, position = lines) +
    ggplot2::scale_size_manual(values = c(`FALSE` = 1.3, `TRUE` = 2.4), guide = "none") +
    storage_panels(table$target) +
    scale_access(table$access) +
    ggplot2::scale_x_log10("Value with the setting over the value without it", breaks = factor_breaks,
      labels = function(it) paste0("\u00d7", format_plain(it))) +
    ggplot2::coord_cartesian(xlim = shown_range(table)) +
    theme_of_rows()
}

letters_of_row <- 62

# tables/effects.csv has the number of pairs in which something else differs; without it writes and reads share a row.
row_words <- function(setting, instead_of, also_differs) {
  each <- strsplit(gsub(" in [0-9]+ of [0-9]+ pairs", "", also_differs), "[;,] ")
  names <- vapply(each, function(names) paste(unique(names), collapse = ", "), "")
  also <- ifelse(nzchar(names), paste0(", with other ", names), "")
  sprintf("%s instead of %s%s", setting, instead_of, also)
}

# The name of a single storage stands above.
storage_panels <- function(targets) {
  if (data.table::uniqueN(targets) > 1) {
    ggplot2::facet_grid(rows = ggplot2::vars(target), scales = "free_y", space = "free_y")
  }
}

# Intervals of two rounds reach far beyond every effect: the axis ends where the points do.
shown_range <- function(table) {
  ends <- range(c(table$lowest, table$highest, table$ratio, 0.8, 1.25))
  pmin(pmax(range(c(ends, table$lo, table$hi), na.rm = TRUE), ends[1] / 2), ends[2] * 2)
}

factor_breaks <- function(range) {
  steps <- c(0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500)
  within <- steps[steps >= range[1] & steps <= range[2]]
  if (length(within) < 3) unique(sort(c(1, pretty(range, 4)))) else within
}

height_mm <- function(table) {
  letters <- nchar(row_words(table$setting, table$instead_of, table$also_differs))
  30 + sum(ifelse(letters > letters_of_row, 6.4, 4)) * 0.8 + 4 * data.table::uniqueN(table$target)
}
