# What is measured, as objects: a figure or a table takes any of them. One file of config/metrics is one metric, which
# `weir compare` reads, too.

metric_files <- function(home) list.files(file.path(dirname(home), "config", "metrics"), "[.]yaml$", full.names = TRUE)

metric_names <- function(home = analysis_home()) sort(sub("[.]yaml$", "", basename(metric_files(home))))

load_metric <- function(name, home = analysis_home()) {
  path <- grep(sprintf("/%s.yaml", name), metric_files(home), fixed = TRUE, value = TRUE)
  refuse_if(length(path) == 0, "no metric '%s' in config/metrics: there are %s", name,
    paste(metric_names(home), collapse = ", "))
  found <- yaml::read_yaml(path)
  refuse_if(!identical(found$metric, name), "%s: names its metric '%s'; it must have the name of the file", path,
    found$metric)
  formulas <- lapply(found$value, formula_of_columns, path)
  list(
    name = name,
    # A percentile of fewer operations is their maximum.
    value = function(records) {
      replace(first_above_zero(formulas, records), which(records$ops < max(0, found$fewest_ops)), NA)
    },
    unit = paste(found$unit, collapse = " or "),
    better = text_of(found$better, "higher"), words = found$title,
    of = switch(text_of(found$of, "all"), transfers = transfers_of, metadata = metadata_of, identity)
  )
}

# Columns, numbers, + - * / and brackets, and nothing that R would run besides.
formula_of_columns <- function(text, path) {
  code <- tryCatch(parse(text = text, keep.source = FALSE), error = function(error) expression(stop()))
  wrong <- setdiff(all.names(code), c("+", "-", "*", "/", "(", record_columns()$name))
  refuse_if(length(code) != 1 || length(wrong) > 0, "%s: '%s' is not a formula of columns with + - * /", path, text)
  code[[1]]
}

above_zero <- function(values) ifelse(values > 0, values, NA_real_)

first_above_zero <- function(formulas, records) {
  values <- lapply(formulas, function(formula) {
    value <- above_zero(as.numeric(eval(formula, records, baseenv())))
    ifelse(is.finite(value), value, NA_real_)
  })
  data.table::fcoalesce(values)
}

# The metric requested of a figure or table, else bandwidth.
metric_of <- function(inputs) load_metric(if (is.null(inputs$metric)) "bandwidth" else inputs$metric)

axis_title <- function(metric) sprintf("%s in %s", capitalised(metric$words), metric$unit)
