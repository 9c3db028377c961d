"""What the zoo has not, and what no observation on the client can show."""

ABSENT = {
    "NFS": "this machine has no NFS client (/proc/filesystems); `make lab` has one in a guest, with async "
    "exports and cut networks",
    "Lustre": "captures of a client are read in tests/engine, and faults were staged by hand in guests "
    "([lab](how-to/lab.md#lustre))",
    "DAX": "no persistent memory (no /dev/pmem); with dax the counters of the device are not used: such a "
    "record is UNPROVEN",
    "dm-crypt, dm-flakey": "the kernel of this machine has no device mapper (no /dev/mapper/control); "
    "`make lab` has both in a guest, honest and over memory",
    "nbd": "the kernel of this machine has no network block devices (no /dev/nbd0); in a guest of `make lab` "
    "the device of one that is served from memory is unknown, whose records lack stored and fetched",
    "static IOR": "Debian's Open MPI has no static libraries; a static program cannot be preloaded, and "
    "its records lack sync, stored, fetched and direct, as a bare log does",
}
# What no observation on the client can show.
BLIND = {
    "a program that prints a made-up document": "compare it with one that you built",
    "weir-io in a script that runs it several times or changes its document": "each process of IOR and "
    "mdtest has a witness, weir-io only behind preloaded libraries",
    "a stat or a synchronisation that the kernel itself answers": "a filter of system calls (seccomp) "
    "of stat, and of fsync where no device shows its bytes",
    "a supervisor of system calls that answers what weir looks at as well": "a sandbox (seccomp listener, "
    "ptrace), or a library of the program, may answer for /proc, /sys, pages, data and clocks, without root",
    "an audit library (LD_AUDIT) that answers operations on names": "and hides from dlsym, where a launcher "
    "sets it and weir-io measures; where weir sees it set, libweir-witness counts, too",
    "a root user who falsifies /proc or /sys": "weir relies on the kernel's counters",
    "caches behind the client": "of a storage server, a RAID controller or a hypervisor: read more than "
    "they hold",
    "a client that sends the bytes of one run while the next one writes as many": "only the first of such "
    "runs is INVALID; debts to the servers are added up within a run",
    "a disk whose cache need not be flushed": "write_cache of the queue set to write through, a "
    "virtual disk with cache=unsafe",
    "a synchronisation that does nothing, or a read from a cache, beside another user of the device": "where "
    "only the device counts: writes before Linux 6.5 (cachestat) and on an overlay, both below FUSE, reads "
    "below loop devices",
    "holes in memory that another run left": "tmpfs gives zeros for them as fast as data, and only weir-io "
    "looks for holes; what a run wrote itself is compared with its calls",
    "a rank of another program than weir-io that is stopped alone": "weir sees pauses of the whole job",
    "a virtual machine that its host stops with all clocks": "for less than 1.5 s, without a real-time clock "
    "(/sys/class/rtc), or under a program without weir-io and witness",
    "outputs, run.json and rows.json that are edited together before weir collect": "ledger.jsonl has the "
    "sum of run.json, and a head of it that was signed elsewhere shows the rest",
    "a cache on another disk": "dm-cache, bcache, LVM writecache; and the server of a ublk device, whose "
    "driver names no process",
    "a journal of ext4 on a device of its own": "mountinfo does not name it, and synchronisations of "
    "metadata wait for it; the log of XFS is named (logdev), and judged",
    "the time of transfers by io_uring and mappings": "weir prove has the kernel's bytes and believes the "
    "time that the program prints",
    "a client of a file system that sends or stores something else": "counts have sizes, not contents; "
    "verify the data",
    "a container with a boot_id of its own (systemd-nspawn) that measures beside its host": "or in a time "
    "namespace: each counts the devices of the machine once, so that half of the bytes suffice",
    "a few small transfers that are led to another file": "libweir-witness looks at the descriptor of the "
    "first 32 reads and writes of a file, then of one of 4 from 1 to 4 MiB, one of 16 from 256 KiB, one of "
    "128 from 64 KiB, and one of 1024 below",
    "a drive that compresses or joins equal blocks": "payload-reducible judges the data: write data that "
    "cannot be reduced",
    "calls outside the counts in memory": "io_uring, Linux AIO and mapped files on tmpfs: verify the data "
    "(-R)",
    "one offset, or one name, that stands for many under weir prove": "libweir-witness counts offsets and "
    "names of calls in suites alone (places-repeated): the device moved all bytes, of a part of the file; "
    "verify the data",
}
