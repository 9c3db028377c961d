# Columns of the tables of single studies, listed for the linter as those of columns.R.

utils::globalVariables(c(
  "arithmetic", "best_hi", "best_lo", "cached", "declared", "fetched_bytes", "harmonic", "i.sheet", "locality",
  "memory",
  "n_degraded", "n_invalid", "node_mib_s", "operations", "peak", "r_arithmetic_mean", "r_harmonic", "recomputed",
  "rnode", "situations", "stripe_count", "stripes", "w_arithmetic_mean", "w_harmonic", "wnode"
))
