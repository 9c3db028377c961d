title <- "Which defaults Mistral's talk recommends, as printed and recomputed"
position <- 4
needs <- "reference/mistral-defaults.csv"
if_empty <- "The study has no sweep of stripes and processes."
caption <- paste(
  "The table of the talk on Mistral (2015) by processes per node (ppn): bandwidth of a node in MiB/s, arithmetic (ar.)",
  "and harmonic (ha.) mean in per cent of the best; bold: the highest of each mean. The harmonic mean often exceeds",
  "the arithmetic one, so that it cannot be a mean of the same values; the single measurements are not published."
)

make_table <- function(records, inputs) printed_defaults(records, inputs)

make_latex <- function(table) {
  stripes <- sort(unique(table$stripes))
  blocks <- lapply(c("read", "write"), function(side) block_of(table[access == side], stripes))
  cells <- data.table::rbindlist(blocks)
  ends <- table[, sprintf("%ss: %s to %s MiB/s", access[1], thousands(signif(best_lo[1], 5)),
    thousands(signif(best_hi[1], 5))), by = access]$V1
  agree <- sprintf(" The bandwidth over that of the best settings (%s), truncated, gives %d of %d arithmetic means.",
    paste(rev(ends), collapse = ", "), sum(table$recomputed == table$arithmetic), nrow(table))
  spans <- sprintf("\\multicolumn{3}{c}{%s}", counted(stripes, "stripe"))
  latex_table(
    name, paste0(caption, agree), cells, c(node = "@{\\hspace{10pt}}r"),
    c(paste0("& ", paste(spans, collapse = " & "), " \\\\ ppn"), names(cells)[-1]),
    groups = rep(c("read", "write"), vapply(blocks, nrow, 1L))
  )
}

# A row for each number of processes per node; of each mean of an access the highest is bold.
block_of <- function(rows, stripes) {
  words <- function(values, highest) {
    ifelse(values == highest, sprintf("\\textbf{%s}", format_plain(values)), format_plain(values))
  }
  processes <- sort(unique(rows$ppn))
  columns <- lapply(stripes, function(count) {
    of <- rows[stripes == count][match(processes, ppn)]
    list(node = thousands(of$node_mib_s), "ar." = words(of$arithmetic, max(rows$arithmetic)),
      "ha." = words(of$harmonic, max(rows$harmonic)))
  })
  data.table::as.data.table(c(list(ppn = processes), unlist(columns, recursive = FALSE)))
}
