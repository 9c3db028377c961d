"""Records whose calls, names or processes are not what they should be, as in findings.py."""

from __future__ import annotations

from dataclasses import replace

from tests.unit.audit.subjects import DONE, MIB, each_file, in_calls, named, on_disk, provided, subject
from weir.audit import Subject

FINDS: list[tuple[str, Subject, str, str]] = [
    (
        "interposed-library",
        provided("fsync", "/opt/darshan/lib/libdarshan.so"),
        "NOTE",
        "fsync come from /opt/darshan/lib/libdarshan.so, and no count confirms them",
    ),
    # Of half of a read that came from /dev/zero, on a disk; on tmpfs nothing but the witness can tell.
    (
        "interposed-library",
        provided("pread64", "libdarshan-x.so", access="read", fetched_bytes=400 * MIB),
        "NOTE",
        "pread64 come from libdarshan-x.so, and no count confirms them",
    ),
    (
        "interposed-library",
        subject(
            {"interposed": [{"call": "read", "object": "liba.so"}], **in_calls(rchar=800)}, access="read"
        ),
        "NOTE",
        "read come from liba.so",
    ),
    (
        "interposed-library",
        subject(
            {
                "interposed": [{"call": "pwrite", "object": "libb.so", "behind": True}],
                "called_bytes": 800 * MIB,
            }
        ),
        "NOTE",
        "pwrite come from libb.so",
    ),
    # An audit library (LD_AUDIT) may change any call as it passes.
    (
        "interposed-library",
        subject({"interposed": [{"call": "la_x86_64_gnu_pltenter", "object": "libaudit.so"}]}),
        "NOTE",
        "la_x86_64_gnu_pltenter come from libaudit.so",
    ),
    (
        "interposed-library",
        subject({"interposed": [{"call": "clock_gettime", "object": "libfaketime.so.1"}]}),
        "NOTE",
        "clock_gettime come from libfaketime.so.1",
    ),
    (
        "interposed-library",
        named({"interposed": [{"call": "stat", "object": "libmemory.so"}]}, access="stat"),
        "NOTE",
        "stat come from libmemory.so",
    ),
    (
        "interposed-library",
        subject({"interposed": [{"call": "ptrace", "object": "process 7"}]}),
        "INVALID",
        "traced (ptrace) by process 7",
    ),
    # A foreign writer filled the count of the device; the witness saw no synchronisation.
    (
        "interposed-library",
        subject(
            {"interposed": [{"call": "fsync", "object": "libx.so"}], "called_syncs": 0, "tasks": 8}
            | on_disk(0, 800 * MIB)
            | {"device_written_bytes": 800 * MIB}
        ),
        "NOTE",
        "fsync come from libx.so",
    ),
    (
        "launch-unexplained",
        subject({"program_s": 2.1}, run=replace(DONE, elapsed_s=8.5)),
        "NOTE",
        "the launch lasted 8.5 s, the program 2.1 s",
    ),
    ("measured-several-times", subject({"witness": {"measuring": 8, "ranks": 2}}), "INVALID", "8 processes"),
    ("shorter-than-its-calls", subject({"shortest_span_s": 6.0}), "INVALID", "lasted 2 s, its calls 6 s"),
    # A clock at 85 %, but not for the witness: IOR times each rank from before its open to after its close.
    (
        "shorter-than-its-calls",
        subject({"shortest_span_s": 2.2, "longest_span_s": 2.3}),
        "INVALID",
        "lasted 2 s, its calls 2.3 s on the slowest rank",
    ),
    (
        "shorter-than-its-calls",
        named({"shortest_span_s": 1.5}, total_s=None, io_s=None),
        "INVALID",
        "lasted 0.5 s, its calls 1.5 s",
    ),
    (
        "operations-not-in-calls",
        named({"called_operations": 0}),
        "INVALID",
        "400 operations, the calls made 0",
    ),
    (
        "operations-not-in-calls",
        named({"called_operations": 400, "named": {"calls": 400, "distinct": 2}}),
        "INVALID",
        "400 of them at about 2 names",
    ),
    ("entries-not-there", named({"entries": {"sampled": 32, "there": 31}}), "INVALID", "of 32 names 31"),
    (
        "entries-not-there",
        named({"entries": {"sampled": 32, "there": 32}}, access="remove"),
        "INVALID",
        "of 32 names 32 were there after the remove",
    ),
    ("files-not-synchronised", each_file(device_written_bytes=4096), "INVALID", "4 KiB were written"),
    (
        "files-not-synchronised",
        each_file(device_written_bytes=2 * MIB, sync_calls=0),
        "INVALID",
        "0 synchronisations of 400 files",
    ),
    (
        "files-not-synchronised",
        each_file(
            device_written_bytes=80 * MIB,
            entries={"sampled": 32, "there": 32, "cached_files": 32, "unwritten_bytes": 131072},
        ),
        "INVALID",
        "128 KiB of 32 files were not written back",
    ),
    ("metadata-from-cache", named({"device_read_bytes": 0}, access="stat"), "NOTE", "gave 0 B for 400"),
    (
        "metadata-from-cache",
        named({"servers": {"observers": [{"requests": 30}]}}, access="stat"),
        "DEGRADED",
        "30 requests to the servers for 400 operations",
    ),
]
