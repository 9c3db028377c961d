# reference/publications: one file for each publication. It maps every figure and table to the part of a report that
# shows the same, and quotes the sentence of every claim.

publications_home <- function(home = analysis_home()) file.path(dirname(home), "reference", "publications")

publication_names <- function(home = analysis_home()) {
  sort(sub("[.]csv$", "", list.files(publications_home(home), pattern = "[.]csv$")))
}

publication_columns <- c("item", "kind", "place", "shows", "part", "role", "order", "purpose", "nodes", "otherwise",
  "instead")
publication_kinds <- c("title", "figure", "table", "claim")
mapped_kinds <- c("figure", "table")

read_publication <- function(name, home = analysis_home()) {
  path <- file.path(publications_home(home), paste0(name, ".csv"))
  rows <- read_text_table(path, "a publication")
  missing <- setdiff(publication_columns, names(rows))
  refuse_if(length(missing) > 0, "%s: no column '%s'", path, missing[1])
  rows <- rows[, publication_columns, with = FALSE]
  for (column in publication_columns) {
    data.table::set(rows, which(is.na(rows[[column]])), column, "")
  }
  check_publication(rows, path)
}

check_publication <- function(rows, path) {
  parts <- rows$part[nzchar(rows$part)]
  known <- c(paste("figure", part_names("figure")), paste("table", part_names("table")))
  unlike <- setdiff(parts, known)
  refuse_if(length(unlike) > 0, "%s: column 'part': '%s' names nothing in analysis/figures or analysis/tables", path,
    unlike[1])
  strange <- setdiff(rows$kind, publication_kinds)
  refuse_if(length(strange) > 0, "%s: column 'kind': '%s' is none of %s", path, strange[1],
    paste(publication_kinds, collapse = ", "))
  mute <- rows[kind %in% mapped_kinds & !nzchar(otherwise)]
  refuse_if(nrow(mute) > 0, "%s: '%s': column 'otherwise' must tell why records may lack it", path, mute$item[1])
  rows
}

# Those that a study repeats: its suites name them as their own or by their claims, an archive in its sidecar.
publications_of <- function(facts, home = analysis_home()) {
  suites <- unlist(lapply(facts$suites, function(suite) c(suite$suite, unlist(suite$claims))))
  named <- unique(c(suites, unlist(facts$about$publications), facts$about$suite))
  intersect(named, publication_names(home))
}

# An archive whose records have the form of a figure of another publication names it: forms: NAME: [PART, ...]. Only
# these parts of it are in the map, and none of its claims.
forms_of <- function(facts, home = analysis_home()) {
  forms <- lapply(facts$about$forms, unlist)
  unknown <- setdiff(names(forms), publication_names(home))
  refuse_if(length(unknown) > 0, "about: forms: '%s' is none of reference/publications: %s", unknown[1],
    paste(publication_names(home), collapse = ", "))
  forms
}

# How the map names a publication: by its claims, or by a row of kind `title` whose item is the key of its reference.
title_of_publication <- function(name, home = analysis_home()) {
  if (name %in% part_names("claims", home)) {
    paper <- load_claims(name, home)
    return(c(title = paper$title, cites = paper$cites))
  }
  row <- read_publication(name, home)[kind == "title"]
  if (nrow(row) == 1) c(title = row$shows, cites = row$item) else c(title = name, cites = "")
}

# The same for the head of a table's rows.
head_of_publication <- function(name) {
  paper <- title_of_publication(name)
  cited <- if (nzchar(paper[["cites"]])) sprintf("~\\cite{%s}", paper[["cites"]])
  paste0(escape_latex(paper[["title"]]), cited)
}

# Whether a publication that the study repeats has a part in its own form, or the sidecar wants it. Such a form would
# say the same twice in a study of another question.
wants_form <- function(inputs, part, home = analysis_home()) {
  facts <- known_facts(inputs)
  papers <- lapply(publications_of(facts, home), function(name) read_publication(name, home)$part)
  part %in% c(unlist(papers), unlist(forms_of(facts, home)))
}

no_form <- "no publication that the study repeats has this form, or the records are too few for it."

# What the publication states, by the name of the claim; our own wording where it is not quoted.
quoted_claims <- function(papers, home = analysis_home()) {
  rows <- data.table::rbindlist(lapply(intersect(papers, publication_names(home)), read_publication, home = home))
  if (nrow(rows) == 0) {
    return(data.table::data.table(claim = character(), quote = character(), quoted_at = character()))
  }
  rows[kind == "claim", .(claim = item, quote = shows, quoted_at = place)]
}

# ---- the map --------------------------------------------------------------------------------------------------------

# One row for each figure and table of the publications, in their order: which part shows it if `held`, `emulated` where
# nothing else than emulated storage was measured of it, the reason where the records do not hold it, and of an archive
# which suite measures it `instead`.
publication_map <- function(records, facts, home = analysis_home()) {
  papers <- publications_of(facts, home)
  forms <- forms_of(facts, home)
  of_paper <- function(name) read_publication(name, home)[kind %in% mapped_kinds][, `:=`(paper = name, whole = TRUE)]
  rows <- data.table::rbindlist(c(
    lapply(papers, of_paper),
    lapply(setdiff(names(forms), papers), function(name) of_paper(name)[part %in% forms[[name]]][, whole := FALSE])
  ))
  if (nrow(rows) == 0) {
    return(rows)
  }
  known <- add_roles(records[verdict != "INVALID"], facts)
  found <- each_row(rows, function(item) records_of_item(known, item))
  rows[, held := nzchar(part) & vapply(found, nrow, 1L) > 0]
  rows[, emulated := held & vapply(found, function(of) nrow(of) > 0 && all(of$emulated), TRUE)]
  measured <- is.null(facts$about)
  rows[, reason := unlist(each_row(rows, function(item) reason_of_item(known, item, measured)))]
  # The records are of this kind, and yet the part has nothing to show: LaTeX tells this reason then.
  rows[held == TRUE, reason := if (measured) too_few_records else otherwise]
  rows[measured | !whole, instead := ""]
  rows[, .(paper, whole, item, kind, place, shows, part, held, emulated, reason, instead)]
}

too_few_records <- "the records are too few for it (Reservations)"

# Records tell of what they lack the nodes; an archive lacks what was not made public, a site the storage.
reason_of_item <- function(known, item, measured) {
  of_fewer <- records_of_item(known, data.table::copy(item)[, nodes := ""])
  if (!nzchar(item$part)) {
    item$otherwise
  } else if (nrow(of_fewer) > 0) {
    sprintf("all records of it are of %s", counted(of_fewer$nn[1], "node"))
  } else if (measured) {
    "nothing like it was measured at this site"
  } else {
    item$otherwise
  }
}

# A file system without a burst buffer beside it is one as well.
roles_of_item <- list("file system" = c("file system", "other file system", "any"))

records_of_item <- function(known, item) {
  roles <- if (item$role %in% names(roles_of_item)) roles_of_item[[item$role]] else item$role
  wanted <- rep(TRUE, nrow(known))
  if (nzchar(item$role)) wanted <- wanted & known$role %in% roles
  if (nzchar(item$order)) wanted <- wanted & known$order %in% item$order
  if (nzchar(item$purpose)) wanted <- wanted & known$purpose %in% item$purpose
  found <- known[wanted]
  if (item$nodes == "several" && data.table::uniqueN(found$nn, na.rm = TRUE) < 2) found[0] else found
}
