title <- "Excluded cells"
position <- 80
section <- "reservations"
if_empty <- "no rule excluded a cell."
caption <- paste(
  "Cells without a record, and the reasons. A cell is one point of an experiment on one target with one stack."
)

make_table <- function(records, inputs) {
  only_if(!is.null(inputs$excluded))
  excluded <- read_text_table(inputs$excluded, "exclusions")
  excluded[, cells := as.integer(cells)][]
}

# What one reason excluded of several experiments is one row in print.
make_latex <- function(table) {
  shown <- data.table::copy(table)[, because := ifelse(grepl(no_interface, reason), "no interface", reason)]
  shown <- shown[, .(
    experiments = paste(unique(experiment), collapse = ", "), cells = sum(cells),
    reason = if (because[1] == "no interface") interface_words(reason) else reason[1]
  ), by = .(suite, because)]
  cells <- shown[, .(
    suite = latex_name(suite), experiments = latex_name(experiments), cells, because = latex_name(reason)
  )]
  latex_table(
    name, caption, cells,
    c(suite = wrapped_column(20), experiments = wrapped_column(24), because = wrapped_column(62)),
    lines = 1 + nchar(shown$reason) %/% 50
  )
}

no_interface <- "^target (.+) has no interface (.+)$"

interface_words <- function(reasons) {
  if (data.table::uniqueN(reasons) == 1) {
    return(reasons[1])
  }
  lacking <- unique(data.table::data.table(
    target = sub(no_interface, "\\1", reasons), api = sub(no_interface, "\\2", reasons)
  ))
  each <- lacking[, .(words = sprintf("%s (%s)", target[1], paste(api_words(api), collapse = ", "))),
    by = .(of = target)]
  paste("the target has no such interface:", paste(each$words, collapse = ", "))
}
