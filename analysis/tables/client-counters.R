title <- "Client counters of a single process"
position <- 30
needs <- "records of the experiment `operations` of the suite mistral"
if_empty <- "The study has no sweep of single operations by size and order."
in_print <- "The table has operations of 16 KiB and 1 MiB; all sizes are in tables/client-counters.csv."
caption <- paste(
  "Per run: operations that the process made, bytes that it moved, bytes that the client fetched from storage for it",
  "(0: the page cache answered; more than was moved: read-ahead), and the bandwidth in MiB/s."
)
of_lustre <- paste(
  "Of the Lustre client, as the talk has them: calls and mean bytes of a call (llite), and bytes that it exchanged",
  "with the storage targets (osc); other users of the node count too."
)
without_lustre <- paste(
  "The talk's counters of the Lustre client (llite and osc) are not available here: no target is Lustre."
)

make_table <- function(records, inputs) {
  records <- transfers_of(records)[experiment %in% "operations" & purpose %in% "latency" & verdict != "INVALID"]
  only_if(nrow(records) > 0)
  records <- name_apart(cbind(records, operation_kinds(records$label)))
  counted <- client_counters(inputs)
  records <- merge(records, counted, by = c("cell", "access", "iteration"), all.x = TRUE, sort = FALSE)
  middle <- function(values) as.numeric(stats::median(values, na.rm = TRUE))
  records[, c(
    list(
      n = data.table::uniqueN(run), operations = middle(ops), moved_bytes = middle(moved_bytes),
      fetched_bytes = middle(fetched_bytes), mib_s = middle(bandwidth_io(.SD))
    ),
    lapply(.SD[, client_columns, with = FALSE], middle),
    list(
      verdict = point_verdict(TRUE, any(verdict == "DEGRADED"), sum(verdict == "UNPROVEN")), emulated = any(emulated)
    )
  ), by = .(target, access, cached, locality, memory, xfer_bytes)][
    order(emulated, target, match(access, access_levels), cached, locality, memory, xfer_bytes)
  ]
}

client_columns <- c("llite_calls", "llite_bytes", "osc_bytes")

# One row for each access of a run: of the counters that belong to its direction.
client_counters <- function(inputs) {
  none <- data.table::data.table(
    cell = character(), access = character(), iteration = integer(), llite_calls = numeric(), llite_bytes = numeric(),
    osc_bytes = numeric()
  )
  if (is.null(inputs$counters) || !file.exists(inputs$counters)) {
    return(none)
  }
  types <- list(character = c("cell", "counter"), numeric = "samples")
  counters <- data.table::fread(inputs$counters, colClasses = types)
  if (nrow(counters) == 0) {
    return(none)
  }
  counters[, kind := data.table::fcase(
    counter == paste0(access, "_bytes"), "llite", counter == paste0("osc_", access, "_bytes"), "osc"
  )]
  counters[!is.na(kind), .(
    llite_calls = as.numeric(sum(samples[kind == "llite"])),
    llite_bytes = sum(as.numeric(sum[kind == "llite"])) / sum(samples[kind == "llite"]),
    osc_bytes = if (any(kind == "osc")) sum(as.numeric(sum[kind == "osc"])) else NA_real_
  ), by = .(cell, access, iteration)]
}

make_latex <- function(table) {
  shown <- table[xfer_bytes %in% c(2^14, 2^20) & !emulated]
  if (nrow(shown) == 0) shown <- table
  cells <- shown[, .(
    cache = cached, order = locality, memory = ifelse(memory == "off0", "one buffer", "rnd"),
    size = bytes_words(xfer_bytes), "$n$" = n, calls = ifelse(is.na(operations), "--", thousands(operations)),
    moved = bytes_words(moved_bytes), fetched = dash(bytes_words(fetched_bytes)),
    "MiB/s" = paste0(rate_words(mib_s), verdict_mark(verdict))
  )]
  has_client <- any(!is.na(shown$llite_calls))
  if (has_client) {
    cells <- cbind(cells, shown[, .(llite = dash(format_plain(llite_calls)), mean = dash(bytes_words(llite_bytes)),
      osc = dash(bytes_words(osc_bytes)))])
  }
  about <- paste(caption, if (has_client) of_lustre else without_lustre, in_print)
  latex_table(name, about, cells, c(cache = "l", order = "l", memory = "l"), groups = access_groups(shown))
}
