# How long the analysis takes with many records: Rscript bench/analysis.R [RECORDS] [DIR]
#
# Synthetic records of 11 numbers of nodes, 19 of processes per node, 5 interfaces, 3 sizes of transfers, 2 layouts and
# 2 orders, each written and read in 4 rounds: 100,320. Fewer records are fewer nodes. Draws every part on two cores and
# prints the time and the largest page of a table.

source("analysis/load.R")
load_analysis("analysis")

goal_s <- 40
goal_bytes <- 2 * 2^20

synthetic_study <- function(records, folder) {
  set.seed(1)
  of_a_node <- 19 * 5 * 3 * 2 * 2 * 2 * 4
  nodes <- max(1, round(records / of_a_node))
  rows <- CJ(
    nn = seq_len(nodes), ppn = 1:19, api = c("POSIX", "MPIIO", "HDF5", "NETCDF4", "PNETCDF"),
    xfer_bytes = 2^c(14, 17, 20), layout = c("shared", "file-per-process"), order = c("sequential", "random"),
    access = c("write", "read"), run = 0:3
  )
  speed <- 200 * sqrt(rows$nn * rows$ppn) * (rows$xfer_bytes / 2^14)^0.3 * ifelse(rows$order == "random", 0.7, 1)
  rows[, `:=`(
    cell = sprintf("%012x", as.integer(factor(paste(nn, ppn, api, xfer_bytes, layout, order)))),
    bw_mib_s = round(speed * exp(rnorm(.N, 0, 0.08)), 3), iteration = run, moved_bytes = nn * ppn * 2^24,
    block_bytes = 2^24, requested_bytes = nn * ppn * 2^24, stripe_count = NA, stonewall_s = 0, verdict = "VALID",
    reasons = "", evidence = "", notes = "", checked = "", missing = "", emulated = FALSE, suite = "many",
    experiment = "all", site = "large", target = "fast", stack = "system", tool = "ior", program = "weir-io",
    purpose = "bandwidth", began = format(as.POSIXct("2026-01-01", tz = "UTC") + seq_len(.N), "%Y-%m-%dT%H:%M:%SZ")
  )]
  rows[, total_s := moved_bytes / 2^20 / bw_mib_s]
  rows[, `:=`(open_s = 0.01 * total_s, close_s = 0.04 * total_s, io_s = 0.95 * total_s, label = cell)]
  rows[, `:=`(ops = moved_bytes / xfer_bytes, ops_s = moved_bytes / xfer_bytes / io_s, lat_p99_us = 1e6 * io_s / 9)]
  dir.create(folder, showWarnings = FALSE, recursive = TRUE)
  fwrite(rows, file.path(folder, "records.csv"))
  writeLines("suite,experiment,reason,cells", file.path(folder, "excluded.csv"))
  writeLines("cell,run,access,iteration,upper_us,count", file.path(folder, "latencies.csv"))
  stopifnot(system2(".venv/bin/python", c("-m", "weir.collect.intervals", file.path(folder, "intervals.csv"))) == 0)
  facts <- list(site = list(site = "large", description = "synthetic"), suites = list(), machines = list(),
    targets = list(list(target = "fast", kind = "parallel", emulated = FALSE)), records = nrow(rows))
  jsonlite::write_json(facts, file.path(folder, "facts.json"), auto_unbox = TRUE)
  nrow(rows)
}

arguments <- commandArgs(TRUE)
folder <- if (length(arguments) > 1) arguments[2] else tempfile("weir-bench-analysis-")
wanted <- if (length(arguments) > 0) as.numeric(arguments[1]) else 100320
made <- synthetic_study(wanted, folder)
began <- proc.time()
status <- system2("Rscript", c("analysis/draw.R", "study", shQuote(folder)))
took <- proc.time() - began
pages <- list.files(file.path(folder, "tables"), "[.]html$", full.names = TRUE)
load <- strsplit(readLines("/proc/loadavg"), " ")[[1]][1]
cat(sprintf("%s records: %.1f s and %.1f s of CPU for all parts (goal %d s on 2 cores; load %s at the end)\n",
  format(made, big.mark = ","), took[["elapsed"]], sum(took[c("user.child", "sys.child")]), goal_s, load))
cat(sprintf("largest page of a table: %.2f MiB (goal %.0f MiB)\n", max(file.size(pages)) / 2^20, goal_bytes / 2^20))
quit(status = status, save = "no")
