title <- "Acceptance: share of the peak that each interface reaches"
position <- 1
needs <- "records of the experiments `acceptance` and `single-stream` of the suite mistral"
if_empty <- "The study has no acceptance test."
caption <- paste(
  "Median bandwidth in MiB/s of each interface with transfers that no stripe size divides, read and write, each with",
  "its share of the peak (N\u00d7P: nodes and processes per node)."
)
# Which peak it is, of those that the table relates to.
peak_words <- function(table) {
  if (all(is.na(table$declared))) {
    "No target's file declares a peak (peak:): it is the best value of this table (marked *)."
  } else if (all(table$of_source)) {
    sprintf("The peak is the one of the source, %s GiB/s.", format_plain(unique(table$peak) / 1024))
  } else if (anyNA(table$declared)) {
    "The peak is what the target's file declares (peak:), else the best value of this table (marked *)."
  } else {
    "The peak is what the target's file declares (peak:)."
  }
}

make_table <- function(records, inputs) {
  records <- transfers_of(records)[experiment %in% c("acceptance", "single-stream")]
  only_if(nrow(records) > 0)
  by <- c("target", "stack", "access", "api", "layout", "nn", "ppn", "xfer_bytes")
  points <- summarise_records(records, bandwidth_all(records), by, "MiB/s")[n > 0]
  only_if(nrow(points) > 0)
  points[, declared := declared_peaks(known_facts(inputs), target, access)]
  points <- name_apart(points)
  peaks <- usable_points(points, c("target", "access"))[, .(most = max(median)), by = .(target, access)]
  points[peaks, peak := data.table::fcoalesce(declared, i.most), on = c("target", "access")]
  points[, of_source := !is.null(known_facts(inputs)$about$peak_gib_s)]
  points[, share := median / peak]
  points[order(emulated, target, match(access, access_levels), tasks_of(points) == 1, -median)]
}

declared_peaks <- function(facts, targets, accesses) {
  whole <- facts$about$peak_gib_s
  mapply(function(target, access) {
    known <- Filter(function(it) identical(it$target, target), facts$targets)
    peak <- if (length(known) == 1) known[[1]]$peak_mib_s[[access]]
    if (!is.null(peak)) as.numeric(peak) else if (!is.null(whole)) 1024 * as.numeric(whole) else NA_real_
  }, targets, accesses)
}

# As in the talk: a row for each type, its read and its write beside each other.
make_latex <- function(table) {
  of_type <- c("target", "emulated", "api", "layout", "nn", "ppn")
  types <- unique(table[, of_type, with = FALSE])
  sides <- lapply(c("read", "write"), function(side) {
    found <- table[access == side][types, on = of_type, mult = "first"]
    known <- !is.na(found$median)
    words <- function(text) ifelse(known, text, NA)
    cells <- list(
      found$n, words(paste0(rate_words(found$median), verdict_mark(found$verdict))),
      words(interval_cell(found$lo, found$hi)),
      words(sprintf("%s\\,\\%%%s", percent_digits(found$share), ifelse(is.na(found$declared), "*", "")))
    )
    setNames(cells, c("$n$", side, "interval", "of peak"))
  })
  ranked <- order(types$emulated, types$target, tasks_of(types) == 1, -table[types, on = of_type, mult = "first"]$share)
  cells <- data.table::as.data.table(c(types[, .(
    type = latex_name(api_words(api)),
    layout = latex_name(ifelse(tasks_of(types) == 1, "single stream", dash(short_layout(layout)))),
    "$N\\times P$" = shape_cell(nn, ppn)
  )], sides[[1]], sides[[2]]))[ranked]
  latex_table(
    name, sprintf("%s %s Transfers of %s bytes.", caption, peak_words(table),
      paste(thousands(unique(table$xfer_bytes)), collapse = " or ")),
    cells, c(type = "l", layout = "l"), groups = target_cell(types$target, types$emulated)[ranked]
  )
}
