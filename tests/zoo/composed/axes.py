"""What a composed case is made of. Each axis is a list of values: how a value is staged, and what it does to
the truth. A new fault, file system or library is one entry here, and what stages it (shims.c, staging.py)."""

from dataclasses import dataclass

from tests.zoo import animals as zoo

DISK, MEMORY, NOWHERE = "disk", "memory", "nowhere"
# Groups, processors and mounts of the ranks alone, and who fetched or synchronised, came with this seed.
_OF_RANKS = 20261130
AXES = ("program", "suite", "library", "file_system", "around", "record")


@dataclass(frozen=True)
class Value:
    """One value of an axis. The first fields stage it, the others say what is true with it."""

    name: str
    preload: str = ""  # a fault of shims.c
    library: str = ""  # of quiet_faults
    beside: str = ""  # what the keeper does around the measurement
    target: str = ""
    weight: int = 1
    programs: tuple[str, ...] = ("weir-io", "ior")  # that it concerns
    suites: tuple[str, ...] = ()  # that it goes with; all, where none is named
    targets: tuple[str, ...] = ()  # the same
    since: int = 0  # seed from which on it is drawn: the cases of earlier seeds stay what they were

    synchronises: bool = True  # a synchronisation reaches the medium
    drops: float = 1.0  # the share of a file's pages that goes when it is dropped
    keeps_direct: bool = True  # O_DIRECT reaches the kernel
    writes: float = 1.0  # the share of what is written that arrives
    reads: float = 1.0  # the share of what is read that is of the file
    names: bool = True  # entries are made and removed
    stats: bool = True  # a stat reaches the file system
    honest_numbers: bool = True  # what is printed and kept is what happened
    shares: str = ""  # the medium that somebody else uses as well
    finding: str = ""  # a rule about the machine that is expected because it is staged
    slowed: str = ""  # the medium whose rate something else than the storage decides; "all": any
    medium: str = DISK
    declared: str = DISK
    caches: bool = False  # something below the file system holds what it writes


@dataclass(frozen=True)
class Suite:
    """What is requested. tool: ior or mdtest, by the accesses."""

    name: str
    accesses: tuple[str, ...] = ("write", "read")
    weight: int = 1
    sync: bool = True
    direct: bool = False
    dropped: bool = False


_DATA = ("plain", "direct", "unsynchronised-direct", "reducible", "mpiio", "unsynchronised")
_NAMES = ("directories", "files", "synchronised-files")
SUITES = (
    Suite("plain", weight=4, dropped=True),
    Suite("direct", weight=3, direct=True),
    Suite("unsynchronised-direct", direct=True, sync=False),
    Suite("unsynchronised", sync=False, dropped=True),
    Suite("reducible", weight=1),
    Suite("mpiio", weight=1),
    Suite("directories", ("create", "remove")),
    Suite("files", ("create", "stat", "remove")),
    Suite("synchronised-files", ("create", "remove")),
)
PROGRAMS = (Value("weir-io"), Value("ior"))
LIBRARIES = (
    Value("none", weight=24),
    Value("profiler that passes all on", preload="pass-through", weight=2),
    Value("audit library that binds nothing", library=zoo.IDLE_AUDIT),
    Value("fsync does nothing, preloaded", preload="no-op-fsync", synchronises=False, weight=2),
    Value("fsync filtered", beside=zoo.FILTERED, synchronises=False, weight=2),
    Value("fsync of a patched C library", library=zoo.PATCHED_LIBC, synchronises=False),
    Value("fsync bound anew", library=zoo.AUDIT_LIBRARY, synchronises=False),
    Value("O_DIRECT stripped", preload="stripped-direct", keeps_direct=False),
    Value("O_DIRECT stripped and shown", preload="lying-direct", keeps_direct=False),
    Value("every seventh write lost", preload="lost-writes", writes=6 / 7, suites=_DATA),
    Value("writes only lengthen", preload="sparse", writes=0, suites=_DATA),
    Value("reads give zeros", preload="zeros", reads=0, suites=_DATA),
    Value("every second read of /dev/zero", preload="half-zeros", reads=0.5, suites=_DATA),
    Value("reads of /dev/zero", preload="all-zeros", reads=0, suites=_DATA),
    Value("pages are not dropped", preload="no-op-fadvise", drops=0),
    Value("half of the pages dropped", preload="half-fadvise", drops=0.52),
    *(
        Value(
            f"fetched again {by}",
            preload=preload,
            drops=0,
            programs=("weir-io",),
            suites=("plain", "unsynchronised"),
            since=_OF_RANKS,
            weight=3,
        )
        for by, preload in (("after the drop", "fetched-again"), ("by a child", "fetched-by-child"))
    ),
    Value("clocks too fast", preload="clock", honest_numbers=False),
    Value("clock of one rank too fast", preload="clock-rank", honest_numbers=False, suites=_DATA),
    Value("slow rank", preload="slow-rank", suites=_DATA),
    Value("rank 1 stopped for 1 s", preload="stopped", slowed="all", programs=("weir-io",), suites=_DATA),
    Value("mkdir and rmdir do nothing", preload="idle-names", names=False, suites=("directories",), weight=3),
    Value("stat from memory", preload="remembered-stat", stats=False, suites=("files",), weight=3),
    Value("rates tripled", beside=zoo.QUICK_PRINT, honest_numbers=False, programs=("ior",), suites=_DATA),
    Value("best of four", beside=zoo.BEST_OF_FOUR, honest_numbers=False, programs=("ior",)),
)
FILE_SYSTEMS = (
    Value("disk", target="disk", weight=10),
    Value("memory", target="memory", medium=MEMORY, declared=MEMORY, weight=4),
    Value("loop with O_DIRECT below", target=zoo.DIRECT_LOOP, weight=4),
    Value("overlay on the disk", target=zoo.DISK_OVERLAY, weight=4),
    Value("btrfs on a cached loop", target=zoo.BTRFS, caches=True),
    Value("ext4 on a cached loop", target=zoo.CACHED_LOOP, caches=True),
    Value("xfs on a cached loop", target=zoo.XFS, caches=True),
    Value("ext4, data=journal, on a cached loop", target=zoo.JOURNAL, caches=True),
    Value("compressing btrfs on a cached loop", target=zoo.COMPRESSING, caches=True),
    Value("loop of an unlinked file", target=zoo.UNLINKED, caches=True),
    Value("overlay on a loop of an unlinked file", target=zoo.STACKED, caches=True),
    Value("volatile overlay", target=zoo.VOLATILE, synchronises=False),
    Value("lying FUSE", target=zoo.FUSE, medium=NOWHERE, declared=NOWHERE, suites=_DATA),
    Value("lying pass-through", target=zoo.PASSING, medium=NOWHERE, suites=_DATA),
    Value("ext4 on a loop in memory", target=zoo.LOOP, medium=MEMORY),
    Value("overlay in memory", target=zoo.OVERLAY, medium=MEMORY),
    Value("bound tmpfs", target=zoo.BOUND, medium=MEMORY),
    Value("tmpfs as disk", target="tmpfs-as-disk", medium=MEMORY),
    Value("tmpfs as burst buffer", target="memory-as-burst-buffer", medium=MEMORY),
    Value("disk as parallel", target="disk-as-parallel", declared="parallel"),
)
AROUND = (
    Value("nothing", weight=24),
    Value("a program that computes", beside=zoo.COMPUTING, weight=2),
    Value("a reader of memory", beside=zoo.READER_OF_MEMORY, weight=2),
    Value("small files in memory", beside=zoo.SMALL_FILES, weight=2),
    Value("a writer to the disk", beside=zoo.LOAD, shares=DISK, finding="others-on-device", weight=2),
    Value("another run on the disk", beside=zoo.TWO_RUNS, shares=DISK, finding="others-on-device"),
    Value("a tenth of a core", beside=zoo.THROTTLED, slowed="all", finding="machine-busy"),
    Value(
        "100 MiB/s of the disk allowed",
        beside=zoo.LIMITED,
        slowed=DISK,
        suites=("direct",),
        targets=("disk",),
    ),
    Value("a process that maps the files", beside=zoo.HOLDER, drops=0, suites=("plain", "unsynchronised")),
    Value(
        "a tenth of a core for the ranks",
        beside=zoo.RANKS_THROTTLED,
        slowed="all",
        finding="machine-busy",
        since=_OF_RANKS,
        weight=3,
    ),
    Value(
        "100 MiB/s of the disk allowed to the ranks",
        beside=zoo.RANKS_LIMITED,
        slowed=DISK,
        suites=("direct",),
        targets=("disk",),
        since=_OF_RANKS,
        weight=3,
    ),
    Value("one processor for the ranks", beside=zoo.ONE_PROCESSOR, since=_OF_RANKS, weight=3),
    Value(
        "a mount that the ranks alone have",
        beside=zoo.OWN_MOUNTS,
        honest_numbers=False,
        targets=("disk",),
        since=_OF_RANKS,
        weight=3,
    ),
    Value(
        "another mount of the disk that the ranks alone have",
        beside=zoo.OWN_BINDING,
        targets=("disk",),
        since=_OF_RANKS,
        weight=3,
    ),
    Value(
        "a control group without limits for the ranks", beside=zoo.RANKS_GROUPED, since=_OF_RANKS, weight=3
    ),
    Value("a process that synchronises all the time", beside=zoo.SYNCHRONISER, since=_OF_RANKS, weight=3),
    Value(
        "a process of the job that writes to the disk",
        beside=zoo.WRITER_OF_JOB,
        shares=DISK,
        finding="others-on-device",
        since=_OF_RANKS,
        weight=3,
    ),
)
RECORDS = (
    Value("as it is", weight=40),
    Value("a rate of the table doubled", honest_numbers=False),
    Value("the output edited", honest_numbers=False),
    Value("the output edited, its size and date kept", honest_numbers=False),
    Value("an output deleted", honest_numbers=False),
    Value("run.json edited", honest_numbers=False),
    Value("the run copied as the next round", honest_numbers=False),
    Value("the run copied, with another date", honest_numbers=False),
)
