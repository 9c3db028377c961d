title <- "Radar chart of the phases of IO500"
position <- 2
statistic <- "Corners: median of a phase over the best of the storage shown, logarithmic"
interval_text <- ""
needs <- "records of the suite io500 on two targets"
if_empty <- "The study does not measure the phases of IO500."
caption <- paste(
  "The twelve phases of IO500, one polygon for each storage: the rim is the best of the storage shown, the rings are",
  "a tenth and a hundredth of it, the centre a thousandth. A dent is a phase in which a storage falls behind the",
  "others. It compares the storage of this study alone."
)
decades <- 3

make_table <- function(records, inputs) {
  points <- phases_of_io500(records, inputs)
  only_if(nrow(points) > 0)
  points <- points[n > 0]
  only_if(data.table::uniqueN(points$target) > 1)
  points <- on_radar(points, decades)
  points[, `:=`(level = NA_real_, page = "all", sheet = 1L)]
  note_no_score(points, points, "Not a valid IO500 score")
}

make_figure <- function(table) {
  drawn <- mark_emulated(data.table::copy(table))
  drawn[, series := target]
  storages <- unique(drawn[order(emulated), .(target, emulated)])
  radar(drawn, decades, looks_of_storages(setNames(storages$emulated, storages$target)))
}

height_mm <- function(table) 100
