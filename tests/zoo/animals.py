"""The animals: storages, machines and people that lie, with the finding that each deserves."""

from __future__ import annotations

from dataclasses import dataclass, field

LOAD, TWO_RUNS, SPARSE = "load", "two runs", "sparse"


@dataclass(frozen=True)
class Animal:
    """rules: one of them must have a finding on the access; preload: name of the fault in shims.c."""

    name: str
    what: str
    access: str
    rules: tuple[str, ...]
    preload: str = ""
    target: str = "disk"
    suite: str = "zoo"
    beside: str = ""  # what runs beside it, or how it is staged without a plan
    environment: dict[str, str] = field(default_factory=dict)


CONTROLS = (
    Animal("honest disk", "the disk as it is", "read", ()),
    Animal("honest memory", "tmpfs as it is", "read", (), target="memory"),
    Animal("honest O_DIRECT", "the disk past the page cache", "read", (), suite="zoo-direct"),
)
ANIMALS = (
    Animal(
        "no-op fsync", "fsync returns 0 and does nothing", "write", ("sync-not-effective",), "no-op-fsync"
    ),
    Animal("no-op fadvise", "caches are not dropped", "read", ("read-from-cache",), "no-op-fadvise"),
    Animal(
        "stripped O_DIRECT",
        "O_DIRECT is taken away at the open",
        "read",
        ("direct-not-applied",),
        "stripped-direct",
        suite="zoo-direct",
    ),
    Animal(
        "lying O_DIRECT",
        "O_DIRECT is taken away, F_GETFL still shows it",
        "read",
        ("read-from-cache",),
        "lying-direct",
        suite="zoo-direct",
    ),
    Animal(
        "lost writes",
        "every seventh pwrite is lost",
        "write",
        ("sync-not-effective", "tool-error"),
        "lost-writes",
    ),
    Animal("zeros", "pread returns zeros and asks nobody", "read", ("read-from-cache",), "zeros"),
    Animal("sparse source", "a file of holes is read", "read", ("read-from-cache",), beside=SPARSE),
    Animal("slow rank", "rank 1 rests 20 ms at each transfer", "write", ("slow-rank",), "slow-rank"),
    Animal(
        "clock of all ranks", "CLOCK_MONOTONIC runs 1.5 times too fast", "write", ("clock-wrong",), "clock"
    ),
    Animal("clock of one rank", "the same on rank 1", "write", ("clock-wrong",), "clock-rank"),
    Animal(
        "foreign load", "another program writes to the same disk", "write", ("others-on-device",), beside=LOAD
    ),
    Animal(
        "two runs", "another weir-io measures the same disk", "write", ("others-on-device",), beside=TWO_RUNS
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
)
# What is not staged by this zoo, and why.
ABSENT = {
    "lying FUSE": "needs a file system of our own behind /dev/fuse; the no-op fsync stands for its lie",
    "compressing loop file system": "needs mkfs.btrfs and a loop mount; payload-reducible has unit tests",
    "throttled CPU": "needs a cgroup with a quota; the rule machine-busy has unit tests",
    "overwritten files": "weir run gives every execution an empty folder; for logs of IOR: file-overwritten",
    "edited results": "no rule about records: `weir verify` compares hashes",
}
