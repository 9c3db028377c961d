# Cost of a software layer: in each round, a straight line through the time of an operation against its size.

# One row for each target, stack, access, interface, nodes, processes and round: microseconds of an operation of no
# bytes, and microseconds for each MiB. The time of an operation is that of a rank: the time of the transfers over its
# operations.
layer_lines <- function(records) {
  records <- transfers_of(records)[experiment %in% "layers" & verdict %in% usable_verdicts & !is.na(io_s)]
  if (nrow(records) == 0) {
    return(data.table::data.table())
  }
  records <- round_names(records)
  records[, operation_us := 1e6 * io_s / (moved_bytes / xfer_bytes / tasks_of(records))]
  # The time is unknown where the number of ranks is unknown.
  points <- records[operation_us > 0,
    .(operation_us = stats::median(operation_us), unproven = any(verdict == "UNPROVEN")), by = c(lined, "xfer_bytes")]
  points[, if (.N >= 3) c(line_through_sizes(xfer_bytes / mib, operation_us), list(unproven = any(unproven))),
    by = lined]
}

# A line is of one of these.
lined <- c("target", "stack", "emulated", "access", "api", "nn", "ppn", "round")

# Least squares of the relative errors: a large operation must not outweigh the small ones.
line_through_sizes <- function(size_mib, operation_us) {
  fit <- stats::lm.wfit(cbind(1, size_mib), operation_us, 1 / operation_us^2)
  list(operation_us = unname(fit$coefficients[1]), mib_us = unname(fit$coefficients[2]))
}

# The interface without the layer: POSIX, or where a target has none the native one; of a burst buffer's mount the
# native interface of the buffer beside it.
base_apis <- c("POSIX", "IME", "MPIIO")

# Each layer with the mean of its rounds and a t interval, and what it adds to the base of its target: of the rounds
# that have both, each with n and verdict of its own.
layer_costs <- function(records) {
  lines <- layer_lines(records)
  if (nrow(lines) == 0) {
    return(lines)
  }
  long <- data.table::melt(lines, measure.vars = c("operation_us", "mib_us"), variable.name = "cost",
    value.name = "value")
  by <- c(setdiff(lined, c("api", "round")), "cost")
  bases <- long[, .(base = intersect(base_apis, api)[1]), by = by]
  long <- bases[long, on = by]
  base_values <- long[api == base, c(by, "round", "value", "unproven"), with = FALSE]
  data.table::setnames(base_values, c("value", "unproven"), c("base_value", "base_unproven"))
  long <- merge(long, base_values, by = c(by, "round"), all.x = TRUE)
  costs <- long[, c(
    mean_interval(value)[c("mean", "lo", "hi", "n")],
    stats::setNames(
      mean_interval(value - base_value)[c("mean", "lo", "hi", "n")], c("added", "added_lo", "added_hi", "added_n")
    ),
    list(
      verdict = point_verdict(TRUE, FALSE, sum(unproven)),
      added_verdict = point_verdict(TRUE, FALSE, sum((unproven | base_unproven) & !is.na(base_value)))
    )
  ), by = c(by, "api", "base")]
  name_apart(costs)
}

# The mount against the native interface of the same burst buffer.
mount_costs <- function(records, facts) {
  lines <- layer_lines(records)
  if (nrow(lines) == 0 || length(facts$targets) == 0) {
    return(data.table::data.table())
  }
  side <- function(kind, interface) lines[target %in% targets_of_kind(facts, kind) & api == interface]
  pairs <- merge(
    side("burst-buffer-fuse", "POSIX"), side("burst-buffer", "IME"),
    by = c("stack", "access", "nn", "ppn", "round"), suffixes = c("", "_native")
  )
  if (nrow(pairs) == 0) {
    return(pairs)
  }
  costs <- pairs[, .(
    added_operation_us = list(mean_interval(operation_us - operation_us_native)),
    added_mib_us = list(mean_interval(mib_us - mib_us_native)),
    verdict = point_verdict(TRUE, FALSE, sum(unproven | unproven_native))
  ), by = .(target, stack, native = target_native, access, nn, ppn, emulated)]
  name_apart(costs)
}

layers_answer <- function(records, inputs) {
  costs <- layer_costs(records)
  only_if(nrow(costs) > 0)
  costs <- real_storage(costs[cost == "operation_us" & api != base & is.finite(added)])
  only_if(nrow(costs) > 0)
  # A cost below zero, or whose interval has zero in it, is none that these rounds show.
  costs[, sure := added > 0 & (is.na(added_lo) | added_lo > 0)]
  most <- costs[order(emulated, target, access, !sure, -added), .SD[1], by = .(emulated, target, access)]
  named <- function(rows) latex_name(mark_name(rows$target, rows$emulated))
  adds <- most[sure == TRUE]
  words <- sprintf(
    "%s adds %s\\,\\textmu{}s to each %s on %s (%s)", latex_name(api_words(adds$api)), effect_number(adds$added),
    latex_name(adds$access), named(adds),
    ifelse(is.na(adds$added_lo), "no interval", paste(effect_number(adds$added_lo), "to", effect_number(adds$added_hi)))
  )
  none <- most[sure == FALSE]
  paste(c(
    if (nrow(adds) > 0) sprintf("The layer with the highest cost per operation: %s.", paste(words, collapse = "; ")),
    if (nrow(none) > 0) sprintf("No layer adds a cost to %s that these rounds tell from zero.",
      paste(sprintf("%ss on %s", latex_name(none$access), named(none)), collapse = " or "))
  ), collapse = " ")
}
