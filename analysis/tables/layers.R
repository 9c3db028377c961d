title <- "Added cost of each layer"
position <- 2
needs <- "records of the suite layers: several sizes by several interfaces"
if_empty <- "The study does not compare layers."
caption <- paste(
  "What a layer adds to the interface without it, per operation and per MiB, in microseconds of one process, with 95 %",
  "t intervals over the rounds. Bold: the interval excludes zero in this campaign. N\u00d7P: nodes, processes per node."
)

make_table <- function(records, inputs) {
  costs <- layer_costs(records)
  costs <- if (nrow(costs) > 0) costs[api != base & is.finite(added)] else costs
  mounts <- mounts_of(records, inputs)
  only_if(nrow(costs) > 0 || nrow(mounts) > 0)
  if (nrow(costs) > 0) {
    costs <- data.table::dcast(costs,
      target + emulated + access + nn + ppn + api + base + added_n + added_verdict ~ cost,
      value.var = c("added", "added_lo", "added_hi"))
    data.table::setnames(costs, c("added_n", "added_verdict"), c("n", "verdict"))
    costs[, layer := paste(api_words(api), "over", api_words(base))]
  }
  table <- rbind(costs, mounts, fill = TRUE)
  table[order(emulated, target, match(access, access_levels), tasks_of(table), layer)]
}

mounts_of <- function(records, inputs) {
  pairs <- mount_costs(records, known_facts(inputs))
  if (nrow(pairs) == 0) {
    return(pairs)
  }
  of <- function(column, key) vapply(pairs[[column]], function(it) as.numeric(it[[key]]), 1)
  pairs[, .(
    target, emulated, access, nn, ppn, verdict, n = of("added_operation_us", "n"),
    layer = paste("FUSE mount over", native),
    added_operation_us = of("added_operation_us", "mean"), added_lo_operation_us = of("added_operation_us", "lo"),
    added_hi_operation_us = of("added_operation_us", "hi"), added_mib_us = of("added_mib_us", "mean"),
    added_lo_mib_us = of("added_mib_us", "lo"), added_hi_mib_us = of("added_mib_us", "hi")
  )]
}

make_latex <- function(table) {
  cells <- table[, .(
    layer = paste0(latex_name(layer), verdict_mark(verdict)), "$N\\times P$" = shape_cell(nn, ppn), "$n$" = n,
    "per operation" = added_cell(added_operation_us, added_lo_operation_us, added_hi_operation_us),
    "per MiB" = added_cell(added_mib_us, added_lo_mib_us, added_hi_mib_us)
  )]
  latex_table(name, caption, cells, c(layer = "l"), groups = access_groups(table), in_place = TRUE)
}

added_cell <- function(added, lo, hi) {
  words <- effect_number(added)
  clear <- is.finite(lo) & (lo > 0 | hi < 0)
  paste0(ifelse(clear, sprintf("\\textbf{%s}", words), words),
    ifelse(is.finite(lo), sprintf(" (%s to %s)", effect_number(lo), effect_number(hi)), ""))
}
