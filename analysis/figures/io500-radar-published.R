title <- "Radar chart of published result sets"
position <- 2.5
statistic <- "Corners: median of a phase over the best of those drawn, logarithmic"
n_text <- "each set is one run"
interval_text <- ""
needs <- "reference/io500-submissions.csv, and a study of the suite io500"
if_empty <- "The study does not measure the phases of IO500."
caption <- paste(
  "The twelve phases of IO500 as the talk draws them: medians of the published result sets of each file system that",
  "the talk announces and that has five or more, and the storage of this study (bold). The rim is the best of those",
  "drawn, each ring a tenth of the one around it. Systems differ in size: the chart compares their shapes, not",
  "file systems."
)
decades <- 4
fewest_sets <- 5L

# The file systems that the talk announces, by what their submitters call them.
kinds <- c(Lustre = "lustre|exascaler", "Spectrum Scale" = "spectrum scale|storage scale|gpfs", BeeGFS = "beegfs",
  IME = "^ime|[^a-z]ime")

make_table <- function(records, inputs) {
  submissions <- io500_submissions(records, inputs)
  own <- phases_of_io500(records, inputs)
  only_if(nrow(submissions) > 0 && nrow(own) > 0)
  submissions[, series := kind_of(filesystem)]
  sets <- submissions[!is.na(series) & is.finite(whole) & whole > 0]
  points <- sets[, .(median = stats::median(whole), n = 1L, sets = .N), by = .(series, phase = as.character(phase))]
  points <- points[sets >= fewest_sets][, series := sprintf("%s (%d sets)", series, max(sets)), by = series]
  points[, `:=`(own = FALSE, verdict = "UNPROVEN", n_invalid = 0L, n_degraded = 0L, emulated = FALSE, why = "")]
  ours <- own[n > 0, .(series = mark_name(target, emulated), phase, median, n, own = TRUE, verdict, n_invalid,
    n_degraded, emulated, why)]
  points <- on_radar(rbind(points, ours, fill = TRUE), decades)
  points[, `:=`(level = NA_real_, page = "all", sheet = 1L)]
  note_no_score(points, own, "Not a valid IO500 score, and not ranked")
}

kind_of <- function(names) {
  found <- rep(NA_character_, length(names))
  for (kind in rev(names(kinds))) found[grepl(kinds[[kind]], names, ignore.case = TRUE)] <- kind
  found
}

verdict_text <- function(table) unused_words(table[own == TRUE])

make_figure <- function(table) {
  drawn <- data.table::copy(table)
  of_kind <- unique(drawn[own == FALSE]$series)
  published <- looks_of("file system", sub(" \\(.*", "", of_kind))
  published[, name := of_kind[match(name, sub(" \\(.*", "", of_kind))]]
  ours <- unique(drawn[own == TRUE][order(emulated), .(series, emulated)])
  shown <- rbind(published, looks_of_storages(setNames(ours$emulated, ours$series), "own storage"), use.names = TRUE)
  radar(drawn, decades, shown, ifelse(shown$name %in% ours$series, 0.9, 0.45))
}

height_mm <- function(table) 103
