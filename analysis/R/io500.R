# The phases of IO500 from records of the suite io500, the index from them, and the published submissions beside them.

io500_phases <- data.table::data.table(
  phase = c(
    "ior_easy_write", "mdtest_easy_write", "ior_hard_write", "mdtest_hard_write", "find", "ior_easy_read",
    "mdtest_easy_stat", "ior_hard_read", "mdtest_hard_stat", "mdtest_easy_delete", "mdtest_hard_read",
    "mdtest_hard_delete"
  ),
  unit = c("GiB/s", "kIOPS", "GiB/s", "kIOPS", "kIOPS", "GiB/s", "kIOPS", "GiB/s", rep("kIOPS", 4))
)
io500_accesses <- c(write = "write", read = "read", create = "write", stat = "stat", remove = "delete", find = "find")
# The rules ask of a write phase that it lasts at least this long and requests no shorter stonewall; a shorter one
# gives no score.
io500_write_s <- 300L

# A value of the whole system, and what falls to one of its nodes and processes.
io500_per <- c("whole", "node", "process")

# One row for each target and phase that was measured, in the order of the rules; `why` the target has no valid score.
phases_of_io500 <- function(records, inputs) {
  records <- records[suite %in% "io500" & experiment %in% c("ior-easy", "ior-hard", "mdtest-easy", "mdtest-hard",
    "find")]
  if (nrow(records) == 0) {
    return(data.table::data.table())
  }
  records[, phase := ifelse(
    experiment == "find", "find", paste(sub("-", "_", experiment), io500_accesses[access], sep = "_")
  )]
  records <- io500_phases[records, on = "phase", nomatch = NULL]
  records[, `:=`(
    volatile = target %in% targets_of_kind(known_facts(inputs), c("memory", "pool")),
    refused = target %in% refused_sets(inputs$scores)
  )]
  # The phases of a score ran with one stack on the same nodes and processes.
  records <- name_apart(records, c("stack", "nn", "ppn"), c("target", "phase"))
  rates <- ifelse(records$unit == "GiB/s", records$bw_mib_s / 1024, records$ops_s / 1000)
  points <- summarise_records(records, rates, c("target", "phase"), "")
  records[, time_s := ifelse(is.na(total_s), io_s, total_s)]
  records[, tasks := tasks_of(records)]
  shapes <- records[, lapply(.SD, the_only), by = .(target, phase), .SDcols = c("nn", "ppn", "tasks")]
  # The shortest of the runs that count: the rules allow no write phase that is shorter.
  taken <- records[verdict %in% usable_verdicts, .(
    time_s = min(time_s), walled = any(stonewall_s > 0 & stonewall_s < io500_write_s, na.rm = TRUE),
    unsynced = any(sync %in% FALSE), volatile = any(volatile), refused = any(refused)
  ), by = .(target, phase)]
  points <- shapes[taken[points[, unit := NULL], on = c("target", "phase")], on = c("target", "phase")]
  points <- io500_phases[points, on = "phase"][, why := why_no_score(.SD), by = target]
  points[, `:=`(walled = NULL, unsynced = NULL, volatile = NULL, refused = NULL)]
  points[order(emulated, target, match(phase, io500_phases$phase))]
}

# Nodes and processes where all records of a phase have the same.
the_only <- function(values) if (data.table::uniqueN(values) == 1) values[1] else values[0][1]

# Both rules' formulas of each target that has all phases.
index_of_io500 <- function(points) {
  if (nrow(points) == 0) {
    return(points)
  }
  index <- points[n > 0, .(
    phases = .N, bandwidth = geometric_mean(median[unit == "GiB/s"]),
    metadata = geometric_mean(median[unit == "kIOPS"]), emulated = emulated[1], why = why[1],
    verdict = point_verdict(TRUE, any(verdict == "DEGRADED"), sum(verdict == "UNPROVEN"))
  ), by = target][phases == nrow(io500_phases)]
  index[, `:=`(today = sqrt(bandwidth * metadata), rule_2017 = bandwidth * metadata)][]
}

# The reason of one target from its phases, empty for a valid score: those of validity() in weir/decide/io500/result.py,
# and those for which `weir io500 --records` ranks no cell. A degraded phase has no time that counts.
why_no_score <- function(phases) {
  write <- phases[grepl("write", phase)]
  reasons <- c(
    "phases are missing" = sum(phases$n > 0) < nrow(io500_phases),
    "emulated storage" = any(phases$emulated),
    "storage that does not survive the node" = any(phases$volatile),
    "a phase is degraded" = any(phases$verdict == "DEGRADED"),
    "a write phase has no time" = anyNA(write$time_s),
    "shortened run" = any(write$walled | write$time_s < io500_write_s),
    "a write requested no synchronisation" = any(write[unit == "GiB/s"]$unsynced),
    "not valid in io500.csv" = any(phases$refused)
  )
  c(names(which(reasons)), "")[1]
}

# The imported result sets that are not valid: their files have marks and requests that their records do not tell.
refused_sets <- function(path) {
  if (is.null(path)) {
    return(character())
  }
  sets <- read_text_table(path, "IO500 scores")
  sets$result_set[sets$valid != "True"]
}

# "buffer (E) (shortened run), disk (phases are missing)"
why_words <- function(target, emulated, why) {
  paste(unique(sprintf("%s (%s)", mark_name(target, emulated), why)), collapse = ", ")
}

# Names below a figure those of `phases` that have no valid score.
note_no_score <- function(table, phases, words) {
  without <- phases[nzchar(why), why_words(target, emulated, why)]
  if (any(nzchar(phases$why))) add_note(table, sprintf("%s: %s.", words, without)) else table
}

geometric_mean <- function(values) exp(mean(log(values)))

# The published result sets, long: phase, value, and the value of a node and of a process where they are known.
read_submissions <- function(path) {
  table <- read_text_table(path, "IO500 submissions")
  columns <- grep("_(gib_s|kiops)$", names(table), value = TRUE)
  known <- function(column) suppressWarnings(as.numeric(table[[column]]))
  long <- data.table::rbindlist(lapply(columns, function(column) {
    data.table::data.table(
      submission = table$submission, filesystem = table$filesystem, ime = grepl("IME", table$filesystem, fixed = TRUE),
      phase = sub("_(gib_s|kiops)$", "", column), whole = known(column), node = known(column) / known("nodes"),
      process = known(column) / known("procs")
    )
  }))
  long[, phase := factor(phase, levels = io500_phases$phase)][]
}

io500_submissions <- function(records, inputs) {
  is_ours <- any(records$suite %in% "io500")
  if (!is_ours || is.null(inputs$submissions)) data.table::data.table() else read_submissions(inputs$submissions)
}

# Submissions are valid, so only valid results are ranked among them.
percentile_among <- function(value, others) {
  others <- others[is.finite(others)]
  100 * (mean(others < value) + mean(others == value) / 2)
}

io500_answer <- function(records, inputs) {
  index <- index_of_io500(phases_of_io500(records, inputs))
  only_if(nrow(index) > 0)
  words <- index[, sprintf(
    "on the storage ``%s'': bandwidth %s~GiB/s, metadata %s~kIOPS, %s %s by today's formula and %s by that of 2017",
    latex_name(mark_name(target, emulated)), five_digits(bandwidth), five_digits(metadata),
    ifelse(nzchar(why), "index", "score"), five_digits(today), five_digits(rule_2017)
  )]
  without <- index[nzchar(why)]
  doubt <- if (nrow(without) > 0) {
    sprintf(
      paste(
        "An index is not a valid IO500 score, which needs write phases of %d\\,s or longer on real storage, and is not",
        "ranked among the submissions: %s."
      ),
      io500_write_s, latex_name(without[, why_words(target, emulated, why)])
    )
  }
  paste(c(capitalised(paste0(paste(words, collapse = "; "), ".")), doubt), collapse = " ")
}

# As IO500 prints its numbers; larger ones with their thousands.
five_digits <- function(values) {
  words <- formatC(signif(values, 5), format = "fg", digits = 5)
  trimws(ifelse(is.na(values) | values >= 1e5, rate_words(values), words))
}
