title <- "Predicted and measured time of the phases of applications"
position <- 5
needs <- "records of the suite nersc-ior: the experiment `kernel` and an application"
if_empty <- "The study predicts no application."
caption <- paste(
  "Median times in seconds; N\u00d7P: nodes and processes per node. Error: predicted over measured time minus one,",
  "the mean over the rounds (not of the two medians) with its 95 % t interval. Bold: the largest error of an",
  "application on real storage."
)

make_table <- function(records, inputs) {
  table <- predictions(records)
  only_if(nrow(table) > 0)
  table[order(emulated, target, application, tasks_of(table), nn, match(access, names(phase_names)))]
}

make_latex <- function(table) {
  real <- !table$emulated | all(table$emulated)
  size <- abs(log(table$mean))
  worst <- real & size == stats::ave(ifelse(real, size, -1), table$application, FUN = max)
  error <- function(ratio) sprintf("%s\\,\\%%", signed_percent(ratio - 1))
  cells <- table[, .(
    application = latex_name(application), phase = latex_name(phase_names[access]),
    "$N\\times P$" = shape_cell(nn, ppn), "$n$" = n,
    predicted = paste0(seconds_cell(predicted_s), verdict_mark(verdict)), measured = seconds_cell(measured_s),
    error = ifelse(worst, sprintf("\\textbf{%s}", error(mean)), error(mean)),
    interval = ifelse(is.na(lo), "--", sprintf("%s to %s", error(lo), error(hi)))
  )]
  latex_table(name, caption, cells, c(application = "l", phase = "l"),
    groups = target_cell(table$target, table$emulated))
}

seconds_cell <- function(seconds) format_plain(signif(seconds, 3))
