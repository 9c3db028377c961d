# A made world in which every claim of the paper holds, and its contrary.

sizes <- c(2^14, 10 * 2^20)
large <- function(rows) rows$xfer_bytes > 2^20
pick <- function(first, second, when) ifelse(when, first, second)

rows_of <- function(n, ...) {
  read_synthetic(
    nn = 4, ppn = 8, xfer_bytes = sizes, n = n, stonewall_s = 0, site = "ddn-test-cluster", collective = FALSE, ...
  )
}
ior_rows <- function(target, api, order = c("sequential", "random"), nn = c(1, 2, 4), ppn = c(1, 8)) {
  read_synthetic(
    target = target, api = api, order = order, nn = nn, ppn = ppn, xfer_bytes = sizes, site = "ddn-test-cluster",
    collective = FALSE, n = 5
  )
}
netcdf_rows <- function(target) {
  ways <- expand.grid(collective = c(FALSE, TRUE), chunking = c("contiguous", "1:2:3:4"), stringsAsFactors = FALSE)
  data.table::rbindlist(Map(function(collective, chunking) {
    rows_of(5, target = target, api = "NETCDF4", tool = "netcdf-bench", purpose = "format")[, `:=`(
      collective = ..collective, chunking = ..chunking
    )]
  }, ways$collective, ways$chunking))
}

everything <- function() {
  rows <- rbind(
    ior_rows("buffer", "IME"), ior_rows("mount", "POSIX"), ior_rows("files", c("POSIX", "MPIIO")),
    ior_rows("files", "HDF5", "sequential", 4, 8),
    netcdf_rows("files"), netcdf_rows("mount"), netcdf_rows("pool"),
    read_synthetic(
      target = c("files", "mount"), order = c("sequential", "random"), xfer_bytes = 2^14, tool = "io-model",
      purpose = "latency", n = 5
    )
  )
  rows[, requested_bytes := 100 * xfer_bytes * nn * ppn]
}

facts <- c(list(site = list(site = "s", wire_gbit_s = 100)), targets_of(
  buffer = "burst-buffer", mount = "burst-buffer-fuse", files = "parallel", pool = "pool"
))

rates_of_ior <- function(rows) {
  write <- rows$access == "write"
  native <- ifelse(
    write, pick(1200, 100, large(rows)) * pick(7.5, 1, rows$ppn == 8) * rows$nn,
    pick(2000, 60, large(rows)) * pick(4.5, 1, rows$ppn == 8) * rows$nn^0.9
  ) * pick(1.06, 1, rows$order == "random")
  files <- ifelse(
    write, pick(3000, 50, large(rows)) * pick(0.6, 1, rows$api == "MPIIO") * rows$nn^-0.2,
    pick(3600, 3, large(rows)) * pick(2, 1, rows$nn == 1) *
      pick(pick(4.5, 60, large(rows)), 1, rows$api == "MPIIO" & rows$nn == 4)
  ) * pick(0.5, 1, rows$order == "random")
  best <- rows$api == "POSIX" & rows$nn == 4 & rows$ppn == 8 & rows$order == "sequential"
  files <- ifelse(best & !write & !large(rows), 17.4 * 1024, ifelse(best & write & large(rows), 11.8 * 1024, files))
  ifelse(rows$target == "files", files, ifelse(rows$target == "mount", native * pick(0.9, 0.6, write), native))
}

rates_of_netcdf <- function(rows) {
  chunked <- !rows$chunking %in% "contiguous"
  write <- rows$access == "write"
  together <- rows$collective
  rate <- pick(2000, 40, large(rows)) * pick(1.2, 1, large(rows) & chunked) * pick(0.2, 1, !large(rows) & chunked) *
    ifelse(together, ifelse(chunked, 0.4, pick(0.5, 2, large(rows))), 1) *
    pick(1.5, 1, large(rows) & chunked & !together & !write)
  spoiled <- large(rows) & together & !chunked & write
  rate <- rate * pick(pick(0.8, 1.15, spoiled), 1, rows$target == "mount")
  ifelse(rows$target == "pool", pick(20000, 900, large(rows)) * pick(1.15, 1, together), rate) *
    pick(0.3, 1, rows$api == "HDF5")
}

# How far the repetitions of a point lie apart.
spreads_of <- function(rows) {
  steady <- rows$tool == "netcdf-bench" & large(rows) & !rows$chunking %in% "contiguous" & !rows$collective &
    rows$access == "read"
  shaken <- rows$tool == "netcdf-bench" & !large(rows) & rows$chunking %in% "contiguous" & rows$collective &
    rows$access == "read"
  ifelse(steady | rows$tool == "ior", 0.01, ifelse(shaken, 0.2, pick(0.05, 0.005, large(rows))))
}

settled <- function(rows, rates, spreads, opening, latencies) {
  rows <- data.table::copy(rows)
  # Five rounds, none of them alike; the middle one has the rate itself.
  rows[, bw_mib_s := rates * (1 + spreads * (iteration - 2) / 2)]
  rows[, total_s := moved_bytes / mib / bw_mib_s]
  rows[, `:=`(open_s = opening * total_s / 2, close_s = opening * total_s / 2, io_s = (1 - opening) * total_s)]
  rows[, moved_bytes := bw_mib_s * io_s * mib][, `:=`(lat_p50_us = latencies, began = "2026-01-01T00:00:00")][]
}

latencies_of <- function(rows) {
  ifelse(rows$access == "read", pick(100, 200, rows$target == "files"), pick(300, 100, rows$target == "files"))
}

holds <- local({
  rows <- everything()
  rates <- ifelse(rows$tool == "netcdf-bench" | rows$api == "HDF5", rates_of_netcdf(rows), rates_of_ior(rows))
  settled(rows, rates, spreads_of(rows), pick(0.01, 0.2, large(rows)), latencies_of(rows))
})

# What was faster is slower, more than before; what varied is steady; and where that alone would not contradict a claim:
# reads of the buffer outgrow the nodes, its writes leave their line, one large read beats all, MPI-IO writes well,
# HDF5 is NetCDF.
contrary <- local({
  rows <- everything()
  rates <- 5e10 / ifelse(rows$tool == "netcdf-bench", rates_of_netcdf(rows), rates_of_ior(rows))^2
  native <- rows$target %in% c("buffer", "mount") & rows$tool == "ior"
  rates <- rates * pick(rows$nn^3, 1, native & rows$access == "read")
  rates <- rates * pick(30, 1, native & rows$access == "write" & rows$nn == 2)
  hit <- rows$target == "files" & rows$api == "POSIX" & rows$access == "read" & large(rows) & rows$nn == 4 &
    rows$ppn == 8 & rows$order == "sequential"
  rates <- rates * pick(1e9, 1, hit) * pick(10, 1, rows$api == "MPIIO" & rows$access == "write")
  rates <- ifelse(rows$api == "HDF5", 5e10 / pick(960, 3.2, large(rows))^2, rates)
  settled(rows, rates, 0.21 - spreads_of(rows), pick(0.3, 0.02, large(rows)), 1e4 / latencies_of(rows))
})
