"""The animals: storages, machines and people that lie, with the finding that each deserves."""

from dataclasses import dataclass

LOAD, TWO_RUNS, THROTTLED, EDITED, OVERWRITTEN = "load", "two runs", "throttled", "edited", "overwritten"
OTHER_USER, FILTERED, TRACED, LIMITED = "other user", "filtered", "traced", "limited"
RANKS_LIMITED, RANKS_THROTTLED, RANKS_GROUPED = "ranks limited", "ranks throttled", "ranks grouped"
ONE_PROCESSOR, WRITER_OF_JOB = "one processor", "writer of the job"
BEST_OF_FOUR, QUICK_PRINT = "best of four", "quick print"
OWN_MOUNTS, OWN_BINDING = "own mounts", "own binding"
ANSWERS = ANSWERS_WRITES, ANSWERS_SYNCS = "writes", "syncs"  # modes of supervisor.c
COMPUTING, READER_OF_MEMORY, SMALL_FILES, HOLDER = "computing", "reader", "small files", "holder"
SYNCHRONISER, FLUSHER = "synchroniser", "flusher"
ON_DISK = {HOLDER: "hold", SYNCHRONISER: "synchronise", FLUSHER: "flush"}  # actions of noise.py
FUSE, COMPRESSING, LOOP = "fuse", "compressing", "loop"  # targets that have to be mounted
BTRFS, JOURNAL, CACHED_LOOP, UNLINKED = "btrfs", "journal", "cached-loop", "unlinked"
STACKED, VOLATILE, CEPH, PASSING = "stacked", "volatile", "ceph-fuse", "passing"
OVERLAY, BOUND, DIRECT_LOOP, DISK_OVERLAY, XFS = "overlay", "bound", "direct-loop", "disk-overlay", "xfs"
PAIR, REDUCING = "pair", "reducing"
CLIENTS = WRITE_BEHIND, NEVER_SENDS, SENDS_LATE = "behind", "never", "late"  # modes of caching_fuse.c
NETWORK = (FUSE, *CLIENTS)
MOUNTED = (
    *(FUSE, COMPRESSING, LOOP, OVERLAY, BOUND, BTRFS, JOURNAL, DIRECT_LOOP, DISK_OVERLAY, XFS),
    *(CACHED_LOOP, UNLINKED, STACKED, VOLATILE, CEPH, PASSING, PAIR, REDUCING),
    *CLIENTS,
)
AUDIT_LIBRARY, PATCHED_LIBC, QUIET_MPI = "audit library", "patched C library", "quiet MPI library"
IDLE_AUDIT, CHANGING_AUDIT = "idle audit library", "changing audit library"
OTHER_MPI = "other MPI library"
LOOKED_UP, LOOKED_UP_READS = "looked up", "looked up reads"
WEIR_IO, ORIGINAL = "weir-io", "ior"
EDIT = "weir verify"  # what recognises an edit: no rule looks at files of records


@dataclass(frozen=True)
class Animal:
    """rules: one of them must have a finding on the access, or be missing evidence; ior: the same for the
    real IOR where it differs; preload: name of the fault in shims.c."""

    name: str
    what: str
    access: str
    rules: tuple[str, ...]
    preload: str = ""
    ior: tuple[str, ...] = ()
    target: str = "disk"
    suite: str = "plain"
    library: str = ""  # of quiet_faults
    beside: tuple[str, ...] = ()  # what runs beside it or is done around it
    programs: tuple[str, ...] = (WEIR_IO, ORIGINAL)  # that it can fool


_OTHER, _NO_SYNC = ("other-target",), ("sync-not-effective",)
_LEFT_DIRTY = ("sync-left-dirty-pages", "sync-not-effective")
_NOT_PASSED_ON = ("bytes-not-in-calls",)
_STRIPPED = ("direct-not-applied", "read-from-cache")
_LYING_FUSE = "a FUSE file system that drops what is written, reports fsync as done and reads zeros"
ANIMALS = (
    Animal(
        "no-op fsync",
        "fsync returns 0 and does nothing",
        "write",
        ("sync-not-effective",),
        "no-op-fsync",
        ("sync-not-effective", "sync-not-applied"),
    ),
    Animal(
        "filtered fsync", "a seccomp filter answers fsync with success", "write", _NO_SYNC, beside=(FILTERED,)
    ),
    Animal("traced fsync", "strace answers fsync with success", "write", _NO_SYNC, beside=(TRACED,)),
    Animal(
        "patched libc",
        "the fsync of a C library in LD_LIBRARY_PATH does nothing",
        "write",
        _NO_SYNC,
        library=PATCHED_LIBC,
    ),
    Animal("audit library", "LD_AUDIT binds fsync to nothing", "write", _NO_SYNC, library=AUDIT_LIBRARY),
    Animal(
        "quiet MPI library",
        "MPI_File_sync of a library called libmpi does nothing",
        "write",
        _NO_SYNC,
        suite="mpiio",
        library=QUIET_MPI,
    ),
    Animal("no-op fadvise", "caches are not dropped", "read", ("read-from-cache",), "no-op-fadvise"),
    Animal(
        "stripped O_DIRECT",
        "O_DIRECT is removed at the open",
        "read",
        ("direct-not-applied",),
        "stripped-direct",
        _STRIPPED,
        suite="direct",
    ),
    Animal(
        "lying O_DIRECT",
        "O_DIRECT is removed, F_GETFL still shows it",
        "read",
        ("read-from-cache",),
        "lying-direct",
        _STRIPPED,
        suite="direct",
    ),
    Animal(
        "lost writes",
        "every seventh write is lost",
        "write",
        ("sync-not-effective", "tool-error"),
        "lost-writes",
        _NOT_PASSED_ON,
    ),
    Animal(
        "sparse file",
        "a write only makes the file longer",
        "write",
        ("sync-not-effective", "tool-error"),
        "sparse",
        _NOT_PASSED_ON,
    ),
    Animal(
        "sparse source",
        "a file of holes is read",
        "read",
        ("read-from-cache", "tool-error"),
        "sparse",
        ("read-from-cache",),
        suite="direct",
    ),
    Animal(
        "zeros",
        "a read returns zeros without a system call",
        "read",
        ("read-from-cache",),
        "zeros",
        _NOT_PASSED_ON,
    ),
    Animal(
        "half a read",
        "a library called libdarshan-x.so reads every second block from /dev/zero",
        "read",
        ("bytes-not-in-calls", "calls"),
        "half-zeros",
    ),
    Animal(
        "memory that is not read",
        "the same library reads /dev/zero instead of files on tmpfs",
        "read",
        _NOT_PASSED_ON,
        "all-zeros",
        target="memory",
    ),
    Animal(
        "idle mkdir",
        "mkdir and rmdir of mdtest return 0 and do nothing",
        "create",
        ("entries-not-there",),
        "idle-names",
        ("operations-not-in-calls",),
        suite="directories",
    ),
    Animal(
        "idle rmdir",
        "the same, as removals",
        "remove",
        ("operations-not-in-calls",),
        "idle-names",
        suite="directories",
    ),
    Animal(
        "remembered stat",
        "a library answers mdtest's stat from memory",
        "stat",
        ("operations-not-in-calls",),
        "remembered-stat",
        suite="files",
    ),
    Animal(
        "filtered fsync of files",
        "a seccomp filter answers fsync of mdtest -y with success",
        "create",
        ("files-not-synchronised",),
        suite="synchronised-files",
        beside=(FILTERED,),
    ),
    Animal(
        "quick print",
        "a script prints times of a third and rates three times as high",
        "write",
        ("shorter-than-its-calls",),
        beside=(QUICK_PRINT,),
        programs=(ORIGINAL,),
    ),
    Animal(
        "best of four",
        "a script runs the program four times and keeps the last",
        "write",
        ("measured-several-times",),
        beside=(BEST_OF_FOUR,),
        programs=(ORIGINAL,),
    ),
    Animal("lying FUSE", _LYING_FUSE, "write", ("stored",), target=FUSE),
    Animal(
        "lying FUSE, read", _LYING_FUSE, "read", ("fetched",), ior=("fetched", "read-from-cache"), target=FUSE
    ),
    Animal(
        "lying FUSE, verified",
        "the same, with verification",
        "read",
        ("data-corrupt",),
        target=FUSE,
        suite="verify",
    ),
    Animal(
        "compressing loop file system",
        "btrfs with zstd on a loop device, data that compresses",
        "write",
        ("payload-reducible",),
        target=COMPRESSING,
        suite="reducible",
    ),
    Animal("slow rank", "rank 1 rests 20 ms at each transfer", "write", ("slow-rank",), "slow-rank"),
    Animal("clock of all ranks", "clocks run 1.5 times too fast", "write", ("clock-wrong",), "clock"),
    Animal("clock of one rank", "the same on rank 1", "write", ("clock-wrong",), "clock-rank"),
    Animal(
        "foreign load",
        "another program writes to the same disk",
        "write",
        ("others-on-device",),
        beside=(LOAD,),
    ),
    Animal(
        "two runs",
        "another weir-io measures the same disk",
        "write",
        ("others-on-device",),
        beside=(TWO_RUNS,),
    ),
    Animal("another user", "user 65534 runs weir-io", "write", ("neighbours",), beside=(OTHER_USER,)),
    Animal(
        "throttled CPU",
        "a control group allows a tenth of a core",
        "write",
        ("machine-busy",),
        beside=(THROTTLED,),
    ),
    Animal(
        "limited disk",
        "a control group allows 100 MiB/s on the disk",
        "write",
        ("device-limited",),
        suite="direct",
        beside=(LIMITED,),
    ),
    Animal(
        "overwritten files",
        "the file is there with as many bytes, and -E keeps it",
        "write",
        ("file-overwritten",),
        beside=(OVERWRITTEN,),
    ),
    Animal(
        "tmpfs as disk", "a tmpfs is declared as disk", "write", ("other-target",), target="tmpfs-as-disk"
    ),
    Animal(
        "disk as parallel",
        "the root disk is declared as parallel",
        "write",
        ("other-target",),
        target="disk-as-parallel",
    ),
    Animal("loop in memory", "ext4 in a file of tmpfs, declared as disk", "write", _OTHER, target=LOOP),
    Animal("overlay in memory", "an overlay that writes to tmpfs", "write", _OTHER, target=OVERLAY),
    Animal("bind mount", "a tmpfs is bound over the target's directory", "write", _OTHER, target=BOUND),
    Animal(
        "filtered fsync on btrfs",
        "the same filter, on btrfs in a file of the disk",
        "write",
        _LEFT_DIRTY,
        target=BTRFS,
        beside=(FILTERED,),
    ),
    Animal(
        "no-op fsync beside a writer",
        "fsync does nothing, while another program writes to the disk",
        "write",
        _LEFT_DIRTY[:1],
        "no-op-fsync",
        ("sync-left-dirty-pages", "sync-not-applied"),
        beside=(LOAD,),
    ),
    Animal(
        "volatile overlay",
        "an overlay mounted with volatile, where fsync does nothing",
        "write",
        ("mount-without-synchronisation",),
        target=VOLATILE,
    ),
    Animal(
        "files on a volatile overlay",
        "mdtest -y there, while another program writes to the disk",
        "create",
        ("mount-without-synchronisation",),
        target=VOLATILE,
        suite="synchronised-files",
        beside=(LOAD,),
    ),
    Animal(
        "cached loop",
        "O_DIRECT without fsync, to ext4 in a file that is cached",
        "write",
        ("direct-not-effective",),
        target=CACHED_LOOP,
        suite="unsynchronised-direct",
    ),
    Animal(
        "read of a cached loop",
        "a read from ext4 in a file that is cached",
        "read",
        ("read-not-from-device",),
        ior=("read-not-from-device", "read-from-cache"),
        target=CACHED_LOOP,
    ),
    Animal("unlinked loop", "ext4 in a file that was removed", "write", ("stored",), target=UNLINKED),
    Animal(
        "overlay over an unlinked loop",
        "an overlay whose upper directory is there",
        "write",
        ("stored",),
        target=STACKED,
    ),
    Animal(
        "half a cache",
        "52 % of the pages are dropped, the others stay",
        "read",
        ("read-from-cache",),
        "half-fadvise",
    ),
    Animal(
        "most of a cache dropped",
        "88 % of the pages are dropped, the others stay",
        "read",
        ("partly-from-cache",),
        "most-fadvise",
        ("read-from-cache",),
    ),
    Animal(
        "wrong SEEK_HOLE",
        "the file system reports a hole where the bytes are; only weir-io looks for holes",
        "write",
        ("holes-denied",),
        "wrong-hole",
        programs=(WEIR_IO,),
    ),
    Animal(
        "burst buffer in memory",
        "a tmpfs is declared as burst buffer",
        "write",
        _OTHER,
        target="memory-as-burst-buffer",
    ),
    Animal(
        "lying pass-through",
        "the lying FUSE file system, which names a directory of the disk as its source, as bindfs does",
        "write",
        _NO_SYNC,
        target=PASSING,
    ),
    Animal("ceph-fuse as disk", "a FUSE file system of type ceph-fuse as disk", "write", _OTHER, target=CEPH),
    Animal("edited results", "a bandwidth in records.csv is doubled", "write", (EDIT,), beside=(EDITED,)),
)
