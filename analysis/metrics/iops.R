metric("iops", function(records) above_zero(records$ops_s), unit = "op/s", better = "higher",
  words = "operations per second")
