metric("p99", function(records) above_zero(records$lat_p99_us), unit = "us", better = "lower",
  words = "99th percentile of latency")
