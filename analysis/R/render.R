# All that a report shows of a study, in one process: claims, numbers, figures and tables. What did not change since the
# last time is copied from the cache of the study, so that an edit of one figure draws one figure.

study_files <- c(
  excluded = "excluded.csv", latencies = "latencies.csv", facts = "facts.json", counters = "client-counters.csv"
)

render_study <- function(folder, published = NULL, processes = 2L) {
  # To compile functions that run once takes longer than they do: not before the page is there.
  level <- compiler::enableJIT(0)
  inputs <- study_inputs(folder, published)
  records <- read_records(file.path(folder, "records.csv"))
  # The answer first; also before the fork, so that each process has the effects.
  model <- write_page(folder, records, inputs)
  compiler::enableJIT(level)
  of_data <- digest_of(c(file.path(folder, "records.csv"), unlist(inputs), package_sources()))
  inputs$claims <- render_claims(folder, records, inputs, of_data)
  parts <- c(chosen_parts("figure", "all"), chosen_parts("table", "all"))
  keys <- vapply(parts, function(part) digest_of_text(c(of_data, digest_of(c(part$path, inputs$claims)))), "")
  ready <- file.path(cache_of(folder), paste(vapply(parts, part_stem, ""), keys, sep = "-"))
  missing <- which(!dir.exists(ready))
  # The numbers take longest, so that they begin first.
  in_parallel(c(0L, missing), processes, function(i) {
    if (i == 0L) {
      write_numbers(make_numbers(records, read_facts(inputs$facts), inputs), file.path(folder, "numbers.tex"))
    } else {
      draw_into(ready[i], parts[[i]], records, inputs)
    }
  })
  for (i in seq_along(parts)) {
    publish(ready[i], file.path(folder, paste0(parts[[i]]$kind, "s")))
  }
  complete_page(model, folder, inputs)
  forget_others(folder, c(basename(ready), basename(cached_claims(folder, of_data))))
  cat(sprintf("%s: drew %d of %d parts\n", folder, length(missing), length(parts)))
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

# Everything that can change a part beside its own file.
package_sources <- function() {
  home <- analysis_home()
  c(list.files(file.path(home, "R"), full.names = TRUE), list.files(file.path(home, "metrics"), full.names = TRUE))
}

digest_of <- function(paths) digest_of_text(unname(tools::md5sum(sort(paths[file.exists(paths)]))))

digest_of_text <- function(text) {
  path <- tempfile()
  on.exit(unlink(path))
  writeLines(text, path)
  unname(tools::md5sum(path))
}

cache_of <- function(folder) file.path(folder, ".parts")

part_stem <- function(part) paste(part$kind, part$name, sep = "-")

cached_claims <- function(folder, of_data) {
  files <- list.files(file.path(analysis_home(), "claims"), full.names = TRUE)
  file.path(cache_of(folder), paste0("claims-", digest_of_text(c(of_data, digest_of(files))), ".csv"))
}

render_claims <- function(folder, records, inputs, of_data) {
  dir.create(cache_of(folder), showWarnings = FALSE, recursive = TRUE)
  cached <- cached_claims(folder, of_data)
  if (!file.exists(cached)) {
    facts <- known_facts(inputs)
    # Archived records have no suite that requests claims: their report chooses what it prints.
    write_claims(if (is.null(facts$site)) "all" else wanted_claims(facts), records, inputs, cached)
  }
  path <- file.path(folder, "claims.csv")
  file.copy(cached, path, overwrite = TRUE)
  path
}

# A part is in the cache whole or not at all.
draw_into <- function(folder, part, records, inputs) {
  unfinished <- paste0(folder, ".unfinished")
  unlink(unfinished, recursive = TRUE)
  write <- if (part$kind == "figure") write_figures else write_tables
  tryCatch(write(list(part), records, inputs, unfinished), error = function(error) {
    stop(sprintf("%s: %s", part$path, conditionMessage(error)), call. = FALSE)
  })
  file.rename(unfinished, folder)
}

# The first error ends it; its message names the part.
in_parallel <- function(tasks, processes, run) {
  named <- function(i) tryCatch(run(i), error = function(error) error)
  results <- if (processes > 1) {
    parallel::mclapply(tasks, named, mc.cores = processes, mc.preschedule = FALSE)
  } else {
    lapply(tasks, named)
  }
  for (result in results) {
    if (inherits(result, c("error", "try-error"))) stop(result)
  }
}

publish <- function(folder, into) {
  dir.create(into, showWarnings = FALSE, recursive = TRUE)
  file.copy(list.files(folder, full.names = TRUE), into, overwrite = TRUE)
}

forget_others <- function(folder, kept) {
  present <- list.files(cache_of(folder))
  unlink(file.path(cache_of(folder), setdiff(present, kept)), recursive = TRUE)
}
