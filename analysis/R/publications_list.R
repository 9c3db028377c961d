# The list of all publications: each figure and table with ours and its page, or why there is none. It joins the maps of
# printed studies with the numbers and pages that LaTeX gave to their parts.

list_of_publications <- function(folders, home = analysis_home()) {
  printed <- data.table::rbindlist(lapply(folders, printed_items, home = home), fill = TRUE)
  names <- publication_names(home)
  items <- data.table::rbindlist(lapply(names, function(name) {
    read_publication(name, home)[kind %in% mapped_kinds][, paper := name]
  }))
  shown <- printed[nzchar(ours), .(ours = paste(ours, collapse = "; ")), by = .(paper, item)]
  lacking <- printed[!nzchar(ours) & whole == TRUE, .(reason = reason[1]), by = .(paper, item)]
  items[, `:=`(ours = "", reason = otherwise)]
  if (nrow(shown) > 0) items[shown, ours := i.ours, on = c("paper", "item")]
  if (nrow(lacking) > 0) items[lacking, reason := i.reason, on = c("paper", "item")]
  items[nzchar(ours), reason := ""]
  titles <- vapply(names, function(name) title_of_publication(name, home)[["title"]], "")
  items[, .(publication = titles[paper], item, place, shows, ours, not_here = reason, measured_by = instead)]
}

# What one printed study has of its publications; `ours` is empty where its report lacks the part.
printed_items <- function(folder, home = analysis_home()) {
  facts <- read_facts(file.path(folder, "facts.json"))
  rows <- publication_map(read_records(file.path(folder, "records.csv")), facts, home)
  if (nrow(rows) == 0) {
    return(rows)
  }
  places <- printed_places(file.path(folder, "latex", "report.aux"))[rows, on = "part"]
  places[, ours := ifelse(held & !is.na(number), sprintf("%s, %s %d, page %d%s", basename(folder),
    capitalised(sub(" .*", "", part)), number, page, ifelse(emulated, " (E)", "")), "")]
  places[, .(paper, item, ours, reason, whole)]
}

# Number and page of each part of a report, as LaTeX wrote them for its references.
printed_places <- function(path) {
  form <- "^\\\\newlabel[{](fig|tab):([^}]+)[}][{][{]([0-9]+)[}][{]([0-9]+)[}].*"
  lines <- grep(form, readLines(path, warn = FALSE), value = TRUE)
  kinds <- c(fig = "figure", tab = "table")
  data.table::data.table(
    part = paste(kinds[sub(form, "\\1", lines)], sub(form, "\\2", lines)),
    number = as.integer(sub(form, "\\3", lines)), page = as.integer(sub(form, "\\4", lines))
  )
}
