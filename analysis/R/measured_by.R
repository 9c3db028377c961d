# Which programs gave the numbers of a study. Whoever trusts IOR alone wants to read it at each figure.

# The records that a figure shows, as far as its table tells: those alike in all that both know.
records_shown <- function(records, table) {
  told <- c("target", "access", "api", "tool", "purpose")
  both <- Filter(function(column) {
    all(column %in% names(records), column %in% names(table)) && !anyNA(table[[column]])
  }, told)
  shown <- if (is.null(table$n)) table else table[n > 0]
  if (length(both) == 0 || nrow(shown) == 0) {
    return(records)
  }
  keys <- unique(data.table::as.data.table(lapply(shown[, both, with = FALSE], as.character)))
  of_records <- data.table::as.data.table(lapply(records[, both, with = FALSE], as.character))
  found <- records[!is.na(keys[, here := TRUE][of_records, on = both]$here)]
  if (nrow(found) > 0) found else records
}

# A sentence; NULL where no record knows its program. Several programs stand with the tools that they ran for.
measured_by <- function(records) {
  known <- unique(records[verdict != "INVALID" & !is.na(program), list(
    named = trimws(paste(program, data.table::fcoalesce(as.character(tool_version), ""))), tool
  )])
  if (nrow(known) == 0) {
    return(NULL)
  }
  tools <- tapply(known$tool, known$named, function(of) paste(sort(of), collapse = ", "))
  shown <- if (length(tools) == 1) names(tools) else sprintf("%s (%s)", names(tools), tools)
  sprintf("Measured by %s.", and_list(shown))
}
