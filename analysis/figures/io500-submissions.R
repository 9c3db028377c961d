title <- "Valid results among the IO500 submissions"
position <- 3
statistic <- "Circles: medians of the published result sets"
n_text <- "each set is one run"
interval_text <- paste(
  "Thick bars: their middle half; thin ones: 5 to 95 %. The sets are third-party runs without evidence for an audit."
)
needs <- "reference/io500-submissions.csv, and a study of the suite io500"
if_empty <- "The study does not measure the phases of IO500."
caption <- paste(
  "Each phase of the published IO500 result sets, which are no random sample of storage: of the whole system, of one",
  "node and of one process (where their numbers are known), from the top in this order; the axis is logarithmic.",
  "Triangles: the result sets on IME."
)

make_table <- function(records, inputs) {
  submissions <- io500_submissions(records, inputs)
  only_if(nrow(submissions) > 0)
  long <- data.table::melt(submissions[, .(submission, ime, phase, whole, node, process)],
    measure.vars = io500_per, variable.name = "per", value.name = "median"
  )[is.finite(median) & median > 0]
  long[, below := 100 * (data.table::frank(median) - 0.5) / .N, by = .(phase, per)]
  long[, (shown_quantiles$name) := as.list(stats::quantile(median, shown_quantiles$share)), by = .(phase, per)]
  long <- io500_phases[long[, phase := as.character(phase)], on = "phase"]
  own <- phases_of_io500(records, inputs)
  own <- if (nrow(own) > 0) own[why == ""] else own
  long[, `:=`(own = FALSE, n = 1L, verdict = "UNPROVEN", n_invalid = 0L, n_degraded = 0L, emulated = FALSE)]
  if (nrow(own) > 0) {
    long <- rbind(long, own_places(own, submissions), fill = TRUE)
  }
  long[, `:=`(level = NA_real_, sheet = 1L, page = "all")]
  # A name may have several result sets.
  add_note(long, sprintf("%d result sets.", nrow(submissions) %/% nrow(io500_phases)))
}

shown_quantiles <- list(name = c("q05", "q25", "q50", "q75", "q95"), share = c(0.05, 0.25, 0.5, 0.75, 0.95))

finding <- function(table) {
  spread <- unique(table[own == FALSE & per == "whole", .(phase, ratio = q95 / q05)])$ratio
  sprintf("In the median phase the 95th percentile of the whole systems is %s times the 5th.",
    rate_words(stats::median(spread)))
}

# Each phase of a valid result three times, as far as its nodes and processes are known.
own_places <- function(own, submissions) {
  places <- own[, .(
    phase, unit, whole = median, node = median / nn, process = median / tasks_of(own), n, verdict, n_invalid,
    n_degraded, emulated, target
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
  words <- sprintf("%s: valid results of this study, %d of them unproven.", counted(nrow(own), "cross", "crosses"),
    unproven)
  # A phase has a cross for each `per`.
  c(words, unused_words(own[per == "whole"]))
}

make_figure <- function(table) {
  drawn <- data.table::copy(table)
  drawn[, phase := factor(gsub("_", " ", phase), levels = rev(gsub("_", " ", io500_phases$phase)))]
  drawn[, per := factor(per, levels = rev(io500_per), labels = rev(looks_of("per")$name))]
  of_ime <- looks_of("file system", "IME")
  ranges <- unique(drawn[own == FALSE, .(unit, phase, per, q05, q25, q50, q75, q95)])
  beside <- ggplot2::position_dodge(0.75)
  ggplot2::ggplot(ranges, ggplot2::aes(q50, phase, colour = per)) +
    ggplot2::geom_linerange(ggplot2::aes(xmin = q05, xmax = q95), linewidth = 0.35, position = beside) +
    ggplot2::geom_linerange(ggplot2::aes(xmin = q25, xmax = q75), linewidth = 1.3, position = beside) +
    ggplot2::geom_point(shape = 21, fill = "white", size = 1.5, stroke = 0.5, position = beside) +
    ggplot2::geom_point(ggplot2::aes(median, group = per), drawn[ime == TRUE], shape = of_ime$shape, size = 1,
      stroke = 0.2, fill = of_ime$colour, colour = "#202020", position = beside, show.legend = FALSE) +
    ggplot2::geom_point(ggplot2::aes(median, group = per), drawn[own == TRUE], shape = 4, size = 2, stroke = 0.8,
      colour = "black", position = beside, show.legend = FALSE) +
    ggplot2::facet_grid(rows = ggplot2::vars(unit), scales = "free_y", space = "free_y") +
    scale_looks(looks_of("per"), fill = "white") +
    ggplot2::scale_x_log10("Rate in GiB/s or kIOPS", breaks = 10^(-4:8), labels = rate_words) +
    ggplot2::labs(y = NULL) +
    theme_weir()
}

height_mm <- function(table) 104
