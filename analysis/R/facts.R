# facts.json: what is known of a study beside its records. Null or empty means unknown and is printed so.

read_facts <- function(path) {
  refuse_if(is.null(path), "the facts of the study are missing: give --with facts=results/<site>/<study>/facts.json")
  refuse_if(!file.exists(path), "%s: no such file of facts", path)
  jsonlite::fromJSON(path, simplifyVector = FALSE)
}

# The facts for a part that can do without.
known_facts <- function(inputs) if (!is.null(inputs$facts)) read_facts(inputs$facts)

count_of <- function(value) if (is.null(value)) 0L else as.integer(value)

fact_row <- function(kind, name, value) data.table::data.table(kind = kind, name = name, value = value)

# What the plan and the runs say of where it was measured.
machine_facts <- function(facts) {
  data.table::rbindlist(c(
    list(fact_row("Site", facts$site$site, text_of(facts$site$description))),
    machine_rows(facts$machines),
    lapply(facts$slow_nodes, function(slow) fact_row("Slow nodes", slow$node, slow$finding)),
    lapply(facts$targets, function(target) fact_row("Targets", target$target, target_words(target))),
    lapply(facts$stacks, function(stack) {
      fact_row("Software", stack$stack, sprintf("%s; ran %s", text_of(stack$description), text_of(stack$programs)))
    }),
    plan_rows(facts), code_rows(facts)
  ))
}

# From the cost card: executions of the full factorial, and what the site cannot run.
plan_rows <- function(facts) {
  counts <- lapply(facts[c("factorial_executions", "valid_executions", "reachable_executions")], count_of)
  words <- vapply(counts, format, character(1), big.mark = ",")
  c(
    if (sum(unlist(counts)) > 0) {
      list(fact_row("Plan", "executions", sprintf(
        "%s if all combinations were run; %s of these are valid, and %s can run here", words[1], words[2], words[3]
      )))
    },
    lapply(facts$notes, function(note) fact_row("Plan", "excluded", note))
  )
}

# Which code measured and drew it.
code_rows <- function(facts) {
  known <- c("weir version" = "weir_version", commit = "commit", "locked Python packages" = "lock", digest = "digest")
  known <- known[!vapply(facts[known], is.null, TRUE)]
  unname(Map(function(name, key) fact_row("Provenance", name, text_of(facts[[key]])), names(known), known))
}

# Nodes that are alike take one row, however many they are.
machine_rows <- function(machines) {
  if (length(machines) == 0) {
    return(list(fact_row("Machine", "unknown", "no run has ended")))
  }
  described <- vapply(machines, machine_words, character(1))
  names <- vapply(machines, function(machine) text_of(machine$node), character(1))
  lapply(unique(described), function(words) {
    alike <- names[described == words]
    few <- shorten(paste(utils::head(alike, 4), collapse = ", "), 60)
    fact_row("Machine", if (length(alike) > 4) sprintf("%d nodes: %s, ...", length(alike), few) else few, words)
  })
}

machine_words <- function(machine) {
  cores <- if (is.null(machine$cores)) "unknown cores" else counted(machine$cores, "core")
  memory <- if (is.null(machine$memory_bytes)) "unknown" else bytes_words(machine$memory_bytes)
  words <- sprintf(
    "%s, %s, %s of memory; %s, kernel %s", text_of(machine$processor, "unknown processor"), cores, memory,
    text_of(machine$system, "unknown system"), text_of(machine$kernel)
  )
  if (is.null(machine$power)) words else sprintf("%s; processors: %s", words, machine$power)
}

target_words <- function(target) {
  mounted <- c(
    text_of(target$kind), sprintf("file system %s", text_of(target$file_system)),
    if (!is.null(target$device)) sprintf("on %s", target$device),
    if (!is.null(target$mount_options)) sprintf("mounted with %s", target$mount_options)
  )
  paste0(
    if (isTRUE(target$emulated)) "EMULATED. ", text_of(target$description, "no description"),
    sprintf(" (%s)", paste(mounted, collapse = ", "))
  )
}

# The content of the sidecar of archived records; the keys are those of the file, in its order.
archive_facts <- function(about) {
  about <- about[!names(about) %in% c("title", "citation", "publications", "forms", "experiments")]
  data.table::rbindlist(lapply(names(about), function(key) {
    fact_row("From the source", sub(" gib s$", " in GiB/s", gsub("_", " ", key)), text_of(about[[key]]))
  }))
}

# Papers whose claims the suites of the study want decided.
wanted_claims <- function(facts) {
  wanted <- unlist(lapply(facts$suites, function(suite) suite$claims))
  unknown <- setdiff(wanted, part_names("claims"))
  refuse_if(length(unknown) > 0, "facts.json: suites: claims: no file analysis/claims/%s.R; there are %s", unknown[1],
    paste(part_names("claims"), collapse = ", "))
  wanted
}
