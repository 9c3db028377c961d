# H. Shan, J. Shalf: Using IOR to Analyze the I/O Performance, NERSC; sentences are our own.

title <- "Using IOR to Analyze the I/O Performance"
cites <- "nerscior"
suites <- "nersc-ior"

interface <- c("api", "collective")
shared <- function(points) transfers(points)[layout == "shared"]

claims <- list(
  claim(
    "nersc-large-transfers", "Large transfers are at least twice as fast as small ones.", "Transfer size",
    "transfers of several sizes by POSIX in a shared file",
    function(points) largest_over_smallest(shared(points)[api == "POSIX" & nn == 1 & ppn > 1]),
    at_least(2), 0.1
  ),
  claim(
    "nersc-shared-is-close", "A shared file is about as fast as a file for each process.",
    "Shared vs. one file per proc",
    "POSIX with both layouts, the same nodes, processes and sizes",
    function(points) ratio_between(transfers(points)[api == "POSIX"], "layout", "shared", "file-per-process"),
    near(1), 0.25
  ),
  claim(
    "nersc-mpiio-is-close", "MPI-IO is about as fast as POSIX.", "Programming interface",
    "POSIX and MPI-IO in a shared file, the same nodes, processes and sizes",
    function(points) ratio_between(shared(points), "api", "MPIIO", "POSIX", interface), near(1), 0.25
  ),
  claim(
    "nersc-hdf5-behind", "HDF5 falls behind MPI-IO.", "Programming interface",
    "MPI-IO and HDF5 in a shared file, the same nodes, processes and sizes",
    function(points) ratio_between(shared(points), "api", "HDF5", "MPIIO", interface), below(1), 0.02
  ),
  claim(
    "nersc-pnetcdf-slowest", "Parallel NetCDF is the slowest interface.", "Programming interface",
    "PnetCDF and another interface in a shared file, the same nodes, processes and sizes",
    function(points) {
      found <- shared(points)
      ratio_of(found[api == "PNETCDF"], slowest_of(found[api != "PNETCDF"], interface), interface)
    }, below(1), 0.02
  ),
  claim(
    "nersc-small-files-are-cached", "Small files are read faster than large ones: the client still has them in memory.",
    "Caching effects", "shared files of several sizes by POSIX, without synchronisation",
    function(points) {
      found <- transfers(points)[access == "read" & api == "POSIX" & layout == "shared" & grepl("no sync", variant)]
      only_if(data.table::uniqueN(found$requested_bytes) > 1)
      ends <- range(found$requested_bytes)
      ratio_of(found[requested_bytes == ends[1]], found[requested_bytes == ends[2]], "variant")
    }, above(1), 0.1
  ),
  claim(
    "nersc-ior-predicts-madbench", "IOR with the parameters of MADbench takes as long as MADbench itself.",
    "I/O performance prediction for MADbench", "MADbench, and IOR by POSIX with its transfers in a shared file",
    function(points) {
      found <- points[api == "POSIX" & layout == "shared" & !grepl("no sync", variant)]
      application <- found[purpose == "application"]
      kernel <- transfers(found)[xfer_bytes %in% application$xfer_bytes]
      ratio_of(kernel, application, c("tool", "purpose", "variant", "collective", "order"))
    }, near(1), 0.25,
    measure = "whole"
  )
)
