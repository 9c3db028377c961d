title <- "Bandwidth with MPI-IO hints over that without"
position <- 6
statistic <- "Points: geometric mean over the rounds"
interval_text <- "Bars: 95 % t interval over the rounds."
needs <- "records of the experiment `hints` of the suite mistral"
if_empty <- "The study has no sweep of MPI-IO hints."
caption <- paste(
  "Collective transfers to a shared file, each round with and without the hints: right of the line they help. The",
  "hints are those of ROMIO (cb: collective buffering, ds: data sieving); an MPI-IO implementation other than ROMIO",
  "ignores them, and the factors then vary around one."
)

make_table <- function(records, inputs) {
  table <- hint_effects(records)
  only_if(nrow(table) > 0)
  table[, `:=`(median = mean, level = interval_level, n_invalid = 0L, n_degraded = 0L, page = "all", sheet = 1L)][]
}

make_figure <- function(table) {
  drawn <- mark_emulated(data.table::copy(table))
  drawn[, access := factor(access, levels = access_levels)]
  drawn[, target := factor(target, levels = unique(target[order(emulated)]))]
  drawn[, titled := row_titles(drawn)]
  ggplot2::ggplot(drawn, ggplot2::aes(mean, titled, colour = access)) +
    ggplot2::geom_vline(xintercept = 1, colour = "#a0a0a0", linewidth = 0.3) +
    ggplot2::geom_linerange(ggplot2::aes(xmin = lo, xmax = hi), linewidth = 0.5, na.rm = TRUE, show.legend = FALSE) +
    ggplot2::geom_point(ggplot2::aes(fill = fill_by(access, verdict), shape = access), size = 1.5, stroke = 0.4) +
    unproven_marks() +
    ggplot2::facet_grid(rows = ggplot2::vars(target), cols = ggplot2::vars(access)) +
    scale_access(drawn$access) +
    ggplot2::guides(colour = "none", shape = "none") +
    ggplot2::scale_x_log10("Factor", breaks = c(0.25, 1, 4), labels = format_plain) +
    theme_of_rows()
}

# The hints, and which of several transfers, nodes or processes had them.
row_titles <- function(table) {
  words <- describe_columns(table, varying_columns(table, c("nn", "ppn", "xfer_bytes")))
  trimws(gsub(", ", "\n", paste(gsub("romio_", "", table$hints, fixed = TRUE), words, sep = ", "), fixed = TRUE),
    whitespace = "[\n ,]")
}

height_mm <- function(table) {
  lines <- lengths(strsplit(unique(row_titles(table)), "\n", fixed = TRUE))
  30 + data.table::uniqueN(table$target) * (4 + sum(pmax(5.5, 2.75 * lines)))
}
