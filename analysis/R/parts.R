# Finds and loads the parts: one file of a folder is a figure, a table, a piece of advice or the claims of a paper, and
# defines what its kind asks for, in a scope of its own.

part_kinds <- list(
  figure = list(
    folder = "figures",
    defines = c("title", "caption", "position", "statistic", "make_table", "make_figure", "height_mm")
  ),
  table = list(folder = "tables", defines = c("title", "caption", "position", "make_table", "make_latex")),
  advice = list(folder = "advice", defines = "advise"),
  # NAME.world.R beside NAME.R is a made world for the tests.
  claims = list(folder = "claims", defines = c("title", "cites", "claims"))
)

part_names <- function(kind, home = analysis_home()) {
  files <- list.files(file.path(home, part_kinds[[kind]]$folder), pattern = "[.]R$")
  sort(sub("[.]R$", "", grep("[.]world[.]R$", files, value = TRUE, invert = TRUE)))
}

load_part <- function(kind, name, home = analysis_home()) {
  path <- file.path(home, part_kinds[[kind]]$folder, paste0(name, ".R"))
  refuse_if(!file.exists(path), "%s", unknown_part(kind, name, home))
  part <- load_definitions(path)
  missing <- setdiff(part_kinds[[kind]]$defines, ls(part))
  refuse_if(length(missing) > 0, "%s: does not define %s", path, paste(missing, collapse = ", "))
  if (kind == "advice") part$advise <- or_nothing(part$advise, list())
  if (!is.null(part$make_table)) part$make_table <- or_nothing(part$make_table, data.table::data.table())
  part$path <- path
  part$kind <- kind
  part$name <- name
  part
}

# What a part, an answer or a claim needs. Where it is not so, what or_nothing() made of it gives nothing: a table no
# rows, of which why_nothing() finds the reason.
only_if <- function(is_so) {
  if (!is_so) stop(errorCondition("nothing to show", class = "nothing_to_show"))
}

or_nothing <- function(make, nothing) {
  force(make)
  function(...) tryCatch(make(...), nothing_to_show = function(condition) nothing)
}

# Where it is so, a message of what to correct ends it.
refuse_if <- function(is_so, form, ...) if (is_so) stop(sprintf(form, ...), call. = FALSE)

unknown_part <- function(kind, name, home) {
  known <- part_names(kind, home)
  near <- known[utils::adist(name, known) <= 3]
  hint <- if (length(near) > 0) {
    sprintf("did you mean '%s'?", near[1])
  } else {
    paste("there are", paste(known, collapse = ", "))
  }
  sprintf("no %s '%s' in analysis/%s: %s", kind, name, part_kinds[[kind]]$folder, hint)
}

# `all` or a list separated by commas, in the order of their positions.
chosen_parts <- function(kind, names, home = analysis_home()) {
  names <- if (names == "all") part_names(kind, home) else strsplit(names, ",", fixed = TRUE)[[1]]
  parts <- lapply(names, load_part, kind = kind, home = home)
  parts[order(vapply(parts, function(part) part$position, numeric(1)))]
}
