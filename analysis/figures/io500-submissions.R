title <- "Valid results among the IO500 submissions"
position <- 3
statistic <- "Lines: share of the published result sets below a value"
interval_text <- "Each of the result sets is one third-party run without evidence for an audit."
needs <- "reference/io500-submissions.csv, and a study of the suite io500"
if_empty <- "The study does not measure the phases of IO500."
caption <- paste(
  "Each phase of the published IO500 result sets: the share of them below a value, for the whole system, one node and",
  "one process (where their numbers are known); the axis is logarithmic. Triangles: the result sets on IME. A cross:",
  "a valid result of this study; no other is ranked. The submissions are not a random sample of storage."
)

make_table <- function(records, inputs) {
  submissions <- io500_submissions(records, inputs)
  if (nrow(submissions) == 0) {
    return(submissions)
  }
  long <- data.table::melt(submissions[, .(submission, ime, phase, whole, node, process)],
    measure.vars = io500_per, variable.name = "per", value.name = "median"
  )[is.finite(median) & median > 0]
  long[, below := 100 * (data.table::frank(median) - 0.5) / .N, by = .(phase, per)]
  long <- io500_phases[long[, phase := as.character(phase)], on = "phase"]
  own <- phases_of_io500(records)
  own <- if (nrow(own) > 0) own[why == ""] else own
  long[, `:=`(own = FALSE, n = 1L, verdict = "UNPROVEN", n_invalid = 0L, n_degraded = 0L, emulated = FALSE)]
  if (nrow(own) > 0) {
    long <- rbind(long, own_places(own, submissions), fill = TRUE)
  }
  long[, `:=`(level = NA_real_, sheet = 1L, page = "all")]
  # A name may have several result sets.
  add_note(long, sprintf("%d result sets.", nrow(submissions) %/% nrow(io500_phases)))
}

# Each phase of a valid result three times, as far as its nodes and processes are known.
own_places <- function(own, submissions) {
  places <- own[, .(
    phase, unit, whole = median, node = median / nn, process = median / (nn * ppn), n, verdict, n_invalid, n_degraded,
    emulated, target
  )]
  places <- data.table::melt(places, measure.vars = io500_per, variable.name = "per", value.name = "median")
  places <- places[is.finite(median)]
  places[, below := mapply(function(name, of, value) {
    percentile_among(value, submissions[phase == name][[of]])
  }, phase, as.character(per), median)]
  places[, `:=`(own = TRUE, ime = FALSE)][]
}

# The lines are of published values; the crosses are of this study.
verdict_text <- function(table) {
  own <- table[own == TRUE]
  if (nrow(own) == 0) {
    return("No result of this study is a valid IO500 score.")
  }
  unproven <- sum(own$verdict == "UNPROVEN")
  c(sprintf("%s, %d of them unproven.", counted(nrow(own), "cross", "crosses"), unproven), unused_words(own))
}

make_figure <- function(table) {
  drawn <- data.table::copy(table)
  drawn[, phase := factor(paste0(gsub("_", " ", phase), " (", unit, ")"),
    levels = paste0(gsub("_", " ", io500_phases$phase), " (", io500_phases$unit, ")"))]
  drawn[, per := factor(per, levels = io500_per, labels = c("whole system", "one node", "one process"))]
  ggplot2::ggplot(drawn[own == FALSE], ggplot2::aes(median, below, colour = per)) +
    ggplot2::geom_step(linewidth = 0.4) +
    ggplot2::geom_point(data = drawn[ime == TRUE], shape = 17, size = 1.1) +
    ggplot2::geom_point(data = drawn[own == TRUE], shape = 4, size = 2, colour = "black") +
    ggplot2::facet_wrap(ggplot2::vars(phase), ncol = 3, scales = "free_x") +
    ggplot2::scale_colour_manual(NULL, values = c(
      "whole system" = "#1b6ca8", "one node" = "#d18a00", "one process" = "#6a6a6a"
    )) +
    ggplot2::scale_x_log10("Rate", breaks = function(range) decade_breaks(range, 3), labels = short_rate_words) +
    ggplot2::labs(y = "Share of the result sets below, in %") +
    theme_weir()
}

height_mm <- function(table) 165
