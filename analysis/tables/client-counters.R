title <- "Client counters of a single process"
place <- 30
needs <- "records of the experiment `operations` of the suite mistral"
if_empty <- "The study has no sweep of single operations by size and order."
in_print <- "The table has operations of 16 KiB and 1 MiB; all sizes are in tables/client-counters.csv."
caption <- paste(
  "Per run: operations that the process made, bytes that it moved, bytes that the client fetched from storage for it",
  "(0: the page cache answered; more than was moved: read-ahead), and the bandwidth in MiB/s. The talk's counters of",
  "the Lustre client (calls of llite and osc) are in the document of each run where the file system is Lustre."
)

make_table <- function(records, inputs) {
  records <- transfers_of(records)[experiment %in% "operations" & purpose %in% "latency" & verdict != "INVALID"]
  if (nrow(records) == 0) {
    return(data.table::data.table())
  }
  records <- cbind(records, operation_kinds(records$label))
  middle <- function(values) as.numeric(stats::median(values, na.rm = TRUE))
  records[, .(
    n = data.table::uniqueN(run), operations = middle(ops), moved_bytes = middle(moved_bytes),
    fetched_bytes = middle(fetched_bytes), mib_s = middle(bandwidth_io(.SD)),
    verdict = point_verdict(TRUE, any(verdict == "DEGRADED"), sum(verdict == "UNPROVEN")), emulated = any(emulated)
  ), by = .(target, access, cached, locality, memory, xfer_bytes)][
    order(emulated, target, match(access, access_levels), cached, locality, memory, xfer_bytes)
  ]
}

make_latex <- function(table) {
  shown <- table[xfer_bytes %in% c(2^14, 2^20) & !emulated]
  if (nrow(shown) == 0) shown <- table
  cells <- shown[, .(
    cached, locality, ifelse(memory == "off0", "one buffer", "rnd"), bytes_words(xfer_bytes), n, operations,
    bytes_words(moved_bytes), dash(bytes_words(fetched_bytes)), paste0(rate_words(mib_s), verdict_mark(verdict))
  )]
  latex_table(
    name, paste(caption, in_print), cells, c("l", "l", "l", rep("r", 6)),
    c("cache", "order", "memory", "size", "$n$", "calls", "moved", "fetched", "MiB/s"), groups = access_groups(shown)
  )
}
