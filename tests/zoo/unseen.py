"""What the zoo has not, and what no observation on the client can show."""

from __future__ import annotations

ABSENT = {
    "NFS": "the kernel of this machine has no NFS client (/proc/filesystems); `make lab` has one in a "
    "guest, with async exports and cut networks",
    "Lustre": "the machine has none; captures of a client are read in tests/engine, and faults were staged "
    "by hand in guests ([lab](how-to/lab.md#lustre))",
    "DAX": "the machine has no persistent memory (no /dev/pmem); where a mount has dax, the "
    "counters of its device prove nothing and are not used: such a record is UNPROVEN",
    "static IOR": "Debian's Open MPI has no static libraries; a static program cannot be preloaded, so "
    "without the witness its records lack sync, stored, fetched and direct, as a bare log does",
}
# What no observation on the client can show.
BLIND = {
    "a program that prints a made-up document": "weir believes the counts of the program that it starts; "
    "compare the program with one that you built",
    "weir-io in a script that runs it several times or changes its document": "the real IOR and mdtest "
    "have a witness in each process, weir-io has one only behind preloaded libraries",
    "a stat or a synchronisation that the kernel itself answers": "a filter of system calls (seccomp) "
    "of stat, and of fsync where no device shows its bytes",
    "an audit library that changes calls as they pass": "LD_AUDIT with la_pltenter: the tables of calls stay",
    "a root user who falsifies /proc or /sys": "weir relies on the kernel's counters",
    "caches behind the client": "of a storage server, a RAID controller or a hypervisor: read more than "
    "they hold",
    "a disk whose cache need not be flushed": "write_cache of the queue set to write through, a "
    "virtual disk with cache=unsafe: the bytes arrive at the device as before",
    "a synchronisation that does nothing, beside another writer, where cachestat(2) is missing": "before "
    "Linux 6.5 and on an overlay the device count alone shows it, and other users' bytes can make up for "
    "those that are missing",
    "holes that another program than weir-io reads from memory": "tmpfs gives zeros for what was never "
    "written as fast as data; the write of the same run is INVALID, its read is judged by itself",
    "a rank of another program than weir-io that is stopped alone": "weir-io's ranks look for pauses "
    "themselves; of other programs weir sees pauses of the whole job, which stop its own process, too",
    "outputs, run.json and rows.json that are edited together before weir collect": "the sums then fit; "
    "ledger.jsonl has the sum of run.json, and a head of it that was signed elsewhere shows the rest",
    "a cache on another disk": "dm-cache, bcache, LVM writecache: a device below moved the bytes, and which "
    "one is not told; nor is what serves a network block device (nbd, ublk)",
    "a client of a file system that sends or stores something else": "a FUSE daemon that drops the data and "
    "writes as many other bytes to its servers or disks: counts have sizes, not contents; verify the data",
    "nodes that are containers of one machine": "each with a name of its own: the counters of the machine's "
    "devices are added once for each, so that half of the bytes suffice; all of them are a finding about "
    "other users",
    "a read from a cache, beside another reader, where the device alone counts": "below FUSE and loop "
    "devices the bytes that others read from the disk can make up for those that are missing",
    "calls outside the counts in memory": "io_uring, Linux AIO and mapped files on tmpfs: neither rchar nor "
    "a device counts them; verify the data (-R)",
}
