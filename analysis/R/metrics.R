# What is measured, as objects: a figure or a table takes any of them. One file of analysis/metrics is one metric.

metric <- function(name, value, unit, better = c("higher", "lower"), words = name, of = transfers_of) {
  list(name = name, value = value, unit = unit, better = match.arg(better), words = words, of = of)
}

metric_names <- function(home = analysis_home()) {
  sort(sub("[.]R$", "", list.files(file.path(home, "metrics"), pattern = "[.]R$")))
}

load_metric <- function(name, home = analysis_home()) {
  path <- file.path(home, "metrics", paste0(name, ".R"))
  if (!file.exists(path)) {
    stop(sprintf("no metric '%s' in analysis/metrics: there are %s", name, paste(metric_names(home), collapse = ", ")),
      call. = FALSE
    )
  }
  found <- source(path, local = new_scope())$value
  if (!identical(found$name, name)) {
    stop(sprintf("%s: names its metric '%s'; it must have the name of the file", path, found$name), call. = FALSE)
  }
  found
}

# The metric requested of a figure or table, else bandwidth.
metric_of <- function(inputs, name = "bandwidth") {
  if (is.null(inputs$metric)) load_metric(name) else load_metric(inputs$metric)
}

axis_title <- function(metric) {
  words <- paste0(toupper(substr(metric$words, 1, 1)), substring(metric$words, 2))
  sprintf("%s in %s", words, metric$unit)
}
