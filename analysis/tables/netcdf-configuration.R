title <- "NetCDF-Bench: configurations"
position <- 3
section <- "setup"
needs <- "records of NetCDF-Bench"
caption <- paste(
  "Settings of NetCDF-Bench: the block of one call, how it is stored and accessed, and the data of all processes",
  "for each number of nodes and processes per node (N\u00d7P)."
)
of_publication <- paste(
  "Printed: the size of the data in the paper for the same block on 10\u00d78; of 80 processes: the size of 100 time",
  "steps of 80 blocks, where the two differ the paper counted otherwise."
)

make_table <- function(records, inputs) {
  records <- transfers_of(records)[purpose == "format" & verdict != "INVALID"]
  only_if(nrow(records) > 0)
  records[, tasks := tasks_of(records)]
  table <- records[, .(
    steps = requested_bytes[1] / (xfer_bytes[1] * tasks[1]), requested_bytes = requested_bytes[1],
    stored = and_list(sort(unique(ifelse(is.na(chunking) | chunking == "contiguous", "contiguous", "chunked")))),
    ways = and_list(sort(unique(ifelse(collective %in% TRUE, "collective", "independent")))), n = .N,
    emulated = all(emulated)
  ), by = .(xfer_bytes, nn, ppn)]
  table <- table[order(xfer_bytes, nn, ppn)]
  repeats <- "ime-paper" %in% publications_of(known_facts(inputs))
  table[, published_gib := published_sizes(if (repeats) inputs$published, xfer_bytes)]
  table[, whole_gib := 100 * 80 * xfer_bytes / 2^30][]
}

published_sizes <- function(path, sizes_bytes) {
  if (is.null(path)) {
    return(rep(NA_real_, length(sizes_bytes)))
  }
  printed <- read_published(path)[metric == "data_size"]
  printed$value[match(sizes_bytes, printed$xfer_bytes)]
}

make_latex <- function(table) {
  cells <- table[, .(
    block = bytes_words(xfer_bytes), "$N\\times P$" = shape_cell(nn, ppn),
    steps = dash(ifelse(is.na(steps), NA, thousands(signif(steps, 3)))), data = bytes_words(requested_bytes),
    stored = latex_name(stored), access = latex_name(ways)
  )]
  # Who repeats no publication has no column of one.
  repeats <- any(!is.na(table$published_gib))
  if (repeats) {
    cells[, `:=`("printed, GiB" = dash(table$published_gib), "of 80 proc., GiB" = signif(table$whole_gib, 3))]
  }
  latex_table(
    name, paste(c(caption, if (repeats) of_publication), collapse = " "), cells,
    c(stored = wrapped_column(18), access = wrapped_column(19)), lines = rep(2, nrow(table))
  )
}
