# A paper that was never written: one claim that these records decide.

title <- "Pebbles"
cites <- "benchmarking"

claims <- list(
  claim(
    "small-is-fast", "Small transfers are fastest.", "p. 1", "two sizes",
    function(points) largest_over_smallest(points), below(1), 0.1
  )
)
