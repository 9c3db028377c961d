# Reads records.csv: every row typed, nothing dropped, errors that name the file, the column and the row.

# What a record cannot do without: the columns that describe and time an access, and its verdict.
core_columns <- c(
  "api", "access", "nn", "ppn", "xfer_bytes", "layout", "order", "block_bytes", "stonewall_s", "stripe_count",
  "iteration", "moved_bytes", "open_s", "io_s", "close_s", "total_s", "bw_mib_s", "verdict", "reasons"
)

verdicts <- c("VALID", "UNPROVEN", "DEGRADED", "INVALID")
# Numbers are made of these. Degraded records are shown beside, invalid ones are listed.
usable_verdicts <- c("VALID", "UNPROVEN")

worse_verdict <- function(first, second) verdicts[pmax(match(first, verdicts), match(second, verdicts))]

mib <- 2^20

read_records <- function(path) {
  use_intervals(intervals_beside(path))
  raw <- read_text_table(path, "records")
  missing <- setdiff(core_columns, names(raw))
  hint <- if ("verdict" %in% missing) "make records of raw logs with `weir import`" else "run `weir collect` again"
  refuse_if(length(missing) > 0, "%s: no column %s: %s", path, paste0("'", missing, "'", collapse = ", "), hint)
  records <- data.table::setDT(typed_columns(raw, path))
  check_verdicts(records, path)
  records <- with_uneven_nodes(records)
  records[is.na(emulated), emulated := FALSE]
  records[is.na(purpose), purpose := "bandwidth"]
  # Cells that a second program measured as well: facts.json has what they show, and no number is made of them.
  records <- records[!purpose %in% "cross-check"]
  records[is.na(reasons), reasons := ""]
  # Logs do not name their storage. Those of a directory are of one system, those of several must not be mixed.
  records[is.na(target) & !is.na(source), target := directory_name(source)]
  records[]
}

# MPI tasks: those that the output tells, because nodes may have different numbers of them, else as many on each node.
tasks_of <- function(rows) {
  on_nodes <- rows$nn * rows$ppn
  if (is.null(rows$tasks)) on_nodes else data.table::fcoalesce(as.numeric(rows$tasks), on_nodes)
}

# Cells whose nodes have different numbers of tasks differ in their number, which no other column tells.
with_uneven_nodes <- function(records) {
  uneven <- !is.na(records$tasks) & !(records$tasks == records$nn * records$ppn) %in% TRUE
  if (any(uneven)) records[, uneven_tasks := ifelse(uneven, tasks, NA_real_)]
  records[]
}

# The name of the directory that a file lies in; R's own functions refuse paths longer than those of the machine.
directory_name <- function(paths) {
  ifelse(grepl("/", paths, fixed = TRUE), sub("^.*/", "", sub("/+[^/]*$", "", paths)), ".")
}

# Every column of the schema, and as text what the schema does not know: it may tell cells apart.
typed_columns <- function(raw, path) {
  schema <- record_columns()
  known <- lapply(setNames(nm = schema$name), function(column) {
    values <- if (column %in% names(raw)) raw[[column]] else rep(NA_character_, nrow(raw))
    as_typed(values, schema$type[match(column, schema$name)], path, column)
  })
  c(known, as.list(raw)[setdiff(names(raw), schema$name)])
}

# The columns `numbers` are numbers.
read_text_table <- function(path, what, numbers = character()) {
  refuse_if(!file.exists(path), "%s: no such file of %s", path, what)
  refuse_if(file.size(path) == 0, "%s: the file is empty, not even a line of column names", path)
  table <- data.table::fread(path, colClasses = "character", na.strings = "", sep = ",", header = TRUE)
  twice <- unique(names(table)[duplicated(names(table))])
  refuse_if(length(twice) > 0, "%s: column '%s' is there twice", path, twice[1])
  table <- with_single_quotes(table)
  for (column in numbers) {
    data.table::set(table, j = column, value = as_typed(table[[column]], "number", path, column))
  }
  table
}

# fread() leaves the quotes of a quoted field double, as CSV has them.
with_single_quotes <- function(table) {
  for (column in names(table)) {
    doubled <- grep("\"\"", table[[column]], fixed = TRUE)
    if (length(doubled) > 0) {
      data.table::set(table, doubled, column, gsub("\"\"", "\"", table[[column]][doubled], fixed = TRUE))
    }
  }
  table
}

as_typed <- function(values, type, path, column) {
  if (type == "text") {
    return(values)
  }
  typed <- if (type == "number") suppressWarnings(as.numeric(values)) else as.logical(toupper(values))
  wrong <- which(is.na(typed) & !is.na(values))
  refuse_if(length(wrong) > 0, "%s: line %d, column '%s': '%s' is not a %s", path, wrong[1] + 1L, column,
    values[wrong[1]], if (type == "number") "number" else "true or false")
  typed
}

check_verdicts <- function(records, path) {
  wrong <- which(!records$verdict %in% verdicts)
  refuse_if(length(wrong) > 0, "%s: line %d, column 'verdict': '%s' is none of %s", path, wrong[1] + 1L,
    records$verdict[wrong[1]], paste(verdicts, collapse = ", "))
}

# The two definitions of performance, in MiB/s: bytes over the time from the first open to the last close, and bytes
# over the time of the transfers alone. The bytes are those that moved, never those that were requested. Where nothing
# moved there is no bandwidth.
bandwidth_all <- function(records) load_metric("bandwidth")$value(records)

bandwidth_io <- function(records) load_metric("bandwidth-io")$value(records)

# A write that nobody synchronised may have ended in memory: where the same storage has writes that were, only those are
# its bandwidth. Without a page cache (O_DIRECT) there is nothing to synchronise first.
ended_in_storage <- function(rows) {
  writes <- rows$access == "write"
  unsynced <- writes & rows$sync %in% FALSE & !rows$direct %in% TRUE
  !(unsynced & rows$target %in% rows$target[writes & rows$sync %in% TRUE])
}

# Those whose question is bandwidth: the times of single operations have figures of their own, and so have libraries of
# a file format beside plain transfers.
bulk_transfers <- function(records) {
  found <- timed_whole(records)
  if (any(found$purpose %in% "bandwidth")) found[!purpose %in% "format"] else found
}

# Times of single operations, beside transfers: alone they are what the study is of.
single_operations_beside <- function(rows) rows$purpose %in% "latency" & !all(rows$purpose %in% "latency")

# The best is looked for among these.
rates_of_storage <- function(records) {
  found <- bulk_transfers(records)
  found[ended_in_storage(found)]
}

timed_whole <- function(records) transfers_of(records)[!purpose %in% "latency"]

# Records that move data; metadata operations have rates but no bandwidth.
transfers_of <- function(records) {
  records[access %in% c("write", "read") & is.na(item)]
}

# The runs of usable records: one row for each `by`, cell and execution, the median over its iterations. `round` names
# the execution: rounds are randomised blocks, so that runs of one round are compared with each other. Imported records
# that tell no run are one execution for each file.
run_values <- function(records, value, by) {
  runs <- with_values(records, value, c(by, "cell", "began"))
  runs <- runs[verdict %in% usable_verdicts & is.finite(value_of_record)]
  # data.table has a median of all groups at once, which it finds by this name alone.
  runs[, .(value = median(value_of_record), iterations = .N, began = began[1]), by = c(unique(c(by, "cell")), "round")]
}

# Keeps the few of a hundred columns that a summary needs, and the value.
with_values <- function(records, value, columns) {
  needed <- records[, unique(c(columns, "verdict", "emulated", "run", "source")), with = FALSE]
  round_names(needed)[, value_of_record := as.numeric(value)][]
}

round_names <- function(records) {
  data.table::copy(records)[, round := data.table::fcoalesce(format_plain(run), as.character(source), "0")][]
}
