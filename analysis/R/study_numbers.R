# The part of numbers.tex that tells what the study is: from facts.json, measured here or archived.

study_numbers <- function(facts) {
  suites <- vapply(facts$suites, function(suite) text_of(suite$suite), character(1))
  c(list(
    StudyTitle = sprintf(
      "The Storage of Site %s, Measured by the %s %s", latex_name(facts$site$site),
      if (length(suites) == 1) "Suite" else "Suites", and_list(latex_name(suites))
    ),
    SiteName = latex_name(facts$site$site),
    WeirVersion = escape_latex(facts$weir_version),
    Questions = questions(facts$suites),
    MeasuredOn = period(facts$began, facts$ended),
    Targets = and_list(vapply(facts$targets, short_target, character(1))),
    CrossCheck = listed_checks(unlist(cross_check_lines(facts)))
  ), plan_numbers(facts))
}

# A program each: in a paragraph nobody finds the second.
listed_checks <- function(lines) {
  if (length(lines) < 2) {
    return(escape_latex(paste0(lines, rep(".", length(lines)), collapse = "")))
  }
  items <- paste0("\\item ", escape_latex(lines), ".", collapse = " ")
  sprintf("Where two programs measured the same cells: \\begin{compactlist} %s \\end{compactlist}", items)
}

plan_numbers <- function(facts) {
  list(
    Cells = counted_words(facts$cells, "cell"),
    Executions = thousands(count_of(facts$executions)),
    PlannedExecutions = counted_words(facts$executions, "planned execution"),
    FactorialExecutions = thousands(count_of(facts$factorial_executions)),
    ValidExecutions = thousands(count_of(facts$valid_executions)),
    FinishedExecutions = counted_words(facts$finished_executions, "execution"),
    FailedExecutions = thousands(count_of(facts$failed_executions)),
    ExcludedCells = counted_words(facts$excluded_points, "cell"),
    Seeds = seed_words(unlist(facts$seeds)),
    Memory = memory_words(memory_of(facts))
  )
}

counted_words <- function(value, one) {
  paste0(thousands(count_of(value)), "~", one, if (count_of(value) != 1) "s")
}

archive_numbers <- function(facts) {
  about <- facts$about
  nowhere <- c(
    "SiteName", "WeirVersion", "Questions", "MeasuredOn", "Targets", "Cells", "Executions", "PlannedExecutions",
    "FactorialExecutions", "ValidExecutions", "FinishedExecutions", "FailedExecutions",
    "ExcludedCells", "Seeds", "Memory", "CrossCheck"
  )
  title <- escape_latex(text_of(about$title, "Archived Records"))
  known <- list(
    StudyTitle = title, SiteName = latex_name(text_of(about$site)),
    Questions = escape_latex(text_of(about$description, ""))
  )
  c(known, setNames(as.list(rep("unknown", length(nowhere))), nowhere)[setdiff(nowhere, names(known))])
}

questions <- function(suites) {
  words <- vapply(suites, function(suite) {
    question <- escape_latex(text_of(suite$question, "nothing"))
    sprintf("The suite \\emph{%s} asks: ``%s''", latex_name(suite$suite), question)
  }, character(1))
  paste(words, collapse = " ")
}

short_target <- function(target) {
  sprintf("%s (%s)", latex_name(mark_name(target$target, isTRUE(target$emulated))),
    latex_name(text_of(target$file_system, text_of(target$kind))))
}

period <- function(began, ended) {
  if (is.null(began) || is.null(ended)) {
    return("an unknown day")
  }
  days <- unique(as.Date(substr(c(text_of(began), text_of(ended)), 1, 10), format = "%Y-%m-%d"))
  if (anyNA(days)) {
    return("an unknown day")
  }
  months <- month.name[as.integer(format(days, "%m"))]
  words <- paste(as.integer(format(days, "%d")), months, format(days, "%Y"))
  gsub(" ", "~", paste(words, collapse = " to "), fixed = TRUE)
}

seed_words <- function(seeds) {
  if (length(seeds) == 0) {
    return("none")
  }
  if (length(seeds) <= 6) {
    return(and_list(as.character(seeds)))
  }
  sprintf("%s and %d more, listed in facts.json", paste(utils::head(seeds, 4), collapse = ", "), length(seeds) - 4)
}

# The memory of the smallest machine; NULL where none tells it.
memory_of <- function(facts) {
  sizes <- unlist(lapply(facts$machines, function(machine) machine$memory_bytes))
  if (length(sizes) > 0) min(sizes)
}

memory_words <- function(memory) if (is.null(memory)) "unknown" else gsub(" ", "~", bytes_words(memory), fixed = TRUE)

# How many executions the loops of the authors' script span, and how many its conditions let through.
authors_numbers <- function(published) {
  counts <- if (!is.null(published)) read_published(published)[metric == "executions"]
  count <- function(wanted) if (NROW(counts) == 0) "unknown" else thousands(counts[statistic == wanted]$value)
  list(AuthorsSpanned = count("spanned"), AuthorsMeaningful = count("meaningful"))
}
