# Reads records.csv: every row typed, nothing dropped, errors that name the file, the column and the row.

record_types <- c(
  api = "text", access = "text", nn = "number", ppn = "number", xfer_bytes = "number", layout = "text",
  order = "text", block_bytes = "number", stonewall_s = "number", stripe_count = "number", iteration = "number",
  moved_bytes = "number", open_s = "number", io_s = "number", close_s = "number", total_s = "number",
  bw_mib_s = "number", suite = "text", cell = "text", site = "text", target = "text", stack = "text",
  tool = "text", verdict = "text", reasons = "text", evidence = "text", notes = "text", checked = "text",
  missing = "text", emulated = "flag", experiment = "text", label = "text", run = "number",
  segments = "number", collective = "flag", sync = "flag", direct = "flag", chunking = "text",
  fill = "flag", unlimited = "flag", deflate_level = "number", requested_bytes = "number",
  file_bytes = "number", sync_s = "number", ops = "number", ops_s = "number", lat_min_us = "number",
  lat_p50_us = "number", lat_p90_us = "number", lat_p99_us = "number", lat_p999_us = "number",
  lat_max_us = "number", slowest_rank = "number", fetched_bytes = "number", item = "text",
  directories = "text", requested_ops = "number", program = "text", tool_version = "text", began = "text",
  source = "text"
)

# What a record cannot do without: the columns that describe and time an access, and its verdict.
core_columns <- c(names(record_types)[1:17], "verdict", "reasons")

verdicts <- c("VALID", "UNPROVEN", "DEGRADED", "INVALID")

mib <- 2^20

read_records <- function(path) {
  raw <- read_text_table(path, "records")
  missing <- setdiff(core_columns, names(raw))
  if (length(missing) > 0) {
    hint <- if ("verdict" %in% missing) "make records of raw logs with `weir import`" else "run `weir collect` again"
    stop(sprintf("%s: no column %s: %s", path, paste0("'", missing, "'", collapse = ", "), hint), call. = FALSE)
  }
  columns <- lapply(setNames(nm = names(record_types)), function(column) {
    values <- if (column %in% names(raw)) raw[[column]] else rep(NA_character_, nrow(raw))
    as_typed(values, record_types[[column]], path, column)
  })
  records <- data.table::setDT(columns)
  check_verdicts(records, path)
  records[is.na(emulated), emulated := FALSE]
  records[is.na(reasons), reasons := ""]
  records[]
}

read_text_table <- function(path, what) {
  if (!file.exists(path)) {
    stop(sprintf("%s: no such file of %s", path, what), call. = FALSE)
  }
  if (file.size(path) == 0) {
    stop(sprintf("%s: the file is empty, not even a line of column names", path), call. = FALSE)
  }
  table <- data.table::fread(path, colClasses = "character", na.strings = "", sep = ",", header = TRUE)
  twice <- unique(names(table)[duplicated(names(table))])
  if (length(twice) > 0) {
    stop(sprintf("%s: column '%s' is there twice", path, twice[1]), call. = FALSE)
  }
  table
}

as_typed <- function(values, type, path, column) {
  if (type == "text") {
    return(values)
  }
  typed <- if (type == "number") suppressWarnings(as.numeric(values)) else as.logical(toupper(values))
  wrong <- which(is.na(typed) & !is.na(values))
  if (length(wrong) > 0) {
    stop(sprintf(
      "%s: line %d, column '%s': '%s' is not a %s", path, wrong[1] + 1L, column, values[wrong[1]],
      if (type == "number") "number" else "true or false"
    ), call. = FALSE)
  }
  typed
}

check_verdicts <- function(records, path) {
  wrong <- which(!records$verdict %in% verdicts)
  if (length(wrong) > 0) {
    stop(sprintf(
      "%s: line %d, column 'verdict': '%s' is none of %s", path, wrong[1] + 1L, records$verdict[wrong[1]],
      paste(verdicts, collapse = ", ")
    ), call. = FALSE)
  }
}

# The two definitions of performance, in MiB/s: bytes over the time from the first open to the last close, and bytes
# over the time of the transfers alone. The bytes are those that moved, never those that were requested. Where nothing
# moved there is no bandwidth.
bandwidth_all <- function(records) {
  above_zero(records$bw_mib_s)
}

bandwidth_io <- function(records) {
  moved_mib <- ifelse(is.na(records$moved_bytes), records$bw_mib_s * records$total_s, records$moved_bytes / mib)
  above_zero(moved_mib) / above_zero(records$io_s)
}

above_zero <- function(values) ifelse(values > 0, values, NA_real_)

# Those whose question is bandwidth: the times of single operations have figures of their own, and so has NetCDF-Bench
# beside IOR.
bulk_transfers <- function(records) {
  found <- timed_whole(records)
  if (any(found$tool %in% "ior")) found[!tool %in% "netcdf-bench"] else found
}

timed_whole <- function(records) transfers_of(records)[!tool %in% "io-model"]

# Records that move data; metadata operations have rates but no bandwidth.
transfers_of <- function(records) {
  records[access %in% c("write", "read") & is.na(item)]
}
