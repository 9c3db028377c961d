# The columns of a record and what they are to a comparison, read from the schema: a column that is added there is read,
# told apart, compared and named without an edit here.

record_schema <- function() file.path(dirname(analysis_home()), "config", "schemas", "record.schema.yaml")

# One row a column: name, type (text, number or flag), unit, role, and the terms for its values.
record_columns <- local({
  known <- NULL
  function() {
    if (is.null(known)) {
      known <<- columns_of_schema(record_schema())
    }
    known
  }
})

columns_of_schema <- function(path) {
  # Limits of a column may be beyond the integers of R.
  properties <- yaml::read_yaml(path, handlers = list(int = as.numeric))$properties
  data.table::data.table(
    name = names(properties), type = vapply(properties, type_of_property, ""),
    unit = vapply(properties, function(it) text_of(it[["x-unit"]], ""), ""),
    role = vapply(names(properties), function(name) role_of_property(name, properties[[name]]), ""),
    usual = unname(lapply(properties, `[[`, "default")),
    texts = unname(lapply(properties, function(it) unlist(it[["x-texts"]]))),
    marks = unname(lapply(properties, function(it) unlist(it[["x-marks"]]))),
    meanings = unname(lapply(properties, function(it) unlist(it[["x-meanings"]])))
  )
}

# How the values of a column are written for a reader; the schema has them.
words_of_column <- function(column, kind = "texts") record_columns()[[kind]][[match(column, record_columns()$name)]]

# What a record that does not tell a column ran with; NULL where nothing is usual.
usual_value <- function(column) record_columns()$usual[[match(column, record_columns()$name)]]

type_of_property <- function(property) {
  type <- setdiff(property$type, "null")
  if ("boolean" %in% type) "flag" else if (any(c("integer", "number") %in% type)) "number" else "text"
}

role_of_property <- function(name, property) {
  if (name %in% conditions) "parameter" else text_of(property[["x-role"]], "measure")
}

# What was used is a condition of the measurement, although it identifies it too.
conditions <- c("site", "target", "stack", "tool", "program", "tool_version", "experiment", "suite")

# Rows, not settings: which access and which kind of item a record is of, and how much was requested in all.
no_dimensions <- c("access", "item", "requested_bytes", "requested_ops")

# The settings that tell cells apart, in the order of the schema; and of a table also what the schema does not know.
dimensions <- function(records = NULL) {
  columns <- record_columns()
  unknown <- setdiff(names(records), c(columns$name, derived_columns))
  c(setdiff(columns[role == "parameter"]$name, no_dimensions), unknown)
}

derived_columns <- c("value", "round", "variant", "role", "way", "feature", "kind", "shape", "value_of_record",
  "campaign", "unproven", "beside")

# Settings that follow from others: a suite gives each number of processes a block of its own so that the file stays as
# large, a file system gives more stripes to larger files. Pairs may differ in them, and the pair is told to.
following <- c("block_bytes", "segments", "stripe_count", "chunking")

compared_dimensions <- function(records) {
  setdiff(dimensions(records), c(following, "target", "site", "experiment", "suite"))
}

text_of <- function(value, unknown = "unknown") {
  text <- trimws(paste(unlist(value), collapse = ", "))
  if (nzchar(text)) text else unknown
}
