title <- "Which defaults Mistral's talk recommends, as printed and recomputed"
position <- 4
needs <- "reference/mistral-defaults.csv"
if_empty <- "The study has no sweep of stripes and processes."
caption <- paste(
  "The table of the talk on Mistral (2015): bandwidth of a node in MiB/s, arithmetic and harmonic mean of the share",
  "of the best in per cent; bold: the best setting. Recomputed (rec.): the arithmetic mean is the bandwidth of a",
  "node over that of the best settings, without its decimals; one bandwidth of the best settings gives all printed",
  "numbers. The harmonic mean is copied, as the single measurements are not published."
)

make_table <- function(records, inputs) printed_defaults(records, inputs)

make_latex <- function(table) {
  sides <- lapply(c("read", "write"), function(side) {
    rows <- table[access == side]
    words <- function(values) {
      ifelse(values == max(values), sprintf("\\textbf{%s}", format_plain(values)), format_plain(values))
    }
    list(
      node = format(rows$node_mib_s, big.mark = ",", trim = TRUE), printed = words(rows$arithmetic),
      rec = rows$recomputed, harmonic = words(rows$harmonic)
    )
  })
  first <- table[access == "read"]
  cells <- data.table::data.table(first$ppn)
  for (side in sides) cells <- cbind(cells, data.table::as.data.table(side))
  ends <- table[, sprintf("%ss: %s to %s MiB/s", access[1], rate_4(best_lo[1]), rate_4(best_hi[1])), by = access]$V1
  agree <- sprintf("; %d of %d recomputed means agree (bandwidth of the best settings that gives them: %s).",
    sum(table$recomputed == table$arithmetic), nrow(table), paste(rev(ends), collapse = ", "))
  latex_table(
    name, paste0(sub("[.]$", "", caption), agree), cells, rep("r", 9),
    c("ppn", "read: node", "arith.", "rec.", "harm.", "write: node", "arith.", "rec.", "harm."),
    groups = counted(first$stripes, "stripe")
  )
}

rate_4 <- function(rate) format(signif(rate, 5), big.mark = ",", trim = TRUE)
