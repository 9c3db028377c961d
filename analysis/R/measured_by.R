# Which programs gave the numbers of a study. Whoever trusts IOR alone wants to read it at each figure.

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
