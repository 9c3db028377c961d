# Text for LaTeX. Names come from YAML files and host names from machines: anything may be in them.

escape_latex <- function(text) {
  text <- gsub("\\", "\u0001", enc2utf8(as.character(text)), fixed = TRUE)
  text <- gsub("([&%$#_{}])", "\\\\\\1", text, perl = TRUE)
  text <- gsub("~", "\\textasciitilde{}", text, fixed = TRUE)
  text <- gsub("^", "\\textasciicircum{}", text, fixed = TRUE)
  text <- gsub("<", "\\textless{}", text, fixed = TRUE)
  text <- gsub(">", "\\textgreater{}", text, fixed = TRUE)
  text <- gsub("|", "\\textbar{}", text, fixed = TRUE)
  text <- gsub("\"", "\\textquotedbl{}", text, fixed = TRUE)
  text <- gsub("\u0001", "\\textbackslash{}", text, fixed = TRUE)
  gsub("[[:cntrl:]]+", " ", text)
}
