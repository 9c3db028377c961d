metric("throw-time", function(records) records$total_s, unit = "s", better = "lower", words = "time of a throw",
  of = function(records) records[tool == "pebble"])
