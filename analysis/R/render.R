# All that a report shows of a study, in one process: page, claims, numbers, figures and tables.

study_files <- c(
  excluded = "excluded.csv", latencies = "latencies.csv", facts = "facts.json", counters = "client-counters.csv",
  scores = "io500.csv"
)

render_study <- function(folder, published = NULL, processes = 2L) {
  # To compile functions that run once takes longer than they do: not before the page is there.
  level <- compiler::enableJIT(0)
  inputs <- study_inputs(folder, published)
  named_experiments(known_facts(inputs))
  records <- read_records(file.path(folder, "records.csv"))
  # The answer first; also before the fork, so that each process has the effects.
  model <- write_page(folder, records, inputs)
  compiler::enableJIT(level)
  inputs$claims <- write_study_claims(folder, records, inputs)
  parts <- c(chosen_parts("figure", "all"), chosen_parts("table", "all"))
  # weir.workflow.step counts these lines.
  cat(sprintf("to draw: %d parts\n", length(parts) + 1L))
  # The numbers take longest, so that they begin first.
  in_parallel(0:length(parts), processes, function(i) {
    if (i == 0L) {
      write_numbers(make_numbers(records, read_facts(inputs$facts), inputs), file.path(folder, "numbers.tex"))
    } else {
      draw_part(parts[[i]], records, inputs, folder)
    }
    cat(sprintf("drawn: %s\n", if (i == 0L) "numbers" else parts[[i]]$path))
    flush(stdout())
  })
  complete_page(model, folder, inputs, records)
  cat(sprintf("%s: drew %d parts\n", folder, length(parts)))
  invisible(parts)
}

study_inputs <- function(folder, published) {
  present <- as.list(setNames(file.path(folder, study_files), names(study_files)))
  c(Filter(file.exists, present), if (!is.null(published)) c(list(published = published), beside_published(published)))
}

# Tables of whole publications lie beside the published values.
beside_published <- function(published) {
  files <- c(defaults = "mistral-defaults.csv", submissions = "io500-submissions.csv")
  as.list(Filter(file.exists, setNames(file.path(dirname(published), files), names(files))))
}

# Archived records have no suite that requests claims: their report chooses what it prints.
write_study_claims <- function(folder, records, inputs) {
  facts <- known_facts(inputs)
  path <- file.path(folder, "claims.csv")
  write_claims(if (is.null(facts$site)) "all" else wanted_claims(facts), records, inputs, path)
  path
}

draw_part <- function(part, records, inputs, folder) {
  write <- if (part$kind == "figure") write_figures else write_tables
  tryCatch(write(list(part), records, inputs, file.path(folder, paste0(part$kind, "s"))), error = function(error) {
    stop(sprintf("%s: %s", part$path, conditionMessage(error)), call. = FALSE)
  })
}

# A process takes every other task: what it computed for one part it remembers for the next. The first error ends
# the drawing; its message names the part.
in_parallel <- function(tasks, processes, run) {
  finished <- function(i) {
    tryCatch({
      run(i)
      TRUE
    }, error = function(error) error)
  }
  results <- if (processes > 1) {
    suppressWarnings(parallel::mclapply(tasks, finished, mc.cores = processes))
  } else {
    lapply(tasks, finished)
  }
  for (result in results) {
    if (inherits(result, "error")) stop(result)
    if (!isTRUE(result)) stop("a process that drew parts was ended; is there too little memory?", call. = FALSE)
  }
}
