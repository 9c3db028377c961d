# contents.tex: every float of a study, in the order of the parts' places.

write_contents <- function(folder, home, path) {
  parts <- c(chosen_parts("figure", "all", home), chosen_parts("table", "all", home))
  files <- vapply(parts, function(part) file.path(paste0(part$kind, "s"), paste0(part$name, ".tex")), character(1))
  parts <- parts[file.exists(file.path(folder, files))]
  places <- vapply(parts, function(part) part$place, numeric(1))
  writeLines(vapply(parts[order(places)], function(part) sprintf("\\input{%s.tex}", part$name), character(1)), path)
}
