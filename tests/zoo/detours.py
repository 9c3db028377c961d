"""Animals that do something else than they were told: the bytes, the names or the time of something else."""

from __future__ import annotations

from tests.zoo.animals import LOAD, ORIGINAL, PAIR, REDUCING, WEIR_IO, Animal

_REFUSED = ("exit-code",)  # by what weir-io itself looks at

DETOURS = (
    Animal(
        "withdrawn bytes",
        "fsync first cuts the file and makes it as long again, beside a writer",
        "write",
        _REFUSED,
        "withdrawn",
        ("bytes-withdrawn",),
        suite="own-files",
        beside=(LOAD,),
    ),
    Animal(
        "folded file",
        "all writes land on its first MiB, with O_DIRECT",
        "write",
        _REFUSED,
        "folded",
        ("places-repeated",),
        suite="direct",
    ),
    Animal(
        "folded file in memory",
        "the same on tmpfs",
        "write",
        _REFUSED,
        "folded",
        ("places-repeated",),
        target="memory",
    ),
    Animal(
        "folded reads",
        "all reads take the first MiB, with O_DIRECT",
        "read",
        ("places-repeated",),
        "folded-reads",
        suite="direct",
    ),
    Animal(
        "reserved blocks",
        "writes reserve blocks and give no bytes",
        "write",
        _REFUSED,
        "reserved",
        ("bytes-not-in-calls",),
    ),
    Animal(
        "late fsync",
        "a thread synchronises two seconds later",
        "write",
        ("sync-left-dirty-pages", "sync-not-effective"),
        "late-fsync",
        ("sync-left-dirty-pages", "sync-not-effective", "stored"),
    ),
    Animal(
        "file elsewhere",
        "the file is opened in /dev/shm",
        "write",
        ("bytes-not-stored", "sync-not-effective"),
        "elsewhere",
        programs=(WEIR_IO,),
    ),
    Animal(
        "linked files",
        "mdtest's files are names of one file",
        "create",
        ("operations-not-in-calls",),
        "linked",
        suite="files",
    ),
    Animal(
        "binned files",
        "what mdtest removes is renamed",
        "remove",
        ("operations-not-in-calls",),
        "binned",
        suite="files",
    ),
    Animal(
        "clock of the program",
        "gettimeofday runs at two thirds, but not for the witness",
        "write",
        ("shorter-than-its-calls",),
        "partial-clock",
        programs=(ORIGINAL,),
    ),
    Animal(
        "btrfs of a disk and memory",
        "one of two devices is a file of tmpfs",
        "write",
        ("other-target",),
        target=PAIR,
    ),
    Animal(
        "compressing btrfs below an overlay",
        "data that compresses",
        "write",
        ("payload-reducible",),
        target=REDUCING,
        suite="reducible",
    ),
    Animal(
        "small file read again",
        "io-model reads 312 MiB at random offsets of a file of 4 MiB, whose pages were dropped before",
        "read",
        ("read-from-cache",),
        suite="small-file",
        programs=(WEIR_IO,),
    ),
)
