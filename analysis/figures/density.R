title <- "Density of the times of single operations"
position <- 29
statistic <- "Curves: share of the operations in each tenth of a power of ten of the time"
interval_text <- ""
needs <- "times of single operations (latencies.csv) of io-model"
caption <- paste(
  "How the times of single operations are distributed, a curve for each storage; the axis of the times is",
  "logarithmic. Two hills may be a cache and what is behind it."
)
page_limit <- 2L

classes_of_a_decade <- 10

make_table <- function(records, inputs) {
  records <- records[verdict %in% c(usable_verdicts, "DEGRADED") & !experiment %in% "operations"]
  only_if(!is.null(inputs$latencies) && nrow(records) > 0)
  buckets <- buckets_of_records(add_variant(records, c(apart_in_latencies, "collective")), inputs)
  degraded <- nrow(unique(buckets[verdict == "DEGRADED", .(cell, run, access, iteration)]))
  buckets <- buckets[verdict %in% usable_verdicts]
  only_if(nrow(buckets) > 0)
  by <- c(apart_in_latencies, "variant")
  buckets[, class := floor(log10(upper_us) * classes_of_a_decade)]
  classes <- buckets[, .(count = sum(count)), by = c(by, "class")]
  data.table::setorderv(classes, c(by, "class"))
  curves <- classes[, .(operations = sum(count), classes = list(class), shares = list(count / sum(count)),
    median = 10^((counted_quantile(class, count, 0.5) + 0.5) / classes_of_a_decade), unit = "us"), by = by]
  about <- buckets[, .(n = data.table::uniqueN(run), n_degraded = 0L, n_invalid = 0L, emulated = any(emulated),
    verdict = point_verdict(TRUE, FALSE, sum(verdict == "UNPROVEN"))), by = by]
  panels <- note_cached_reads(panels_of_storages(about[curves, on = by]), buckets)
  if (degraded > 0) add_note(panels, sprintf("Not drawn: %s.", counted(degraded, "degraded record"))) else panels
}

verdict_text <- function(table) sprintf("%s; emulated storage is dashed or dotted.", counted(nrow(table), "curve"))

# Classes without an operation are at nothing, so that a hill ends.
curve_of <- function(classes, shares) {
  all <- seq(min(classes) - 1, max(classes) + 1)
  found <- shares[match(all, classes)]
  list(us = 10^((all + 0.5) / classes_of_a_decade), share = ifelse(is.na(found), 0, found))
}

make_figure <- function(table) {
  drawn <- lines_of_storages(table, function(row) curve_of(unlist(row$classes), unlist(row$shares)))
  ggplot2::ggplot(drawn$lines, ggplot2::aes(us, share, colour = storage, linetype = storage)) +
    ggplot2::geom_line(linewidth = 0.45) +
    facet_panels(table, scales = "free_y") +
    scale_looks(drawn$looks, entries = 3) +
    scale_x_rate("Time of one operation in microseconds", panel_mm = panel_width_mm(table)) +
    ggplot2::scale_y_continuous("Share of the operations", labels = function(it) paste(format_plain(100 * it), "%")) +
    theme_weir()
}

height_mm <- function(table) 36 + 32 * row_count(table)
