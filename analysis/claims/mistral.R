# J. Kunkel: High-Performance I/O @ Mistral, DKRZ 2015; sentences are our own.

title <- "High-Performance I/O @ Mistral"
cites <- "mistral"
suites <- "mistral"
published <- "mistral-2015"

many <- function(points) of_many(transfers(points))
of_many <- function(points) points[tasks_of(points) > 1]
# What else tells cells apart, such as a hint, is a part of the setting.
interface <- c("api", "layout", "collective", "variant")

hdf5_over_pnetcdf <- function(points) {
  ratio_between(of_many(points), "api", "HDF5", "PNETCDF", c(interface, "purpose"))
}

claims <- list(
  claim(
    "mistral-files-beat-shared", "A file for each process is faster than one shared file by MPI-IO.",
    "Acceptance tests", "POSIX with a file per process and MPI-IO with a shared file, same nodes, processes and sizes",
    function(points) {
      found <- many(points)
      ratio_of(found[api == "POSIX" & layout == "file-per-process"], found[api == "MPIIO" & layout == "shared"],
        interface)
    }, above(1), 0.1
  ),
  # Reads may hide the writes where both are judged together.
  claim(
    "mistral-hdf5-half-of-pnetcdf", "Reads by HDF5 reach at most half of the bandwidth of those by PnetCDF.",
    "Observations to take away",
    "IOR by HDF5 and by PnetCDF with the same nodes, processes and sizes",
    function(points) hdf5_over_pnetcdf(points[access == "read"]), at_most(0.5), 0.1
  ),
  claim(
    "mistral-hdf5-half-of-pnetcdf-writes", "Writes by HDF5 reach at most half of the bandwidth of those by PnetCDF.",
    "Observations to take away",
    "IOR by HDF5 and by PnetCDF with the same nodes, processes and sizes",
    function(points) hdf5_over_pnetcdf(points[access == "write"]), at_most(0.5), 0.1
  ),
  claim(
    "mistral-stream-is-slow", "One process reaches a small part, at most a tenth, of what many processes reach.",
    "Acceptance tests", "a single process and many processes with a file each, same sizes",
    function(points) {
      found <- transfers(points)[api == "POSIX" & layout == "file-per-process"]
      best_ratio(found[tasks_of(found) == 1], of_many(found))
    }, at_most(0.1), 0.1
  ),
  claim(
    "mistral-threads-of-a-node", "Several processes of a node read and write at least twice as fast as one.",
    "Testing defaults", "one and several processes per node with the same interface, nodes and sizes",
    function(points) ratio_of(transfers(points)[ppn > 1], transfers(points)[ppn == 1], c("ppn", "variant")),
    at_least(2), 0.1
  ),
  claim(
    "mistral-settings-matter",
    "Many processes are four times as fast with a good setting of interface, stripes and processes as with a bad one.",
    "Observations to take away", "several settings of interface and processes with the same nodes and sizes",
    function(points) {
      found <- many(points)
      apart <- c(interface, "ppn", "nn")
      good <- fastest_of(found, apart)
      only_if(nrow(good) < nrow(found))
      ratio_of(good, slowest_of(found, apart), apart)
    }, at_least(4), 0.1
  ),
  claim(
    "mistral-random-reads-suffer", "Small single reads in random order take longer than in sequence.",
    "I/O duration with variable block granularity", "single reads of at most 128 KiB in both orders",
    function(points) {
      found <- small_blocks(points[access == "read"])
      apart <- c("order", "variant")
      ratio_of(slowest_of(found[order == "random"], apart), fastest_of(found[order == "sequential"], apart), apart)
    }, above(1), 0.1, measure = "latency"
  )
)
