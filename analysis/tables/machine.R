title <- "What was measured"
position <- 1
section <- "setup"
if_empty <- "nothing is known of the machine."
caption <- "What was measured: machines, targets and software, as the measurement found them."

make_table <- function(records, inputs) {
  facts <- read_facts(inputs$facts)
  if (is.null(facts$about)) machine_facts(facts) else archive_facts(facts$about)
}

make_latex <- function(table) {
  cells <- table[, .(name = latex_name(name), value = latex_name(value))]
  is_archive <- all(table$kind == "From the source")
  told <- if (is_archive) sub("the measurement found", "their source reports", caption) else caption
  latex_table(
    name, told, cells, c(name = wrapped_column(34), value = wrapped_column(84)), c("", ""),
    groups = escape_latex(table$kind), lines = 1 + nchar(table$value) %/% 70
  )
}
