"""Records whose calls, names or processes are not what they should be, as in findings.py."""

from tests.unit.audit.subjects import (
    MIB,
    cases,
    degraded,
    each_file,
    in_calls,
    interposed,
    invalid,
    named,
    noted,
    on_disk,
    provided,
    ran,
    read,
)

FOUND = {
    "interposed-library": [
        noted(
            "fsync come from /opt/darshan/lib/libdarshan.so, and no count confirms them",
            provided("fsync", "/opt/darshan/lib/libdarshan.so"),
        ),
        # Half of a read came from /dev/zero, on a disk; on tmpfs nothing but the witness can tell.
        noted(
            "pread64 come from libdarshan-x.so, and no count confirms them",
            provided("pread64", "libdarshan-x.so", access="read", fetched_bytes=400 * MIB),
        ),
        noted("read come from liba.so", read(interposed("liba.so", "read") | in_calls(rchar=800))),
        noted(
            "pwrite come from libb.so",
            {
                "interposed": [{"call": "pwrite", "object": "libb.so", "behind": True}],
                "called_bytes": 800 * MIB,
            },
        ),
        # An audit library (LD_AUDIT) may change any call as it passes.
        noted(
            "la_x86_64_gnu_pltenter come from libaudit.so",
            interposed("libaudit.so", "la_x86_64_gnu_pltenter"),
        ),
        noted("clock_gettime come from libfaketime.so.1", interposed("libfaketime.so.1", "clock_gettime")),
        noted("stat come from libmemory.so", named(interposed("libmemory.so", "stat"), access="stat")),
        invalid("traced (ptrace) by process 7", interposed("process 7", "ptrace")),
        # A foreign writer filled the count of the device; the witness saw no synchronisation.
        noted(
            "fsync come from libx.so",
            interposed("libx.so", "fsync")
            | {"called_syncs": 0, "tasks": 8}
            | on_disk(0, 800 * MIB)
            | {"device_written_bytes": 800 * MIB},
        ),
    ],
    "launch-unexplained": noted(
        "the launch lasted 8.5 s, the program 2.1 s", {"program_s": 2.1}, run=ran(elapsed_s=8.5)
    ),
    "measured-several-times": invalid("8 processes", {"witness": {"measuring": 8, "ranks": 2}}),
    "shorter-than-its-calls": [
        invalid("lasted 2 s, its calls 6 s", {"shortest_span_s": 6.0}),
        # A clock at 85 %, but not for the witness: IOR times a rank from before its open to after its close.
        invalid(
            "lasted 2 s, its calls 2.3 s on the slowest rank", {"shortest_span_s": 2.2, "longest_span_s": 2.3}
        ),
        invalid("lasted 0.5 s, its calls 1.5 s", named({"shortest_span_s": 1.5}, total_s=None, io_s=None)),
    ],
    "operations-not-in-calls": [
        invalid("400 operations, the calls made 0", named({"called_operations": 0})),
        invalid(
            "400 of them at about 2 names",
            named({"called_operations": 400, "named": {"calls": 400, "distinct": 2}}),
        ),
    ],
    "entries-not-there": [
        invalid("of 32 names 31", named({"entries": {"sampled": 32, "there": 31}})),
        invalid(
            "of 32 names 32 were there after the remove",
            named({"entries": {"sampled": 32, "there": 32}}, access="remove"),
        ),
    ],
    "files-not-synchronised": [
        invalid("4 KiB were written", each_file(device_written_bytes=4096)),
        invalid("0 synchronisations of 400 files", each_file(device_written_bytes=2 * MIB, sync_calls=0)),
        invalid(
            "128 KiB of 32 files were not written back",
            each_file(
                device_written_bytes=80 * MIB,
                entries={"sampled": 32, "there": 32, "cached_files": 32, "unwritten_bytes": 131072},
            ),
        ),
    ],
    "metadata-from-cache": [
        noted("gave 0 B for 400", named({"device_read_bytes": 0}, access="stat")),
        degraded(
            "30 requests to the servers for 400 operations",
            named({"servers": {"observers": [{"requests": 30}]}}, access="stat"),
        ),
    ],
}
FINDS = cases(FOUND)
