title <- "Bandwidth of every point"
place <- 60
caption <- "Median bandwidth of every point, with n, the 95 % bootstrap interval, the best value and the verdict."

make_table <- function(records, inputs) {
  by <- c("target", "api", "layout", "order", "xfer_bytes", "nn", "ppn", "access")
  transfers <- transfers_of(records)
  summarise_records(transfers, bandwidth_all(transfers), by, "MiB/s")
}

make_latex <- function(table) {
  rows <- table[, paste(
    escape_latex(target), escape_latex(api_words(api)), bytes_words(xfer_bytes), escape_latex(access), n, rate_words(median), sep = " & "
  )]
  c(
    "{\\small\\begin{longtable}{llrlrr}", sprintf("\\caption{%s}\\\\", escape_latex(caption)), "\\toprule",
    "target & interface & transfer & access & $n$ & median\\\\", "\\midrule", paste0(rows, "\\\\"), "\\bottomrule",
    "\\end{longtable}}"
  )
}
