# A made world in which the claims of the talk hold, and its contrary.

world_where <- function(holds) {
  apis <- c("POSIX", "MPIIO", "HDF5", "PNETCDF")
  rows <- rbind(
    read_synthetic(target = "files", api = apis, ppn = 2, xfer_bytes = 2^c(14, 20), n = 6),
    read_synthetic(target = "files", layout = "file-per-process", ppn = 2, xfer_bytes = 2^20, n = 6),
    read_synthetic(target = "files", api = "POSIX", ppn = 2, xfer_bytes = 2^20, n = 6, purpose = "application",
      tool = "madbench", experiment = "madbench")
  )
  cached <- data.table::rbindlist(lapply(2^c(24, 28), function(size) {
    read_synthetic(target = "files", api = "POSIX", ppn = 2, xfer_bytes = 2^20, block_bytes = size, n = 6,
      experiment = "file-size", sync = FALSE)
  }))
  speed <- c(POSIX = 1000, MPIIO = 950, HDF5 = 700, PNETCDF = 200)[rows$api] * ifelse(rows$xfer_bytes > 2^14, 1, 0.1)
  contrary <- c(POSIX = 1000, MPIIO = 3000, HDF5 = 4000, PNETCDF = 9000)[rows$api] *
    ifelse(rows$layout == "shared", 1, 9) * ifelse(rows$purpose == "application", 3, 1)
  rows[, bw_mib_s := (if (holds) speed else contrary) * (1 + 0.002 * iteration)]
  cached[, bw_mib_s := ifelse((block_bytes == 2^24) == holds, 4000, 500) * (1 + 0.002 * iteration)]
  cached[, requested_bytes := as.numeric(block_bytes) * 2]
  rows <- rbind(rows[, sync := TRUE], cached, fill = TRUE)
  rows[, total_s := moved_bytes / mib / bw_mib_s]
  rows[, `:=`(io_s = moved_bytes / mib / bw_mib_s, began = "2026-01-01T00:00:00")][]
}

facts <- c(list(suites = list(list(suite = "nersc-ior"))), targets_of(files = "parallel"))
holds <- world_where(TRUE)
contrary <- world_where(FALSE)
