title <- "Phases of IO500 and the index from them"
position <- 1
needs <- "records of the suite io500"
if_empty <- "The study does not measure the phases of IO500."
caption <- paste(
  "Phases in the order of IO500's rules: median rate with its interval, its shortest time, and percentile among the",
  "published result sets where the result is valid (each write phase 300 s or longer). The last lines of a target",
  "are the geometric means and their combination by today's rule (square root of the product) and by 2017's",
  "(product), called index, without percentiles, if it is not a valid IO500 score."
)
# Third-party results ran in the order of their script.
of_suite <- "Here write and read of a phase follow each other in one run; IO500 does all writes first."

make_table <- function(records, inputs) {
  points <- phases_of_io500(records, inputs)
  only_if(nrow(points) > 0)
  index <- index_of_io500(points)
  submissions <- io500_submissions(records, inputs)
  of_phase <- function(name) as.numeric(submissions[phase == name]$whole)
  points[, percentile := NA_real_]
  if (nrow(submissions) > 0) {
    points[why == "" & n > 0, percentile := mapply(function(value, name) {
      percentile_among(value, of_phase(name))
    }, median, phase)]
  }
  shown <- points[, .(target, phase, unit, n, median, lo, hi, time_s, percentile, verdict, emulated, why)]
  ends <- index[, .(
    phase = c("bandwidth", "metadata", paste(ifelse(nzchar(why), "index", "score"), c("today", "2017"))),
    unit = c("GiB/s", "kIOPS", "", ""), n = NA_integer_, median = c(bandwidth, metadata, today, rule_2017),
    lo = NA_real_, hi = NA_real_, time_s = NA_real_, percentile = NA_real_, verdict, emulated, why
  ), by = .(target, of = seq_len(nrow(index)))][, of := NULL]
  both <- rbind(shown, ends)
  both[, own := is.null(known_facts(inputs)$about)]
  both[order(emulated, target)]
}

make_latex <- function(table) {
  cells <- table[, .(
    phase = latex_name(phase), "$n$" = dash(n), median = paste0(five_digits(median), verdict_mark(verdict)), unit,
    interval = interval_cell(lo, hi, five_digits), "time in s" = ifelse(is.na(time_s), "--", sprintf("%.2f", time_s)),
    percentile = ifelse(is.na(percentile), "--", sprintf("%.1f", percentile))
  )]
  latex_table(
    name, if (all(table$own %in% TRUE)) paste(caption, of_suite) else caption, cells,
    c(phase = "l", unit = "l"), ifelse(names(cells) == "unit", "", names(cells)),
    groups = paste0(
      target_cell(table$target, table$emulated),
      ifelse(nzchar(table$why), paste0(", not a valid IO500 score: ", table$why), "")
    ), in_place = TRUE
  )
}
