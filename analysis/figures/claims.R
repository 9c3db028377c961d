title <- "Claims of publications"
position <- 58
section <- "claims"
statistic <- "Points: effects in these records"
if_empty <- "these data decide none of the claims in analysis/claims."
interval_text <- "Bars: 95 % interval over the rounds, of two rounds or more."
caption <- paste(
  "Each claim of a publication against these records. The effect is divided by the bound that it had to clear, so",
  "that 1 is the bound; the grey side contradicts the claim. Circles are these records, diamonds printed values.",
  "Hollow: undecided, since the interval reaches both sides or there is one round only. Claims are decided of this",
  "campaign, in which a cell may have been slow for all of its rounds."
)

make_table <- function(records, inputs) {
  all <- decided_claims(records, inputs)[verdict != outcomes[4]]
  decided <- all[evidence == "these records" & unit %in% c("factor", "spread") & is.finite(effect) & effect > 0]
  if (nrow(decided) == 0) {
    return(decided)
  }
  bound_of <- decided[, ifelse(is.finite(bound_lo) & bound_lo > 0, bound_lo, bound_hi)]
  data.table::set(decided, j = "ratio", value = decided$effect / bound_of)
  there <- all[evidence == "published values"][decided, on = c("paper", "claim")]
  data.table::set(decided, j = c("printed", "printed_outcome"), value = list(there$effect, there$verdict))
  data.table::set(decided, j = c("lo", "hi"), value = list(decided$lo / bound_of, decided$hi / bound_of))
  decided[, `:=`(least = is.finite(bound_lo) & bound_lo > 0, printed_ratio = printed / bound_of)]
  decided[, `:=`(n = as.integer(rounds), outcome = verdict, verdict = "VALID", n_invalid = 0L, n_degraded = 0L,
    sheet = 1L)]
  decided[, page := factor(paper)][]
}

finding <- function(table) {
  printed <- table$printed_outcome[!is.na(table$printed_outcome)]
  paste(c(
    sprintf("Of %s these records reproduce %d and contradict %d.", counted(nrow(table), "claim"),
      sum(table$outcome == outcomes[1]), sum(table$outcome == outcomes[2])),
    if (length(printed) > 0) {
      sprintf("The printed values bear out %d of the %d that they decide.", sum(printed == outcomes[1]),
        length(printed))
    }
  ), collapse = " ")
}

# The numbers stand at the mark: nobody reads them off a logarithmic axis.
claim_numbers <- function(table) {
  number <- function(values) format_plain(signif(values, 2))
  paste0(number(table$effect), ifelse(is.na(table$printed), "", paste0(", printed ", number(table$printed))),
    "; claimed ", table$bound, ifelse(is.na(table$needed), "", sprintf("; needs %s rounds", table$needed)))
}

# Of claims, not of points.
verdict_text <- function(table) {
  counts <- vapply(outcomes[1:3], function(outcome) sum(table$outcome == outcome), 1L)
  paste0(paste(sprintf("%d %s", counts, outcomes[1:3]), collapse = ", "), ".")
}

make_figure <- function(table) {
  table <- data.table::copy(table)[, name := vapply(paste0(says, ifelse(emulated, emulated_mark, "")), wrap_words, "",
    width = 74)]
  table[, name := factor(name, levels = rev(unique(name)))]
  table[, outcome := factor(outcome, levels = outcomes[1:3])]
  reach <- range(c(table$ratio, table$printed_ratio, 0.5, 2), na.rm = TRUE)
  reach <- c(reach[1] / 1.6, reach[2] * 1.6)
  ggplot2::ggplot(table, ggplot2::aes(ratio, name, colour = outcome)) +
    ggplot2::geom_tile(ggplot2::aes(x = ifelse(least, sqrt(reach[1]), sqrt(reach[2])),
      width = ifelse(least, -log10(reach[1]), log10(reach[2]))),
      height = 0.9, fill = "#f0f0f0", colour = NA
    ) +
    ggplot2::geom_vline(xintercept = 1, colour = "#808080", linewidth = 0.3) +
    ggplot2::geom_linerange(ggplot2::aes(xmin = pmax(lo, reach[1]), xmax = pmin(hi, reach[2])), linewidth = 0.6,
      na.rm = TRUE) +
    ggplot2::geom_point(ggplot2::aes(fill = ifelse(outcome == outcomes[3], NA, as.character(outcome))), shape = 21,
      size = 1.5, stroke = 0.4) +
    ggplot2::geom_point(ggplot2::aes(x = printed_ratio, colour = printed_outcome, fill = printed_outcome), shape = 23,
      size = 1.4, stroke = 0.4, na.rm = TRUE, show.legend = FALSE) +
    # A label reaches as far to each side as the panel does.
    ggplot2::geom_text(
      ggplot2::aes(label = claim_numbers(table), hjust = log(ratio / reach[1]) / log(reach[2] / reach[1])),
      size = type_size_mm, vjust = -0.6, colour = "#202020", family = sans_family, show.legend = FALSE
    ) +
    ggplot2::scale_colour_manual(NULL, values = outcome_colours, limits = outcomes[1:3]) +
    ggplot2::scale_fill_manual(values = outcome_colours, na.value = "white", guide = "none") +
    ggplot2::scale_x_log10("Effect over its bound", labels = format_plain, limits = reach, expand = c(0, 0),
      oob = scales::oob_keep # rounding puts the edge of the grey side outside
    ) +
    ggplot2::labs(y = NULL) +
    theme_weir() +
    ggplot2::theme(legend.key.width = grid::unit(3, "mm"), legend.justification = "right")
}

# All rows are as high as the highest.
height_mm <- function(table) {
  34 + nrow(table) * 5.8
}
