title <- "Times of single operations"
position <- 28
statistic <- "Lines: share of operations that took longer"
interval_text <- "Grey lines: p50, p99 and p99.9."
needs <- "times of single operations (latencies.csv) of io-model"
caption <- paste(
  "How many of the operations took longer than a time, one line for each storage; both axes are logarithmic, so that",
  "the tail can be read: at 0.01 is the 99th percentile. A step to the right may be where a cache did not answer;",
  "where a line is the same for both orders, the order costs nothing."
)

make_table <- function(records, inputs) {
  only_if(!is.null(inputs$latencies) && nrow(records) > 0)
  # A sweep of sizes and orders has a figure of its own.
  known <- add_variant(records[!experiment %in% "operations"], c(apart_in_latencies, "collective"))
  buckets <- buckets_of_records(known, inputs)
  only_if(nrow(buckets) > 0)
  by <- c(apart_in_latencies, "variant")
  usable <- buckets[verdict %in% usable_verdicts]
  tails <- usable[, .(count = sum(count)), by = c(by, "upper_us")]
  data.table::setorderv(tails, c(by, "upper_us"))
  tails[, beyond := 1 - cumsum(count) / sum(count), by = by]
  about <- known[cell %in% buckets$cell, .(
    n = data.table::uniqueN(run[verdict %in% usable_verdicts]),
    verdict = point_verdict(any(verdict %in% usable_verdicts), FALSE, sum(verdict == "UNPROVEN")),
    n_degraded = sum(verdict == "DEGRADED"), n_invalid = sum(verdict == "INVALID"), emulated = any(emulated)
  ), by = by]
  panels <- panels_of_storages(about[tails[, .(
    operations = sum(count), median = counted_quantile(upper_us, count, 0.5),
    p99 = counted_quantile(upper_us, count, 0.99),
    unit = "us", upper_us = list(upper_us), beyond = list(beyond)
  ), by = by], on = by])
  note_cached_reads(panels, usable)
}

verdict_text <- function(table) {
  kinds <- vapply(usable_verdicts, function(kind) sum(table$verdict == kind), 1L)
  sprintf("%s: %s; emulated storage is dashed or dotted.", counted(nrow(table), "line"),
    paste(kinds, tolower(usable_verdicts), collapse = ", "))
}

make_figure <- function(table) {
  drawn <- lines_of_storages(table, function(row) lapply(row[, .(upper_us, beyond)], unlist))
  ggplot2::ggplot(drawn$lines[beyond > 0], ggplot2::aes(upper_us, beyond, colour = storage, linetype = storage)) +
    ggplot2::geom_hline(yintercept = c(0.5, 0.01, 0.001), colour = "#d0d0d0", linewidth = 0.3) +
    ggplot2::geom_step(ggplot2::aes(group = storage), linewidth = 0.45) +
    facet_panels(table) +
    scale_looks(drawn$looks, entries = 3) +
    scale_x_rate("Time of one operation in microseconds", panel_mm = panel_width_mm(table)) +
    ggplot2::scale_y_log10("Share that took longer", labels = format_plain, breaks = c(0.5, 0.1, 0.01, 0.001, 1e-4)) +
    theme_weir()
}

height_mm <- function(table) 40 + row_count(table) * if (row_count(table) > 4) 22 else 30
