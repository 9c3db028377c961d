title <- "Which stripe count and number of processes to make the default"
position <- 3
needs <- "records of the experiment `defaults` of the suite mistral"
if_empty <- "The study has no sweep of stripes and processes."
caption <- paste(
  "Share of the best setting's bandwidth that each setting reaches, in per cent: the arithmetic mean over the",
  "numbers of nodes is what users get on average, the harmonic mean is low where a setting fails for some of them.",
  "Node: mean bandwidth of a node in MiB/s; over: numbers of nodes in the mean; stripes -- is a file system without",
  "stripes. Bold: the best setting of those with all numbers of nodes."
)

make_table <- function(records, inputs) {
  shares <- shares_of_best(records)
  only_if(nrow(shares) > 0)
  emulated_last(in_access_order(shares, c("target", "access", "api", default_settings)))
}

make_latex <- function(table) {
  cells <- table[, .(
    interface = latex_name(api_words(api)), stripes = ifelse(stripe_count %in% c(0, NA), "--", stripe_count), ppn,
    over = situations, "$n$" = n, node = paste0(rate_words(node_mib_s), verdict_mark(verdict)),
    arithmetic = best_in_bold(arithmetic, .SD), harmonic = best_in_bold(harmonic, .SD)
  )]
  latex_table(name, caption, cells, c(interface = "l"), groups = access_groups(table))
}

best_in_bold <- function(share, table) {
  words <- whole_percent(share)
  best <- share == stats::ave(ifelse(table$whole, share, -1), table$target, table$access, table$api, FUN = max)
  ifelse(best, sprintf("\\textbf{%s}", words), words)
}
