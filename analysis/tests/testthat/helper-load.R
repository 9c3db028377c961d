# Every test sees what draw.R sees: R/, none of the parts.

# As draw.R: names are UTF-8 whatever the locale of the machine, which may have none of that name.
invisible(suppressWarnings(Sys.setlocale("LC_CTYPE", "C.UTF-8")))
home <- normalizePath(file.path("..", ".."))
checkout <- dirname(home)
source(file.path(home, "load.R"))
load_analysis(home)

# Those of a study with too few runs to estimate the autocorrelation of its own, as weir writes them.
assumed_intervals <- tempfile("intervals-", fileext = ".csv")
stopifnot(system2(file.path(checkout, ".venv", "bin", "python"),
  c("-m", "weir.collect.intervals", shQuote(assumed_intervals)), env = paste0("PYTHONPATH=", shQuote(checkout))) == 0)
use_intervals(assumed_intervals)

scratch <- function(name) {
  folder <- tempfile("analysis-")
  dir.create(folder)
  file.path(folder, name)
}

# Synthetic records, made for the tests and measured nowhere: one row for each access and repetition, each column to
# be overridden.
synthetic_records <- function(..., n = 3) {
  given <- list(...)
  plain <- list(
    api = "POSIX", access = c("write", "read"), nn = 1, ppn = 1, xfer_bytes = 2^20, layout = "shared",
    order = "sequential", verdict = "VALID", target = "synthetic"
  )
  design <- utils::modifyList(plain, given[intersect(names(given), names(plain))])
  rows <- do.call(data.table::CJ, c(design, list(iteration = seq_len(n) - 1, sorted = FALSE)))
  number <- seq_len(nrow(rows))
  rows[, `:=`(
    block_bytes = 16 * 2^20, moved_bytes = 16 * 2^20 * nn * ppn, open_s = 0.001, io_s = 0.1 + number / 1000,
    close_s = 0.002, stonewall_s = 0, reasons = ifelse(verdict == "VALID", "", "a-rule"), suite = "synthetic",
    experiment = "one", tool = "ior", purpose = "bandwidth", emulated = FALSE, run = iteration
  )]
  rows[, total_s := open_s + io_s + close_s]
  rows[, bw_mib_s := moved_bytes / total_s / 2^20]
  for (column in setdiff(names(given), names(plain))) {
    data.table::set(rows, j = column, value = given[[column]])
  }
  rows[]
}

write_synthetic <- function(records, path = scratch("records.csv")) {
  table <- data.table::copy(records)
  for (column in setdiff(core_columns, names(table))) {
    data.table::set(table, j = column, value = NA)
  }
  data.table::fwrite(table, path)
  file.copy(assumed_intervals, intervals_beside(path), overwrite = TRUE)
  path
}

read_synthetic <- function(...) read_records(write_synthetic(synthetic_records(...)))

# NetCDF-Bench beside IOR, and single operations with their times.
netcdf_study <- function(...) {
  netcdf <- data.table::rbindlist(lapply(c(TRUE, FALSE), function(together) {
    made <- read_synthetic(xfer_bytes = c(2^14, 2^20), api = "NETCDF4", tool = "netcdf-bench", purpose = "format", ...)
    made[, `:=`(collective = together, chunking = ifelse(xfer_bytes > 2^14 & together, "1:8:8:4", "contiguous"))]
  }))
  rbind(netcdf, read_synthetic(xfer_bytes = c(2^14, 2^20), api = "MPIIO", order = c("sequential", "random"), ...))
}
single_operations <- function(...) {
  read_synthetic(order = c("sequential", "random"), tool = "io-model", purpose = "latency", ...)[, `:=`(
    cell = paste(target, order, xfer_bytes), run = iteration
  )]
}
inputs_for <- function(records) {
  path <- scratch("latencies.csv")
  buckets <- records[, .(upper_us = c(100, 110, 1000), count = c(50, 40, 10)), by = .(cell, run, access, iteration)]
  data.table::fwrite(buckets, path)
  list(latencies = path)
}

# `make check` runs what takes milliseconds.
skip_if_quick <- function() skip_if(nzchar(Sys.getenv("WEIR_QUICK")), "slow: not in make check")

# A cell for each combination of the columns, as a plan gives it.
with_cells <- function(records, columns = c("target", "api", "layout", "order", "nn", "ppn", "xfer_bytes",
                                            "stripe_count", "block_bytes", "experiment")) {
  data.table::copy(records)[, cell := do.call(paste, .SD), .SDcols = columns][]
}

# Records of two targets, or sides, whose rounds begin at these minutes.
begun <- function(records, side, first, other) {
  minutes <- ifelse(side, other[records$run + 1], first[records$run + 1])
  records[, began := sprintf("2026-01-01T%02d:%02d:00.25+00:00", minutes %/% 60, minutes %% 60)][]
}

# The world of a paper, beside its claims: `holds` and `contrary` are records, `facts` those of their study.
load_world <- local({
  known <- list()
  function(name) {
    path <- file.path(home, "claims", paste0(name, ".world.R"))
    if (!file.exists(path)) stop(sprintf("%s: no test world beside the claims", path), call. = FALSE)
    if (is.null(known[[name]])) {
      world <- new.env(parent = environment(load_world))
      sys.source(path, world)
      known[[name]] <<- world
    }
    known[[name]]
  }
})

# A table of these records, or its print.
table_of <- function(name, records, inputs = list()) load_part("table", name, home)$make_table(records, inputs)
print_of <- function(name, ...) load_part("table", name, home)$make_latex(table_of(name, ...))

# A folder like analysis/ with the claims of a made paper: of these lines, or one claim of this rule.
made_claims <- function(decide, expects = "above(1)", lines = made_paper(sprintf(
  "list(claim(\"a-claim\", \"It holds.\", \"here\", \"points\", %s, %s, 0.1))", decide, expects
))) {
  folder <- scratch("claims")
  dir.create(folder)
  writeLines(lines, file.path(folder, "made.R"))
  dirname(folder)
}
made_paper <- function(claims) c("title <- \"Made\"", "cites <- \"made\"", paste("claims <-", claims))

# What becomes of each claim of a paper in its world and in the contrary one.
outcomes_in_worlds <- function(name) {
  world <- load_world(name)
  lapply(list(holds = world$holds, contrary = world$contrary), function(records) {
    decided <- decide_claims(records, world$facts, NULL, home, name)[evidence == "these records"]
    setNames(decided$verdict, decided$claim)
  })
}

# The caller's own random numbers go on as if nothing had happened.
with_seed <- function(seed, expression) {
  before <- globalenv()$.Random.seed
  on.exit(if (is.null(before)) rm(".Random.seed", envir = globalenv()) else assign(".Random.seed", before, globalenv()))
  set.seed(seed, kind = "Mersenne-Twister", normal.kind = "Inversion", sample.kind = "Rejection")
  expression
}

# The interval of the sorted values of one group, for which summarise_records() has a formula of many groups at a time.
ends_of <- function(sorted, ranks) {
  n <- length(sorted)
  inner <- min(ranks$k + 1L, n)
  c(
    (1 - ranks$share) * sorted[ranks$k] + ranks$share * sorted[inner],
    (1 - ranks$share) * sorted[n + 1L - ranks$k] + ranks$share * sorted[n + 1L - inner]
  )
}

# Facts of targets of these kinds: targets_of(buffer = "burst-buffer").
targets_of <- function(...) {
  kinds <- c(...)
  list(targets = unname(Map(function(name, kind) list(target = name, kind = kind), names(kinds), kinds)))
}

# A file of facts, as an input of parts.
facts_file <- function(...) {
  path <- scratch("facts.json")
  jsonlite::write_json(list(...), path, auto_unbox = TRUE)
  path
}

# Decided claims as an input of parts.
claims_input <- function(decided) {
  path <- scratch("claims.csv")
  data.table::fwrite(decided, path)
  list(claims = path)
}

submissions_file <- file.path(checkout, "reference", "io500-submissions.csv")

# The example of the talk of 2017, as reference/io500.csv has it.
io500_example <- function(seconds = NULL) {
  raw <- data.table::fread(file.path(checkout, "reference", "io500.csv"), na.strings = "")
  data.table::setnames(raw, "campaign", "experiment")
  raw[, `:=`(suite = "io500", target = "example", site = "s", verdict = "UNPROVEN", reasons = "", emulated = FALSE)]
  if (!is.null(seconds)) raw[, total_s := seconds]
  read_records(write_synthetic(raw))
}
