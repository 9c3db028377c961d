# E. Betke, J. Kunkel: Understanding Burst Buffers with NetCDF-Bench, SIG-IO-UK workshop 2018; sentences are our own.

title <- "Understanding Burst Buffers with NetCDF-Bench"
cites <- "netcdfslides"

netcdf <- function(points) points[purpose == "format" & api == "NETCDF4"]
buffers <- function(points) points[role %in% c("native", "fuse")]
how <- c("collective", "chunked", "chunking", "variant")
programs <- c("tool", "purpose", "api", "order", "layout", how)

is_chunked_independent <- function(points) points$chunked & !points$collective
is_contiguous_collective <- function(points) !points$chunked & points$collective

# The better of the recommended access paths against the better of the remaining ones.
ways_against_others <- function(points, good) ratio_of_fastest(points[good(points)], points[!good(points)], how)

# The three access paths of the slides: no collective access of chunks.
three_ways <- function(points) points[!(chunked & collective)]

claims <- list(
  claim(
    "slides-gap", "On a burst buffer small and large blocks are far apart: a factor of four and more.", "Summary",
    "NetCDF accesses of several sizes on a burst buffer",
    function(points) largest_over_smallest(buffers(netcdf(points))), at_least(4), 0.1
  ),
  claim(
    "slides-large-vary", "Large blocks vary more than small ones.", "Linear scale",
    "NetCDF accesses of at most 128 KiB and of at least 4 MiB on a burst buffer, four repetitions",
    function(points) {
      found <- buffers(netcdf(points))
      quotient_of(spread_of(large_blocks(found)), spread_of(small_blocks(found)))
    }, above(1), 0.1
  ),
  claim(
    "slides-large-independent-chunked", "For large blocks independent access of chunks is best.", "Linear scale",
    "NetCDF accesses of at least 4 MiB on a burst buffer, chunked and contiguous",
    function(points) ways_against_others(large_blocks(buffers(netcdf(points))), is_chunked_independent),
    at_least(1), 0.05
  ),
  claim(
    "slides-small-ways",
    "For small blocks collective access without chunks or independent access of chunks is best.", "Logarithmic scale",
    "NetCDF accesses of at most 128 KiB on a burst buffer, all four ways",
    function(points) {
      good <- function(points) is_chunked_independent(points) | is_contiguous_collective(points)
      ways_against_others(small_blocks(buffers(netcdf(points))), good)
    }, at_least(1), 0.05
  ),
  claim(
    "slides-pool-fastest", "The pool of memory is faster than every other storage.", "Kove XPD",
    "NetCDF accesses of the pool and of other targets",
    function(points) {
      found <- netcdf(points)
      apart <- c("role", "target")
      ratio_of(found[role == "pool"], fastest_of(found[role != "pool"], apart), apart)
    }, above(1), 0.05
  ),
  claim(
    "slides-pool-insensitive",
    "On the pool of memory it makes no difference whether access is collective, independent, or of chunks.",
    "Kove XPD; Summary", "NetCDF accesses of the pool, three methods",
    function(points) {
      found <- three_ways(netcdf(points)[role == "pool"])
      only_if(nrow(unique(found[, .(collective, chunked)])) > 1)
      ratio_of(fastest_of(found, how), slowest_of(found, how), how)
    }, at_most(1), 0.25
  ),
  claim(
    "slides-ior-higher", "IOR by MPI-IO reaches more than NetCDF-Bench on the same storage.", "Summary",
    "NetCDF-Bench and IOR by MPI-IO on one target with the same sizes, nodes and processes",
    function(points) ratio_of_fastest(transfers(points)[api == "MPIIO"], netcdf(points), programs), above(1), 0.05
  ),
  claim(
    "slides-ior-hdf5-is-no-netcdf", "IOR by HDF5 does not tell how fast NetCDF is: they are a quarter apart and more.",
    "Benchmarks", "NetCDF-Bench and IOR by HDF5 on one target with the same sizes, nodes and processes",
    function(points) apart_by(ratio_of_fastest(points[api == "HDF5"], netcdf(points), programs)), above(1), 0.25
  )
)
