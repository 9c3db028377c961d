# E. Betke, J. Kunkel: Benefit of DDN's IME-FUSE for I/O intensive HPC applications, 2018; the wording is ours.

title <- "Benefit of DDN's IME-FUSE for I/O intensive HPC applications"
cites <- "imefuse"
published <- "ime-paper"
carried <- "carried over from Sect. 5" # about the native interface; not the paper's, but these data decide it
wire_gbit_s <- 100 # 4x EDR, one port a node

ior <- function(points, wanted) transfers(points)[role == wanted & !api %in% "HDF5"]
reads <- function(points) points[access == "read"]
writes <- function(points) points[access == "write"]
read_over_write <- function(points) ratio_between(points, "access", "read", "write")
interfaces <- c("role", "target", "api", "collective")

fuse_over_native <- function(points) ratio_of(ior(points, "fuse"), ior(points, "native"), interfaces)

# What ten nodes reach of ten times what one node does, at the most processes a node.
share_of_ends <- function(points) {
  only_if(data.table::uniqueN(points$nn) > 1)
  ends <- range(points$nn)
  points <- points[ppn == max(ppn)]
  many <- scaled_points(points[nn == ends[2]], ends[1] / ends[2])
  ratio_of(many, points[nn == ends[1]], "nn")
}

share_of_wire <- function(points) {
  points <- points[!is.na(wire_mib_s) & xfer_bytes >= mib]
  points <- scaled_points(points, 1 / (points$nn * points$wire_mib_s))
  best_against(points, 1)
}

from_two_nodes <- function(points) growth_of(points[nn >= 2])

# Beside the other interfaces of the same file system; what the campaign shares a file for by the one and not by the
# other is part of the comparison, as it was in the paper.
mpiio_over_posix <- function(points) {
  found <- ratio_between(points, "api", "MPIIO", "POSIX", c("api", "collective", "layout", "variant"))
  layouts <- unique(points[, .(api, layout)])$layout
  if (data.table::uniqueN(layouts) > 1) {
    found$note <- c(found$note, "layouts differ too: a shared file by MPI-IO, most files per process by POSIX")
  }
  found
}

ratio_of_orders <- function(points) ratio_between(points, "order", "random", "sequential")

# The Lustre of the paper is the same one.
best_there <- function(points, printed_mib_s) {
  best_against(ior(points, "file system")[grepl("^ddn-test-cluster", site)], printed_mib_s)
}

# The largest transfers against the best of the others, at the same nodes and processes.
largest_against_others <- function(points) {
  only_if(data.table::uniqueN(points$xfer_bytes) > 1)
  largest <- max(points$xfer_bytes)
  best_ratio(points[xfer_bytes == largest], points[xfer_bytes < largest])
}

# The points of single operations are latencies: file system over FUSE mount.
single <- function(points) ratio_between(points, "role", "file system", "fuse", interfaces)

# The files of the paper had 100 transfers a process; where a stonewall or a fixed size ends the phase, nothing follows.
grows_with_transfers <- function(points) {
  found <- transfers(points)
  if (data.table::uniqueN(found$xfer_bytes) < 2) {
    return(FALSE)
  }
  files <- found[, .(requested_bytes = stats::median(requested_bytes)), by = xfer_bytes]
  isTRUE(max(files$requested_bytes) >= 4 * min(files$requested_bytes))
}

netcdf <- function(points) points[purpose == "format" & api == "NETCDF4" & role %in% c("file system", "fuse", "any")]
chunks <- function(points) ratio_between(points, "chunked", TRUE, FALSE, c("chunked", "chunking"))
together <- function(points) ratio_between(points, "collective", TRUE, FALSE)
contiguous <- function(points) points[chunked == FALSE]
independent_chunked <- function(points) points[chunked == TRUE & collective == FALSE]
fuse_over_files <- function(points) ratio_between(points, "role", "fuse", "file system", c("role", "target"))
best_independent <- function(points) best_ratio(points[collective == FALSE], points[collective == TRUE])
netcdf_over_mpiio <- function(points) {
  found <- writes(points)[role == "file system"]
  apart <- c("tool", "purpose", "api", "collective", "chunked", "chunking", "order", "layout", "variant")
  ratio_of_fastest(netcdf(found), transfers(found)[api == "MPIIO"], apart)
}

claims <- list(
  claim(
    "native-scales", "Through the native interface bandwidth grows in proportion to the nodes.", "Sect. 5, Fig. 3",
    "native records on several numbers of nodes",
    function(points) growth_of(ior(points, "native")), at_least(1), 0.15
  ),
  claim(
    "native-writes-limited-by-clients",
    "Native writes of many nodes reach the number of nodes times what one node writes: the clients are the limit.",
    "Sect. 4.2", "native writes on several numbers of nodes",
    function(points) share_of_ends(writes(ior(points, "native"))), at_least(1), 0.1
  ),
  claim(
    "native-reads-limited-by-servers",
    "Native reads of many nodes fall well short of the number of nodes times what one node reads: the servers are the
    limit.", "Sect. 4.2", "native reads on several numbers of nodes",
    function(points) share_of_ends(reads(ior(points, "native"))), below(1), 0.1
  ),
  claim(
    "native-lines", "For each transfer size native writes are a linear function of native reads.", "Sect. 5, Fig. 2",
    "native reads and writes of four configurations a size",
    function(points) line_of(ior(points, "native")), at_least(1), 0.2
  ),
  claim(
    "native-small-write-better", "Small transfers write faster than they read through the native interface.",
    "Sect. 5, observation 1", "native reads and writes of at most 128 KiB",
    function(points) read_over_write(small_blocks(ior(points, "native"))), below(1), 0.05
  ),
  claim(
    "native-large-read-better", "Large transfers read faster than they write through the native interface.",
    "Sect. 5, observation 1", "native reads and writes of at least 4 MiB",
    function(points) read_over_write(large_blocks(ior(points, "native"))), above(1), 0.05
  ),
  claim(
    "native-granularity", "Larger transfers are faster through the native interface.", "Sect. 5, observation 2",
    "native records of several transfer sizes",
    function(points) largest_over_smallest(ior(points, "native")), above(1), 0.05
  ),
  claim(
    "native-few-leave-wire-idle", "With one to four processes a node the network is not used up.",
    "Sect. 5, observation 3",
    "native records of 1 MiB and more with at most 4 processes a node, the site's wire_gbit_s",
    function(points) share_of_wire(ior(points, "native")[ppn <= 4]), below(1), 0.25
  ),
  claim(
    "native-reads-near-wire", "With eight processes a node large reads come close to the network's bandwidth.",
    "Sect. 5, observation 3; Sect. 6",
    "native reads of 1 MiB and more with 8 processes a node, the site's wire_gbit_s",
    function(points) share_of_wire(reads(ior(points, "native"))[ppn >= 8]), at_least(1), 0.3
  ),
  claim(
    "native-writes-near-wire", "With eight processes a node large writes come close to the network's bandwidth.",
    "Sect. 5, observation 3; Sect. 6",
    "native writes of 1 MiB and more with 8 processes a node, the site's wire_gbit_s",
    function(points) share_of_wire(writes(ior(points, "native"))[ppn >= 8]), at_least(1), 0.3
  ),
  claim(
    "native-random-harmless", "A random order costs the native interface nothing.", "Sect. 4.2, Table 1; Sect. 6",
    "native records of both orders",
    function(points) ratio_of_orders(ior(points, "native")), at_least(1), 0.1
  ),
  claim(
    "files-single-node-cache", "On the file system one node reads faster than two: its cache answers.",
    "Sect. 5, Lustre", "reads of the file system on one node and on two",
    function(points) ratio_between(reads(ior(points, "file system")), "nn", 1, 2), above(1), 0.05
  ),
  claim(
    "files-best-read", "The best read of the Lustre is 17.4 GiB/s.", "Sect. 5, Lustre",
    "reads of the Lustre of that cluster", function(points) best_there(reads(points), 17.4 * 1024), near(1), 0.15,
    of_published = FALSE
  ),
  claim(
    "files-best-write", "The best write of the Lustre is 11.8 GiB/s.", "Sect. 5, Lustre",
    "writes of the Lustre of that cluster", function(points) best_there(writes(points), 11.8 * 1024), near(1), 0.15,
    of_published = FALSE
  ),
  claim(
    "files-best-read-not-largest", "The file system does not read best with the largest transfers.",
    "Sect. 5, Lustre", "reads of the file system of several transfer sizes",
    function(points) largest_against_others(reads(ior(points, "file system"))), below(1), 0.05
  ),
  claim(
    "files-writes-flatten", "Writes of the file system stop growing with the nodes, from two nodes on.",
    "Sect. 5, Lustre", "writes of the file system by POSIX on two and more nodes",
    function(points) from_two_nodes(writes(ior(points, "file system"))[api == "POSIX"]), at_most(0.25), 0.1
  ),
  claim(
    "files-mpiio-writes-slow", "MPI-IO writes the file system much slower than POSIX does.", "Sect. 5, Lustre",
    "writes of the file system by both interfaces",
    function(points) mpiio_over_posix(writes(ior(points, "file system"))), below(1), 0.5
  ),
  claim(
    "fuse-scales", "Through the FUSE mount bandwidth grows in proportion to the nodes.", "Sect. 5, IME-FUSE",
    "records of the FUSE mount on several numbers of nodes",
    function(points) growth_of(ior(points, "fuse")), at_least(1), 0.15
  ),
  claim(
    "fuse-costs", "The FUSE mount is slower than the native interface.", "Sect. 5, IME-FUSE",
    "records of the FUSE mount and of the native interface that differ in nothing else", fuse_over_native,
    below(1), 0.05
  ),
  claim(
    "fuse-costs-reads-most", "The FUSE mount costs reads more than writes.", "Sect. 5, IME-FUSE",
    "reads and writes of the FUSE mount and of the native interface",
    function(points) quotient_of(fuse_over_native(reads(points)), fuse_over_native(writes(points))), below(1), 0.05
  ),
  claim(
    "opening-weighs-on-small", "Opening and closing weigh more on small experiments than on large ones.", "Sect. 4.1",
    "records of several transfer sizes, each of as many transfers",
    function(points) if (grows_with_transfers(points)) largest_over_smallest(transfers(points)),
    below(1), 0.1, measure = "opening"
  ),
  claim(
    "single-reads-faster-on-files",
    "Single reads are faster on the file system than on the FUSE mount: the client's cache answers.",
    "Sect. 5.2, observation 1", "single reads (io-model) of both",
    function(points) single(reads(points)), below(1), 0.05,
    measure = "latency"
  ),
  claim(
    "single-random-writes-faster-on-fuse",
    "Single writes in random order are faster on the FUSE mount than on the file system.", "Sect. 5.2, observation 2",
    "single random writes (io-model) of both",
    function(points) single(writes(points)[order == "random"]), above(1), 0.05,
    measure = "latency"
  ),
  claim(
    "native-beats-files", "The best of the native interface is far above the best of the file system.",
    "Abstract; Sect. 5", "native records and records of the file system",
    function(points) best_ratio(ior(points, "native"), ior(points, "file system")), above(1), 0.5
  ),
  claim(
    "buffer-favours-random", "A random order is where the burst buffer helps most.", "Sect. 6",
    "records of both orders, native and of the file system",
    function(points) {
      native_over_files <- function(points) ratio_of(ior(points, "native"), ior(points, "file system"), interfaces)
      quotient_of(native_over_files(points[order == "random"]), native_over_files(points[order == "sequential"]))
    }, above(1), 0.05
  ),
  claim(
    "files-granularity", "Larger transfers are faster on the file system, as they are through the native interface.",
    carried, "records of the file system of several transfer sizes",
    function(points) largest_over_smallest(ior(points, "file system")), above(1), 0.05
  ),
  claim(
    "files-small-write-better", "Small transfers write faster than they read on the file system, too.", carried,
    "reads and writes of the file system of at most 128 KiB",
    function(points) read_over_write(small_blocks(ior(points, "file system"))), below(1), 0.05
  ),
  claim(
    "files-large-read-better", "Large transfers read faster than they write on the file system, too.", carried,
    "reads and writes of the file system of at least 4 MiB",
    function(points) read_over_write(large_blocks(ior(points, "file system"))), above(1), 0.05
  ),
  claim(
    "netcdf-chunks-hurt-small-reads", "Chunking slows reads of small blocks down.", "Sect. 5.1, chunking",
    "NetCDF reads of at most 128 KiB, chunked and contiguous",
    function(points) chunks(small_blocks(reads(netcdf(points)))), below(1), 0.05
  ),
  claim(
    "netcdf-chunks-spare-large-reads", "Chunking costs reads of large blocks nothing.", "Sect. 5.1, chunking",
    "NetCDF reads of at least 4 MiB, chunked and contiguous",
    function(points) chunks(large_blocks(reads(netcdf(points)))), at_least(1), 0.1
  ),
  claim(
    "netcdf-collective-helps-small", "Without chunks collective access helps small blocks.",
    "Sect. 5.1, independent or collective", "contiguous NetCDF accesses of at most 128 KiB, collective and independent",
    function(points) together(small_blocks(contiguous(netcdf(points)))), above(1), 0.05
  ),
  claim(
    "netcdf-collective-costs-large", "Without chunks collective access slows large blocks down.",
    "Sect. 5.1, independent or collective", "contiguous NetCDF accesses of at least 4 MiB, collective and independent",
    function(points) together(large_blocks(contiguous(netcdf(points)))), below(1), 0.05
  ),
  claim(
    "netcdf-collective-chunked-degrades", "With chunks collective access is slower than independent access.",
    "Sect. 5.1, independent or collective", "chunked NetCDF accesses, collective and independent",
    function(points) together(netcdf(points)[chunked == TRUE]), below(1), 0.05
  ),
  claim(
    "netcdf-large-reads-beat-writes", "Independent chunked reads of large blocks are faster than their writes.",
    "Sect. 5.1, caching", "independent chunked NetCDF reads and writes of at least 4 MiB",
    function(points) read_over_write(independent_chunked(large_blocks(netcdf(points)))), above(1), 0.05
  ),
  claim(
    "netcdf-large-reads-steady",
    "Independent chunked reads of large blocks vary little: by a tenth of the median at most between the quartiles.",
    "Sect. 5.1, difference 3", "independent chunked NetCDF reads of at least 4 MiB, four repetitions",
    function(points) spread_of(independent_chunked(large_blocks(reads(netcdf(points))))), at_most(0.1), 0.1
  ),
  claim(
    "netcdf-small-collective-reads-vary",
    "Collective reads of 16 KiB without chunks vary more than independent ones.", "Sect. 5.1, difference 1",
    "contiguous NetCDF reads of 16 KiB, collective and independent, four repetitions",
    function(points) {
      found <- contiguous(reads(netcdf(points))[xfer_bytes <= 2^14])
      quotient_of(spread_of(found[collective == TRUE]), spread_of(found[collective == FALSE]))
    }, above(1), 0.25
  ),
  claim(
    "netcdf-fuse-like-files", "NetCDF is as fast on the FUSE mount as on the file system.", "Sect. 5.1; Sect. 6",
    "NetCDF accesses of both", function(points) fuse_over_files(netcdf(points)), near(1), 0.25
  ),
  claim(
    "netcdf-large-collective-writes-better-on-files",
    "Large collective writes without chunks are faster on the file system than on the FUSE mount.",
    "Sect. 5.1, difference 2", "contiguous collective NetCDF writes of at least 4 MiB on both",
    function(points) fuse_over_files(large_blocks(writes(contiguous(netcdf(points))))[collective == TRUE]),
    below(1), 0.05
  ),
  claim(
    "netcdf-best-read-independent", "The best independent NetCDF read beats the best collective one.", "Sect. 5.1",
    "NetCDF reads, collective and independent", function(points) best_independent(reads(netcdf(points))), above(1), 0.05
  ),
  claim(
    "netcdf-best-write-independent", "The best independent NetCDF write beats the best collective one.", "Sect. 5.1",
    "NetCDF writes, collective and independent",
    function(points) best_independent(writes(netcdf(points))), above(1), 0.05
  ),
  claim(
    "netcdf-writes-beat-mpiio",
    "NetCDF writes, which go through MPI-IO, are faster than what IOR writes by MPI-IO to the same file system.",
    "Sect. 5, Lustre", "writes of NetCDF-Bench and of IOR by MPI-IO with the same sizes, nodes and processes",
    netcdf_over_mpiio, above(1), 0.05
  ),
  claim(
    "netcdf-overhead", "The best of NetCDF stays below the best of the native interface.", "Sect. 6, reason 1",
    "NetCDF and native records",
    function(points) best_ratio(netcdf(points), ior(points, "native")), below(1), 0.05
  )
)
