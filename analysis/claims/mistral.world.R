# A made world in which the claims of the talk hold, and its contrary.

world_where <- function(holds) {
  apis <- list(POSIX = "file-per-process", MPIIO = "shared", PNETCDF = "shared", HDF5 = "shared")
  records <- data.table::rbindlist(Map(function(api, layout) {
    read_synthetic(target = "files", api = api, layout = layout, ppn = c(1, 4), n = 6)
  }, names(apis), apis))
  speed <- c(POSIX = 1600, MPIIO = 400, PNETCDF = 800, HDF5 = 200)[records$api] * ifelse(records$ppn == 4, 1, 0.05)
  single <- read_synthetic(
    target = "files", order = c("sequential", "random"), xfer_bytes = 2^14, n = 6, tool = "io-model",
    purpose = "latency"
  )
  rows <- rbind(records, single)
  speed <- c(speed, rep(100, nrow(single)))
  rows[, bw_mib_s := (if (holds) speed else 1000 - speed / 4) * (1 + 0.002 * iteration)]
  rows[, io_s := moved_bytes / mib / bw_mib_s]
  slow <- rows$order == "random" & holds
  rows[, `:=`(lat_p50_us = ifelse(slow, 90, 30) * (1 + 0.002 * iteration), began = "2026-01-01T00:00:00")][]
}

facts <- c(list(suites = list(list(suite = "mistral"))), targets_of(files = "parallel"))
holds <- world_where(TRUE)
contrary <- world_where(FALSE)
