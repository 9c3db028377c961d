title <- "Density of the times of single operations"
position <- 29
statistic <- "Curves: share of the operations in each tenth of a power of ten of the time"
interval_text <- ""
needs <- "times of single operations (latencies.csv) of io-model"
caption <- paste(
  "How the times of single operations are distributed, a curve for each storage; the axis of the times is",
  "logarithmic. Two hills are a cache and what is behind it."
)
page_limit <- 2L

apart <- c("target", "tool", "api", "access", "order", "nn", "ppn", "xfer_bytes")
classes_of_a_decade <- 10

make_table <- function(records, inputs) {
  records <- records[verdict %in% usable_verdicts & !experiment %in% "operations"]
  if (is.null(inputs$latencies) || nrow(records) == 0) {
    return(data.table::data.table())
  }
  known <- add_variant(records, c(apart, "collective"))
  buckets <- known[read_latencies(inputs$latencies), on = c("cell", "run", "access", "iteration"), nomatch = NULL]
  if (nrow(buckets) == 0) {
    return(data.table::data.table())
  }
  by <- c(apart, "variant")
  buckets[, class := floor(log10(upper_us) * classes_of_a_decade)]
  classes <- buckets[, .(count = sum(count)), by = c(by, "class")]
  data.table::setorderv(classes, c(by, "class"))
  curves <- classes[, .(operations = sum(count), classes = list(class), shares = list(count / sum(count)),
    median = 10^((counted_quantile(class, count, 0.5) + 0.5) / classes_of_a_decade), unit = "us"), by = by]
  about <- buckets[, .(n = data.table::uniqueN(run), n_degraded = 0L, n_invalid = 0L, emulated = any(emulated),
    verdict = point_verdict(TRUE, FALSE, sum(verdict == "UNPROVEN"))), by = by]
  table <- about[curves, on = by]
  table[, storage := if (data.table::uniqueN(api) > 1) paste0(target, ", ", api_words(api)) else target]
  place_panels(table, c(variant = "page", tool = "page", nn = "page", ppn = "page", xfer_bytes = "row",
    order = "column", access = "column"), panels = 8)
}

verdict_text <- function(table) sprintf("%s; emulated storage is dashed or dotted.", counted(nrow(table), "curve"))

# Classes without an operation are at nothing, so that a hill ends.
curve_of <- function(classes, shares) {
  all <- seq(min(classes) - 1, max(classes) + 1)
  found <- shares[match(all, classes)]
  list(us = 10^((all + 0.5) / classes_of_a_decade), share = ifelse(is.na(found), 0, found))
}

make_figure <- function(table) {
  drawn <- mark_emulated(data.table::copy(table))
  drawn[emulated == TRUE, storage := paste0(storage, emulated_mark)]
  curves <- drawn[, curve_of(unlist(classes), unlist(shares)), by = .(storage, row, column)]
  storages <- unique(drawn[order(emulated, storage), .(storage, emulated)])
  curves[, storage := factor(storage, levels = storages$storage)]
  shown <- looks_of_storages(setNames(storages$emulated, storages$storage))
  ggplot2::ggplot(curves, ggplot2::aes(us, share, colour = storage, linetype = storage)) +
    ggplot2::geom_line(linewidth = 0.45) +
    facet_panels(table, scales = "free_y") +
    scale_looks(shown, entries = 3) +
    scale_x_rate("Time of one operation in microseconds", panel_mm = panel_width_mm(table)) +
    ggplot2::scale_y_continuous("Share of the operations", labels = function(it) paste(format_plain(100 * it), "%")) +
    theme_weir()
}

height_mm <- function(table) 36 + 32 * row_count(table)
