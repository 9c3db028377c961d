# Which setting to make the default: the share of the best that each setting reaches in every situation.

default_settings <- c("stripe_count", "ppn")
names_of_settings <- c(default_settings, "stripes")
# Columns that identify a situation; each situation has one best setting.
default_situations <- c("target", "stack", "access", "api", "layout", "order", "nn", "xfer_bytes")

sweep_of_defaults <- function(records) transfers_of(records)[experiment %in% "defaults"]

# A point of each setting in each situation, with its share of the best one there.
shares_in_situations <- function(sweep) {
  points <- summarise_records(sweep, bandwidth_all(sweep), c(default_situations, default_settings), "MiB/s")
  usable_points(points, default_situations)[, share := median / max(median), by = default_situations][]
}

# One row for each target, access, interface and setting: bandwidth of a node, and the means of the share of the best
# over the situations (numbers of nodes). The harmonic mean punishes a setting that fails somewhere; `whole`: it was
# measured in all of them.
shares_of_best <- function(records) {
  sweep <- sweep_of_defaults(records)
  if (nrow(sweep) == 0) {
    return(data.table::data.table())
  }
  points <- shares_in_situations(sweep)
  points[, wanted := nrow(unique(.SD)), by = c("target", "stack", "access", "api"), .SDcols = default_situations]
  shares <- points[, .(
    node_mib_s = mean(median / nn), arithmetic = mean(share), harmonic = 1 / mean(1 / share), situations = .N,
    whole = .N == wanted[1],
    n = min(n), n_degraded = sum(n_degraded), n_invalid = sum(n_invalid), emulated = any(emulated),
    verdict = point_verdict(TRUE, any(verdict == "DEGRADED"), sum(verdict == "UNPROVEN"))
  ), by = c("target", "stack", "access", "api", default_settings)]
  name_apart(shares)
}

# The harmonic mean of a setting's shares over writes and reads, the best setting first: it must not fail for either.
# A default was measured for each access and in each situation of its storage.
of_both_accesses <- function(shares, by, column = "harmonic") {
  shares <- data.table::copy(shares)[, accesses := data.table::uniqueN(access), by = setdiff(by, names_of_settings)]
  together <- shares[, .(share = 1 / mean(1 / get(column)), whole = all(whole) && .N == accesses[1]), by = by]
  together[whole == TRUE][order(-share)]
}

# The table of Kunkel's talk on Mistral, a row for each setting and access.
read_printed_defaults <- function(path) {
  printed <- read_text_table(path, "printed defaults", c("stripes", "ppn", "rnode", "wnode", "r_arithmetic_mean",
    "w_arithmetic_mean", "r_harmonic", "w_harmonic"))
  rows <- rbind(
    printed[, .(access = "write", stripes, ppn, node_mib_s = wnode, arithmetic = w_arithmetic_mean,
      harmonic = w_harmonic)],
    printed[, .(access = "read", stripes, ppn, node_mib_s = rnode, arithmetic = r_arithmetic_mean,
      harmonic = r_harmonic)]
  )
  rows[, c("best_lo", "best_hi") := best_behind(node_mib_s, arithmetic), by = access][, whole := TRUE]
  rows[, recomputed := floor(100 * node_mib_s / ((best_lo + best_hi) / 2))][]
}

# The arithmetic mean is the bandwidth of a node over that of the best settings, in per cent without decimals. Between
# which ends must the bandwidth of the best settings lie so that this gives every printed number?
best_behind <- function(node_mib_s, percent) {
  list(max(100 * node_mib_s / (percent + 1)), min(100 * node_mib_s / percent))
}

# Only a study of defaults shows them.
printed_defaults <- function(records, inputs) {
  if (is.null(inputs$defaults) || !any(records$experiment %in% c("defaults", "acceptance"))) {
    return(data.table::data.table())
  }
  read_printed_defaults(inputs$defaults)
}
