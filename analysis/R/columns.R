# Columns that data.table and ggplot2 evaluate within a table, listed for the linter: it would take each of them for a
# variable that is defined nowhere.

utils::globalVariables(c(
  ".", "..bound", "..dimension", "..metric", "..note", "access", "access_mode", "also", "also_differs", "any_used",
  "api", "at", "at_ends", "began", "best", "beyond", "bound", "bound_hi", "bound_lo", "bw_mib_s", "calls", "cell",
  "cells", "chunked", "chunking", "clear", "close_s", "collective", "column", "count", "deflate_level", "dimension",
    "degraded",
  "N", "above", "chance", "deviation", "n_records", "sync_share", "usable", "doubtful", "fewest",
  "doubts", "half_width", "highest", "i.cells", "iops", "is_degraded", "seconds", "seen",
  "is_invalid", "known_ops", "most_ops", "same", "unknown", "width",
  "doubt", "effect", "emulated", "emulated_of_read", "emulated_of_write", "emulated.x", "emulated.y", "evidence",
  "expected", "experiment", "experiment.y", "explanation", "feature", "fill", "from", "group", "hi", "hi_of_read",
  "hi_of_write", "highest", "i.k", "i.level", "i.median", "i.share", "instead_of", "invalid", "io_s", "item", "k",
  "kind", "known", "lat_p50_us", "lat_p99_us", "least", "level", "level_of_read", "level_of_write", "lo",
  "lo_of_read", "lo_of_write", "log_ratio", "lowest", "median_io", "median_of_read", "median_of_write", "median.x",
  "median.y", "middle", "minutes", "most", "moved_bytes", "n", "n_degraded_of_read", "n_degraded_of_write",
  "n_degraded.x", "n_degraded.y", "n_invalid_of_read", "n_invalid_of_write", "n_invalid.x", "n_invalid.y",
  "n_of_read", "n_of_write", "n_unproven", "n.x", "n.y", "name", "needed", "needs", "nn", "one_cell", "open_s", "ops",
  "ops_s", "others", "outcome", "p", "p50_us", "p99_us", "panel", "paper", "part", "phase", "ppn", "program",
  "program_of", "published_best", "published_gib", "published_mean", "purpose", "ratio", "reached_with", "read",
  "read_hi",
  "read_lo", "reason", "reasons", "repeated", "requested_bytes", "role", "rounds", "rule", "run", "says", "series",
  "setting", "several", "shape", "share", "sheet", "side", "site", "size", "sizes", "slice", "speed", "statistic",
  "steps",
  "stonewall_s", "storage", "stored", "suite", "sync_s", "target", "target_name", "tied", "to", "tool",
    "tool_version", "total_s", "unit",
  "unlimited", "unproven", "unproven_native", "upper_us", "used", "value", "value_first", "value_mib_s",
  "value_of_record", "value_other", "values", "values.x", "values.y", "variant", "verdict", "verdict_of_read",
  "verdict_of_write", "verdict.x", "verdict.y", "way", "ways", "where", "whole_gib", "whole_s", "wire_mib_s",
  "workers", "write_hi",
  "write_lo", "xfer_bytes", "xfer_kib"
))
