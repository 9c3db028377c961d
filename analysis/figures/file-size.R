title <- "Bandwidth against file size: where caching ends"
position <- 4
statistic <- "Points: medians"
needs <- "records of the experiment `file-size` of the suite nersc-ior: several sizes, caches left alone"
if_empty <- "The study has no sweep of file sizes."
caption <- paste(
  "Bandwidth of a shared file against the bytes of one process, caches neither dropped nor synchronised: a read after",
  "the write of the same node, as in the talk. Dashed: bandwidth with caches dropped before the read and synchronised",
  "writes; points far above it are served from memory. Dotted: memory of the node divided by its processes."
)

make_table <- function(records, inputs) {
  sizes <- transfers_of(records)[experiment %in% "file-size" & !is.na(block_bytes)]
  only_if(nrow(sizes) > 0 && data.table::uniqueN(sizes$block_bytes) > 1)
  # What a file has in common with that of the dashed line, which differs in size and caches alone.
  alike <- c("suite", "target", "stack", "access", "api", "nn", "ppn", "xfer_bytes")
  table <- summarise_records(sizes, bandwidth_all(sizes), c(alike, "block_bytes"), "MiB/s")
  node_bytes <- as.numeric(c(memory_of(known_facts(inputs)), NA)[1])
  table[, `:=`(memory_bytes = node_bytes / ppn, page = "all", sheet = 1L)]
  # A degraded read may have come from memory itself.
  dropped <- transfers_of(records)[experiment %in% "scaling" & layout %in% "shared" & verdict %in% usable_verdicts]
  table[, storage_mib_s := NA_real_]
  if (nrow(dropped) > 0) {
    beside <- summarise_records(dropped, bandwidth_all(dropped), alike, "MiB/s")
    table[beside, storage_mib_s := i.median, on = alike]
  }
  name_apart(table)
}

make_figure <- function(table) {
  drawn <- mark_emulated(data.table::copy(table))[n > 0]
  drawn[, access := factor(access, levels = access_levels)]
  drawn[, target := factor(target, levels = unique(target[order(emulated)]))]
  ends <- drawn[memory_bytes <= 4 * max(block_bytes)]
  figure <- ggplot2::ggplot(drawn, ggplot2::aes(block_bytes, median, colour = access, shape = access)) +
    ggplot2::geom_hline(ggplot2::aes(yintercept = storage_mib_s, colour = access), linetype = "dashed",
      linewidth = 0.3, na.rm = TRUE, show.legend = FALSE) +
    point_marks("access", line = ggplot2::geom_line(linewidth = 0.4, show.legend = FALSE)) +
    ggplot2::facet_wrap(ggplot2::vars(target), ncol = 2, scales = "free_y") +
    scale_access(drawn$access) +
    scale_x_powers("Bytes of one process", drawn$block_bytes, bytes_words, 55) +
    scale_y_rate("Bandwidth in MiB/s") +
    theme_weir()
  if (nrow(ends) == 0) {
    return(figure)
  }
  figure + ggplot2::geom_vline(
    ggplot2::aes(xintercept = memory_bytes), data = ends, linetype = "dotted", linewidth = 0.3
  )
}

height_mm <- function(table) 40 + 38 * ceiling(data.table::uniqueN(table$target) / 2)
