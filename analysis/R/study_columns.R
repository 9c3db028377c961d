# Columns of the tables of single studies, listed for the linter as those of columns.R.

utils::globalVariables(c(
  "added", "added_hi", "added_hi_mib_us", "added_hi_operation_us", "added_lo", "added_lo_mib_us",
  "added_lo_operation_us", "added_mib_us", "added_operation_us", "angle", "arithmetic", "bandwidth", "base",
  "base_value", "below", "best_hi", "best_lo", "cached", "cost", "declared", "fetched_bytes", "harmonic", "i.sheet",
  "ime", "layer", "locality", "memory", "metadata", "mib_us", "mib_us_native", "n_degraded", "n_invalid", "native",
  "node", "node_mib_s", "of", "operation_us", "operation_us_native", "operations", "own", "peak", "per", "percentile",
  "phases", "r_arithmetic_mean", "r_harmonic", "radius", "recomputed", "ring", "rnode", "rule_2017", "shortest",
  "situations", "stripe_count", "stripes", "submission", "target_native", "time_s", "today", "turn", "valid",
  "w_arithmetic_mean", "w_harmonic", "whole", "wnode", "titled", "x", "y"
))
