# Tiles of a heat map: their marks, what explains these, and the tiles of stripes and processes.

# A tile has no centre to be white: marks beside its number.
tile_marks <- c(UNPROVEN = "\u00b0", DEGRADED = "\u2020")

mark_tile <- function(words, verdict) {
  if (are_all_marked(verdict)) words else paste0(words, data.table::fcoalesce(unname(tile_marks[verdict]), ""))
}

# Then the note tells it once.
are_all_marked <- function(verdict) {
  length(verdict) > 1 && length(unique(verdict)) == 1 && verdict[1] %in% names(tile_marks)
}

# "Of 8 cells, 4 are unproven (°), 2 degraded (†).", the marks that are there.
tile_words <- function(table) {
  if (are_all_marked(table$verdict)) {
    return(sprintf("All %s are %s.", counted(nrow(table), "cell"), tolower(table$verdict[1])))
  }
  counts <- vapply(names(tile_marks), function(verdict) sum(table$verdict == verdict), 1L)
  there <- counts > 0
  if (!any(there)) {
    return(sprintf("%s, none unproven or degraded.", counted(nrow(table), "cell")))
  }
  is <- ifelse(seq_len(sum(there)) > 1, "", ifelse(counts[there] == 1, "is ", "are "))
  marked <- sprintf("%d %s%s (%s)", counts[there], is, tolower(names(tile_marks)[there]), tile_marks[there])
  sprintf("Of %s, %s.", counted(nrow(table), "cell"), paste(marked, collapse = ", "))
}

# Shares from 0 to 1 as colours between two.
shade <- function(shares, low, high) {
  ramp <- scales::seq_gradient_pal(low, high)
  ramp(pmin(1, pmax(0, shares)))
}

# Stripes over processes per node, dark for a high share; the panels are those of the caller.
setting_tiles <- function(drawn) {
  stripes <- sort(unique(drawn$stripe_count))
  drawn[, lines := factor(ifelse(stripe_count %in% c(0, NA), "none", stripe_count),
    levels = c("none", setdiff(stripes, 0)))]
  drawn[, text := mark_tile(whole_percent(share), verdict)]
  ggplot2::ggplot(drawn, ggplot2::aes(factor(ppn), lines, fill = 100 * share)) +
    ggplot2::geom_tile(colour = "white", linewidth = 0.4) +
    ggplot2::geom_text(ggplot2::aes(label = text, colour = ink_on(shade(share, "#f2f5fa", "#123a6b"))),
      size = type_size_mm, family = sans_family, show.legend = FALSE) +
    ggplot2::scale_fill_gradient("Share of the best in %", low = "#f2f5fa", high = "#123a6b", limits = c(0, 100)) +
    ggplot2::scale_colour_identity() +
    ggplot2::labs(x = "Processes per node", y = "Stripes of a file") +
    theme_weir()
}

setting_tiles_words <- function(table) c(tile_words(table), unused_words(table))
