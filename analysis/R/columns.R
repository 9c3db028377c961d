# Columns that data.table and ggplot2 evaluate within a table, listed for the linter: it would take each of them for a
# variable that is defined nowhere.

utils::globalVariables(c(
  ".", "access", "access_mode", "api", "at", "at_ends", "bandwidth", "best", "best_record", "bound", "calls", "cell",
  "cells", "choice", "chunked", "chunking", "close_s", "collective", "column", "count", "deflate_level", "degraded",
  "degraded.x", "degraded.y", "doubt", "downwards", "draws", "emulated", "emulated_of_read", "emulated_of_write",
  "emulated.x", "emulated.y", "evidence", "experiment", "explanation", "feature", "fill", "group", "hi",
  "hi_of_read", "hi_of_write", "highest", "i.median", "instead_of", "invalid", "io_s", "item", "kind", "lat_p50_us",
  "lat_p99_us", "lat_us", "least", "lo", "lo_of_read", "lo_of_write", "log_us", "lower", "lowest", "mean_of_points",
  "median_io", "median_of_read", "median_of_write", "median.x", "median.y", "metric", "most", "moved_bytes", "n",
  "n_invalid_of_read", "n_invalid_of_write", "n_of_read", "n_of_write", "name", "needs", "nn", "note",
  "open_of_rest", "open_s", "ops_s", "p50_us", "p99_us", "paper", "part", "phase", "ppn", "program", "program_of",
  "published_best", "published_gib", "published_mean", "ratio", "reached_with", "read", "read_hi", "read_lo",
  "reason", "reasons", "reasons.x", "reasons.y", "repetitions", "requested_bytes", "role", "rule", "says", "shape",
  "sheet", "site", "size", "statistic", "steps", "stonewall_s", "storage", "stored", "suite", "sync_of_io", "sync_s",
  "target", "target_name", "three_quarters", "tool", "tool_version", "top", "unit", "unlimited", "upper", "upper_us",
  "value", "value_mib_s", "value_of_record", "values", "variant", "verdict", "verdict_of_read", "verdict_of_write",
  "way", "ways", "where", "whole_gib", "whole_s", "width", "wire_mib_s", "workers", "write_hi", "write_lo",
  "xfer_bytes", "xfer_kib"
))
