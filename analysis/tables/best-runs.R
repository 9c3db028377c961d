title <- "Best settings for read, run by run"
position <- 6
needs <- "two writes and two reads of the same setting"
if_empty <- no_form
caption <- paste(
  "Of the settings that were written and read, the one with the best mean read of each interface, layout and number",
  "of nodes, as the table Best settings for read of the talk on Mistral has it: up to three writes (W) and reads (R)",
  "in the order in which they ran, their means, and the bandwidth per node (WNode, RNode), in MiB/s; stripes as",
  "requested."
)

settings <- c("target", "api", "layout", "order", "xfer_bytes", "nn", "ppn", "stripe_count")
most_runs <- 3L

make_table <- function(records, inputs) {
  known <- bulk_transfers(records)[verdict != "INVALID" & !is.na(nn) & !is.na(ppn)]
  only_if(wants_form(inputs, "table best-runs") && nrow(known) > 0)
  known <- add_variant(known, c("access", settings))[, value_of_record := bandwidth_all(.SD)]
  # Degraded runs stand where a setting has no others.
  known <- known[used_records(known, c(settings, "variant", "access", "emulated"))]
  ran <- known[order(run, iteration), .(
    rates = list(utils::head(value_of_record, most_runs)), mean = mean(value_of_record), n = .N,
    verdict = point_verdict(TRUE, all(verdict == "DEGRADED"), sum(verdict == "UNPROVEN"))
  ), by = c(settings, "variant", "access", "emulated")]
  # A single run has nothing to be listed beside.
  ran <- ran[n > 1]
  both <- merge(ran[access == "write"], ran[access == "read"], by = c(settings, "variant", "emulated"),
    suffixes = c("_w", "_r"))
  only_if(nrow(both) > 0)
  best <- both[order(-mean_r), .SD[1], by = .(emulated, target, api, layout, nn)]
  best[, verdict := worse_verdict(verdict_w, verdict_r)]
  for (i in seq_len(most_runs)) {
    best[, paste0("w", i) := vapply(rates_w, function(runs) runs[i], 1)]
    best[, paste0("r", i) := vapply(rates_r, function(runs) runs[i], 1)]
  }
  best[, `:=`(write_node = mean_w / nn, read_node = mean_r / nn, n = pmin(n_w, n_r))]
  told <- c("target", "emulated", "api", "layout", "order", "variant", paste0("w", seq_len(most_runs)),
    paste0("r", seq_len(most_runs)), "mean_w", "mean_r", "write_node", "read_node", "nn", "ppn", "stripe_count",
    "xfer_bytes", "n", "verdict")
  best[order(emulated, target, match(api, looks_of("api")$name), layout, nn), told, with = FALSE]
}

make_latex <- function(table) {
  runs <- table[, c(paste0("w", seq_len(most_runs)), paste0("r", seq_len(most_runs))), with = FALSE]
  runs <- runs[, lapply(.SD, function(rates) ifelse(is.na(rates), "", rate_words(rates)))]
  cells <- cbind(data.table::setnames(runs, toupper), table[, .(
    "avg. write" = rate_words(mean_w), "avg. read" = paste0(rate_words(mean_r), verdict_mark(verdict)),
    WNode = rate_words(write_node), RNode = rate_words(read_node), nodes = nn, PPN = ppn,
    stripes = ifelse(is.na(stripe_count), "", as.character(stripe_count)), transfer = bytes_words(xfer_bytes)
  )])
  where <- table[, paste0(mark_name(target, emulated), ", ", api_words(api), ", ", layout_words(layout),
    ifelse(nzchar(variant), paste0(", ", variant), ""))]
  latex_table(name, caption, cells, groups = escape_latex(where))
}
