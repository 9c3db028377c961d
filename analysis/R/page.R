# The page that people read: report.html, one file without a network. R computes everything that is on it, the
# numbers and the sentences; analysis/page draws them in the browser. The same facts are page.json, from which `weir
# show` prints.

page_schema <- 1L
most_points_on_page <- 4000L
most_values_of_point <- 40L

# Write page.json and a report.html without claims and figures first, so that the answer does not wait for them.
write_page <- function(folder, records, inputs) {
  model <- page_model(records, known_facts(inputs), inputs, folder)
  write_whole(page_text(model), file.path(folder, "report.html"))
  write_whole(to_json(model), file.path(folder, "page.json"))
  forward_live_page(folder)
  model
}

# Whoever has the page of the measurement open, written by `weir run`, is led to this one.
forward_live_page <- function(folder) {
  live <- file.path(folder, "live.html")
  if (file.exists(live)) {
    refresh <- "<meta http-equiv=\"refresh\" content=\"0; url=report.html\">"
    write_whole(paste0("<!doctype html>", policy_element(), refresh), live)
  }
}

complete_page <- function(model, folder, inputs, records) {
  facts <- known_facts(inputs)
  parts <- chosen_parts("figure", "all")
  model$claims <- page_claims(inputs, facts)
  write_whole(to_json(model), file.path(folder, "page.json"))
  model$figures <- page_figures(folder, parts, records)
  model$absent <- absent_figures(folder, parts)
  model["drawing"] <- FALSE
  write_whole(page_text(model), file.path(folder, "report.html"))
}

# A concurrent reader gets the old text or the new one.
write_whole <- function(text, path) {
  unfinished <- paste0(path, ".unfinished")
  writeLines(text, unfinished, useBytes = TRUE)
  file.rename(unfinished, path)
}

page_text <- function(model, home = file.path(analysis_home(), "page")) {
  read_whole <- function(name) paste(readLines(file.path(home, name), encoding = "UTF-8"), collapse = "\n")
  page <- read_whole("page.html")
  for (part in c("page.css", "page.js", "scale.js", "cell.js", "systems.js", "partial.js", "compare.js")) {
    page <- sub(sprintf("{{%s}}", part), read_whole(part), page, fixed = TRUE)
  }
  page <- sub("{{policy}}", content_policy(inline_script(page)), page, fixed = TRUE)
  page <- sub("{{verdicts}}", to_json(words_of_verdicts()), page, fixed = TRUE)
  # Text must neither close the script element that contains it nor begin another one within it.
  json <- gsub("</", "<\\/", to_json(model), fixed = TRUE)
  json <- gsub("<(?=!--|script)", "\\\\u003c", json, perl = TRUE, ignore.case = TRUE)
  pieces <- strsplit(page, "{{page.json}}", fixed = TRUE)[[1]]
  paste0(pieces[1], json, pieces[2])
}

words_of_verdicts <- function() {
  lapply(setNames(nm = verdicts), function(verdict) {
    lapply(c(word = "texts", mark = "marks", meaning = "meanings"), function(kind) {
      words_of_column("verdict", kind)[[verdict]]
    })
  })
}

# Input of the page, of the first page of the PDF and of the advice; computed once per study.
page_evidence <- function(records, facts) {
  remembered(find_page_evidence, records, facts, telling = rlang::hash(facts))
}

find_page_evidence <- function(records, facts) {
  records <- name_storage(records)
  list(records = records, points = page_points(records), effects = effects_of_settings(records), facts = facts)
}

# Logs do not name their storage: logs of several directories are treated as several systems.
name_storage <- function(records) {
  if (!anyNA(records$target) || is.null(records$source)) {
    return(records)
  }
  unnamed <- which(is.na(records$target))
  directory_of <- directory_name(ifelse(is.na(records$source), "unknown storage/log", records$source))
  records <- data.table::copy(records)
  data.table::set(records, i = unnamed, j = "target", value = directory_of[unnamed])
  records[]
}

page_model <- function(records, facts, inputs, folder) {
  evidence <- page_evidence(records, facts)
  concluding <- concluding_evidence(evidence)
  records <- evidence$records
  points <- evidence$points
  list(
    schema = page_schema, study = page_study(facts, folder), verdicts = page_verdicts(records),
    interval_level = gsub("~\\%", " %", level_words(real_storage(points)), fixed = TRUE),
    attained_level = attained_words,
    cross_check = cross_check_lines(facts), doubted = page_doubted(records, facts),
    targets = page_targets(records, facts), answers = page_answers(points),
    effects = page_effects(concluding$effects), compared = nrow(evidence$effects), doubts = page_doubts(concluding),
    advice = page_advice(evidence),
    following = page_following(facts, folder), questions = page_questions(points, facts),
    points = point_rows(points, records, folder), points_total = nrow(points), figures = list(), absent = list(),
    drawing = TRUE, claims = list(),
    excluded = page_excluded(inputs),
    machine = if (length(facts$site) > 0) each_row(machine_facts(facts), as.list) else list()
  )
}

# ---- what was measured ----------------------------------------------------------------------------------------------

page_study <- function(facts, folder) {
  machine <- if (length(facts$machines) > 0) facts$machines[[1]]
  list(
    name = basename(normalizePath(folder)), site = text_of(facts$site$site, ""),
    description = text_of(facts$site$description, ""),
    title = text_of(facts$about$title, ""), citation = text_of(facts$about$citation, ""),
    system = text_of(facts$about$system, ""), archived = is.null(facts$site),
    question = text_of(if (length(facts$suites) > 0) facts$suites[[1]]$question, ""),
    suites = suites_with_scale(facts),
    host = text_of(machine$node, ""), processor = text_of(machine$processor, ""), cores = count_of(machine$cores),
    memory = if (is.null(machine$memory_bytes)) "" else bytes_words(machine$memory_bytes),
    kernel = text_of(machine$kernel, ""), nodes = length(facts$machines),
    began = text_of(facts$began, ""), weir = text_of(facts$weir_version, ""),
    executions = count_of(facts$finished_executions), failed = count_of(facts$failed_executions),
    digest = text_of(facts$digest, "")
  )
}

# Whether the programs of a stack agree, in a line for each pair of them.
cross_check_lines <- function(facts) lapply(facts$cross_check, function(one) one$text)

# Counts the verdicts of real storage; those of emulated storage stand beside.
page_verdicts <- function(records) {
  counted_verdicts <- function(rows) {
    as.list(setNames(vapply(verdicts, function(verdict) sum(rows$verdict == verdict), 1L), verdicts))
  }
  real <- records[emulated == FALSE]
  list(real = counted_verdicts(real), emulated = counted_verdicts(records[emulated == TRUE]),
    proofs = counted_proofs(real_storage(records)),
    authors = sum(has_finding(records, "authors-verdict")),
    busy = sum(real[, has_finding(.SD, "machine-busy")]))
}

# How far the proven results were followed, the furthest first; none in records of before, and none by the word of a
# table's author.
counted_proofs <- function(records) {
  if (any(has_finding(records, "authors-verdict"))) {
    return(list())
  }
  words <- words_of_column("proof")
  proofs <- records[verdict == "VALID"]$proof
  counts <- vapply(names(words), function(level) sum(proofs == level, na.rm = TRUE), 1L)
  lapply(names(words)[counts > 0], function(level) list(count = counts[[level]], text = words[[level]]))
}

proofs_words <- function(proofs) {
  if (length(proofs) == 0) "" else sprintf(" (%s)", paste(vapply(proofs, function(one) {
    paste(thousands(one$count), one$text)
  }, ""), collapse = ", "))
}

# Only this audit proves: an imported table may carry the verdicts of its author.
proven_words <- function(authors) if (authors > 0) "VALID by the verdict of the table's author" else "proven"

# Why records are not VALID, commonest on real storage first.
page_doubted <- function(records, facts) {
  found <- Filter(function(reason) any(names(reason$verdicts) != "NOTE"), facts$reasons)
  rows <- lapply(found, function(reason) {
    of <- records[has_finding(records, reason$rule)]
    list(rule = reason$rule, real = sum(!of$emulated), emulated = sum(of$emulated), verdicts = reason$verdicts,
      explanation = reason$explanation, hint = reason$hint)
  })
  rows[order(-vapply(rows, function(row) row$real, 1L))]
}

page_targets <- function(records, facts) {
  known <- as.list(facts$targets)
  names(known) <- vapply(known, function(target) text_of(target$target, ""), "")
  # The node's memory is a ceiling and not the question; emulated storage comes last.
  found <- unique(records[, .(target, emulated)])[order(emulated, target %in% targets_of_kind(facts, "memory"))]
  each_row(found, function(one) {
    about <- known[[if (is.na(one$target)) "" else one$target]]
    list(
      name = text_of(one$target, "storage"), emulated = one$emulated, kind = text_of(about$kind, ""),
      file_system = text_of(about$file_system, ""), device = text_of(about$device, ""),
      path = text_of(about$path, ""), description = text_of(about$description, "")
    )
  })
}
