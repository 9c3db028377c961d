# A made world in which small transfers are fastest, and its contrary.

facts <- list(targets = list(list(target = "shore", kind = "memory")))
world_where <- function(small_mib_s, large_mib_s) {
  rows <- read_synthetic(target = "shore", xfer_bytes = 2^c(14, 20), n = 4)
  rows[, bw_mib_s := ifelse(xfer_bytes == 2^14, small_mib_s, large_mib_s) * (1 + 0.001 * run)]
  rows[, `:=`(io_s = moved_bytes / mib / bw_mib_s, began = "2026-01-01T00:00:00")][]
}
holds <- world_where(200, 100)
contrary <- world_where(100, 200)
