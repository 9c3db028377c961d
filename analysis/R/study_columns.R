# Columns of the tables of single studies, listed for the linter as those of columns.R.

utils::globalVariables(c(
  "added", "added_hi", "added_hi_mib_us", "added_hi_operation_us", "added_lo", "added_lo_mib_us",
  "added_lo_operation_us", "added_mib_us", "added_operation_us", "angle", "application", "arithmetic", "bandwidth",
  "base", "base_unproven", "base_value", "below", "beside", "best_hi", "best_lo", "block_bytes", "cached", "cost",
  "counter", "declared", "far", "fetched_bytes", "harmonic", "hints", "i.median", "i.sheet", "ime", "iteration",
  "kernel_access", "kernel_api", "kernel_bytes", "kernel_mib_s", "kind", "label", "layer", "lines", "llite_bytes",
  "llite_calls", "locality", "measured_s", "memory", "memory_bytes", "metadata", "mib_us", "mib_us_native",
  "n_degraded", "n_invalid", "native", "node", "node_mib_s", "nodes", "of", "operation_us", "operation_us_native",
  "operations", "osc_bytes", "other_stripes", "own", "peak", "per", "percentile", "phases", "plain_mib_s",
  "plain_unproven", "predicted_s", "process", "r_arithmetic_mean", "r_harmonic", "radius", "recomputed", "ring",
  "rnode", "rule_2017", "samples", "segments", "share", "situations", "storage_mib_s", "stripe_count", "stripes",
  "submission", "sync", "target_native", "text", "time_s", "titled", "today", "turn", "unproven_kernel",
  "w_arithmetic_mean", "w_harmonic", "whole", "why", "wnode", "x", "y"
))
