metric(
  "metadata-rate", function(records) above_zero(records$ops_s),
  unit = "op/s", better = "higher", words = "operations on files and directories per second", of = metadata_of
)
