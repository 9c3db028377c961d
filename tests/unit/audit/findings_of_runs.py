"""Findings about how a run went: its ranks and times, its requests, its nodes and neighbours."""

from typing import Any

from tests.unit.audit.subjects import (
    CUT,
    MIB,
    NAMES,
    PASSES,
    PLACED,
    RANDOM,
    SLOW,
    alone,
    cases,
    degraded,
    in_calls,
    invalid,
    noted,
    placed,
    planned,
    printed,
    ran,
    read,
    subject,
)
from weir.audit import Subject


def phases(open_s: float, io_s: float, close_s: float, total_s: float, **seen: float) -> Subject:
    """A write with barriers between its phases."""
    times_s = {"open_s": open_s, "io_s": io_s, "close_s": close_s, "total_s": total_s}
    return subject({"barriers": True, **seen}, bw_mib_s=800 / total_s, **times_s)


SKEWED = (0.0412, 1.9988, 0.1, 2.0001)  # together 0.14 s longer than the whole


def on(kind_seen: str, kind: str, **seen: Any) -> Subject:
    """A write of a target that declares another kind."""
    return subject({"file_system": kind_seen, **seen}, run=ran(kind=kind))


def daytime(off_s: float, span_s: float) -> dict[str, Any]:
    return {"clock_error": 0.0, "wall_clock": {"off_s": off_s, "span_s": span_s}}


IN_MEMORY = {"type": "ext4", "in_memory": "the memory device zram0"}
FOUND = {
    "slow-rank": noted("fastest rank took 0.5 s, the slowest 1.8 s", {"rank_io_s": [0.5, 1.8]}),
    "paused": [
        degraded("stood still for 1 s of 2 s of the access", {"paused_s": 1.0}),
        noted("stood still for 0.01 s", {"paused_s": 0.01}),
        degraded("of the launch", run=ran(paused_ms=5000)),
    ],
    "clock-wrong": [
        invalid("off by 50 %", {"clock_error": 0.5}),
        # A program that takes the time of day prints 602 s, or 1.4 s of 2 s if that is slow.
        invalid("+600 s", daytime(600.0, 2.0), total_s=602.0, run=ran(elapsed_s=603.0)),
        invalid("time of day went -0.6 s beyond", daytime(-0.6, 2.0), total_s=1.4),
        invalid("time of day went -1.2 s beyond", daytime(-1.2, 4.0), total_s=2.8),
        invalid("2.0004 s, the launch 1.5 s", run=ran(elapsed_s=1.5)),
    ],
    "machine-busy": [
        noted("load 7.0", run=ran(load_1min=7.0, cores=2)),
        degraded(
            "60 throttled periods, load 0.5 on 2 cores",
            {"group": {"throttled_periods": 60, "block_limits": []}},
            run=ran(load_1min=0.5, cores=2, throttled_periods=0),
        ),
        degraded("60 throttled", {"group": {"throttled_periods": 60}}, run=None),
        degraded(
            "4000 swapped pages, and the files are in memory",
            {"group": {"swapped_pages": 4_000}, "file_system": "tmpfs"},
            run=None,
        ),
        degraded(
            "31 throttled periods, load 0.5 on 2 cores", run=ran(load_1min=0.5, cores=2, throttled_periods=31)
        ),
        noted(
            "waited for memory in 25 % of the run, load 0.5 on 2 cores",
            run=ran(elapsed_s=4.0, load_1min=0.5, cores=2, memory_stalled_us=1_000_000),
        ),
    ],
    "ranks-on-few-processors": [
        noted(
            "4 ranks of a node may run on 1 of 2 processors",
            {"processors": {"ranks": 4, "allowed": 1}},
            run=ran(cores=2),
        ),
        # under weir prove
        noted(
            "2 ranks of a node may run on 1 of 8",
            {"processors": {"ranks": 2, "allowed": 1, "cores": 8}},
            run=None,
        ),
    ],
    "mount-without-synchronisation": [
        # under `weir prove`
        invalid(
            "volatile of overlay: a synchronisation is ignored",
            {"synchronisation_off": {"effect": "ignored", "mount": "volatile of overlay"}},
            run=None,
        )
    ],
    "bytes-moved": [
        invalid("moved 80 MiB (10.00 %)", **CUT),
        invalid("10.00 %", **CUT, stonewall_s=30.0, cell=None),
        invalid("10.00 %", {"stonewall": {"hit": False}}, **CUT, stonewall_s=1.0, cell=None),
        invalid("%", read({"written_bytes": 80 * MIB}, moved_bytes=90 * MIB, bw_mib_s=44.991)),
    ],
    "random-draw-overlaps": [
        degraded("100.12 %", alone(**RANDOM, moved_bytes=801 * MIB, bw_mib_s=400.42)),
        degraded("99.88 %", alone(**RANDOM, moved_bytes=799 * MIB, bw_mib_s=399.42)),
    ],
    "file-size": [
        invalid("a file of 700 MiB", file_bytes=700 * MIB),
        degraded("a file of 799 MiB", file_bytes=799 * MIB),
        invalid("a file of 799 MiB", program="weir-io", file_bytes=799 * MIB),
        invalid("a file of 0", program="weir-io", file_bytes=0),
        degraded("older", file_bytes=900 * MIB),
        invalid(
            "of each rank at least 99 MiB",
            {"scattered": True, "least_bytes_of_rank": 99 * MIB},
            file_bytes=700 * MIB,
        ),
    ],
    "bandwidth-not-bytes-over-time": [
        invalid("moved were 800 MiB", bw_mib_s=500.0),
        invalid("requested were 800 MiB", bw_mib_s=500.0, moved_bytes=None),
        invalid("computed from the bytes requested", alone(moved_bytes=80 * MIB, stonewall_s=1.5)),
    ],
    "phase-longer-than-total": invalid("io_s is 2.7123, total_s is 2.0004", io_s=2.7123),
    "phases-overlap": [
        degraded("longer than the total", phases(*SKEWED)),
        # beyond what the messages between the nodes leave in doubt, and within
        degraded("longer than the total", phases(*SKEWED, clock_doubt_s=0.03)),
        noted("in doubt by 0.04 s", phases(*SKEWED, clock_doubt_s=0.04)),
        noted("a skew of 0.0152 s", phases(0.1001, 1.9201, 0.0103, 2.0001)),
        # a published run: the same work lasted 266.61 s by the clock of the program around IOR
        invalid("over 266.56 s", phases(345.31, 611.87, 345.31, 611.87)),
    ],
    "phase-too-short": [
        noted("50 ms", total_s=0.05, io_s=0.04, bw_mib_s=None),
        degraded("5 ms", alone(**NAMES | {"io_s": 0.005, "total_s": None})),
    ],
    "stonewall-uneven": [
        noted(
            "the fastest rank made 29000 operations, the slowest 563",
            {"stonewall": {"hit": True, "pairs_min": 563, "pairs_max": 29000}},
            access="create",
            tool="mdtest",
            item="file",
            ops_s=33730.2,
        ),
        noted(
            "the fastest rank made 51 transfers, the slowest 10",
            {"stonewall": {"hit": True, "pairs_min": 10, "pairs_max": 51}},
        ),
    ],
    "file-sizes-differ": degraded(
        "inconsistent file size", messages=printed("inconsistent file size by different tasks", "warning")
    ),
    "file-overwritten": [
        degraded(
            "will be overwritten",
            messages=printed("The file /x exists already and will be overwritten", "warning"),
        ),
        degraded("the files had 7 B before", {"existing_bytes": 7}),
    ],
    "read-after-write": degraded(
        "each node read back the 400 MiB that it wrote, less than any node's memory",
        read({"written_bytes": 800 * MIB}),
    ),
    "read-from-cache": [
        invalid(
            "(0 %) although opened with O_DIRECT",
            read({"direct": True}, fetched_mib=0, direct=True, cell=None),
        ),
        degraded("8 MiB of them were fetched from storage (1 %)", read(fetched_mib=8)),
        degraded("75 % of the file was in the page cache", read({"residency": {"before": 0.75}})),
        degraded("IOR does not drop them", read(cell=planned(drop_caches=True))),
    ],
    "other-target": [
        invalid("the target declares disk, the files are on tmpfs", on("tmpfs", "disk")),
        invalid("declares parallel, the files are on ext4", on("ext4", "parallel")),
        invalid(
            "the files are on ext4 (loop0 in memory)", on("ext4", "disk", device={"name": "loop0 in memory"})
        ),
        invalid(
            "the files are on ext4 (the memory device zram0)",
            {"file_system": "ext4"},
            run=ran(kind="disk", file_system=IN_MEMORY),
        ),
    ],
    "no-time-or-bytes": [
        invalid("0 MiB/s", bw_mib_s=0.0),
        degraded("in 0 s", total_s=0.0, open_s=0.0, io_s=0.0, close_s=0.0),
    ],
    "data-corrupt": [
        invalid(
            "2 errors, the first by rank 1 in /x at offset 8",
            {"verify": {"errors": 2, "first_error": {"rank": 1, "path": "/x", "offset": 8}}},
        ),
        invalid("Incorrect data", messages=printed("Incorrect data on read (1 errors found).")),
    ],
    "not-verified": degraded("compared 0 B of 800 MiB", {"verify_write": True, "verify": None}),
    "other-than-requested": invalid("api: requested POSIX, ran MPIIO, xfer_bytes", api="MPIIO", xfer_bytes=8),
    "other-ranks": [
        invalid("requested 8 ranks, 4 took part", {"tasks": 4}),
        invalid("requested 2 x 4 ranks, 1 x 8", nn=1, ppn=8),
        invalid("had [5, 3]", {"ranks_per_host": [5, 3]}),
    ],
    "direct-not-applied": [
        invalid("MPIIO does not open with O_DIRECT", alone(direct=True, api="MPIIO")),
        degraded("MPIIO does not open", alone(direct=True, api="MPIIO", run=None)),
        invalid(
            "opened with O_RDWR", alone(observed={"direct": False, "open_flags": ["O_RDWR"]}, direct=True)
        ),
    ],
    "hints-not-in-force": degraded(
        "cb_nodes: requested 2, in force 1, x: requested 1, in force nothing",
        {"hints": {"cb_nodes": "2", "x": "1"}, "hints_in_force": {"cb_nodes": "1"}},
    ),
    "option-dropped": degraded(
        "collective", messages=printed("collective not available in POSIX. Using value of 0.", "warning")
    ),
    "stripes-not-applied": [
        degraded("requested 8 stripes, found 6", cell=planned(stripe_count=8), stripe_count=6),
        degraded(
            "requested pool disks, found flash",
            {"file_layout": {"components": [{"pool": "flash"}]}},
            cell=planned(pool="disks"),
        ),
        degraded(
            "requested storage targets 0-3, found 1,5",
            {"file_layout": {"target_stripes": {"1": 3, "5": 2}}},
            cell=planned(osts="0-3"),
        ),
    ],
    "stripes-differ": noted("4 files: 7 stripes 25 %, 8 stripes 75 %", {"file_stripes": {7: 1, 8: 3}}),
    "dry-run": invalid("--dryRun", {"dry_run": True}),
    "other-count": [
        invalid("requested 400 operations, 398 were done", alone(**NAMES | {"ops": 398})),
        invalid("401 were done", alone(observed={"stonewall": {"hit": True}}, **NAMES | {"ops": 401})),
    ],
    "mean-of-iterations": [
        noted("computed from", alone(observed={"mean_of": 1, "derived": True}, **NAMES)),
        degraded("mean of 5 iterations", alone(observed={"mean_of": 5}, **NAMES)),
        degraded("the greatest of 2", alone(observed={"mean_of": 2, "best_of": 2}, **NAMES)),
    ],
    "slow-node": degraded(
        "n2: storage took 0.3 s, 3.0 times the median of 0.1 s", run=ran(slow_nodes=[SLOW])
    ),
    "neighbours": degraded("user 1000, process 4711", run=ran(neighbours=["user 1000, process 4711"])),
    "more-switches": degraded(
        "requested nodes below 1 switch, had 2: 2 below s1, 1 below s2",
        placed(groups=[*PLACED["groups"], {"switch": "s2", "features": ["nvme", "ib"], "nodes": ["n4"]}]),
    ),
    "other-nodes": [
        degraded(
            "n1, n2, n4 and 1 more without the feature nvme&ib (features: ib)",
            placed(
                groups=[
                    {"switch": "s1", "features": ["ib"], "fits": False, "nodes": ["n1", "n2", "n4", "n5"]}
                ]
            ),
        ),
        degraded(
            "measured on n3 although excluded",
            placed(groups=[{"switch": "s1", "features": ["ib", "nvme"], "nodes": ["n1", "n3"]}]),
        ),
    ],
    "nodes-shared": degraded("other jobs may share the 2 nodes", placed(alone=False)),
    "bytes-not-in-calls": [
        invalid("the calls moved 1", {"called_bytes": 1}),
        invalid(
            "reported 750 MiB, the calls moved 300 MiB",
            in_calls(rchar=300) | {"passes": {"count": 3}, "written_bytes": 300 * MIB},
            **PASSES,
        ),
        invalid("the calls moved 799 MiB", in_calls(wchar=799)),
        degraded("8 MiB", read(in_calls(rchar=8), api="HDF5")),
    ],
    "read-of-holes": invalid(
        "800 MiB were reported as written, the calls moved 799 MiB",
        read({"written_bytes": 800 * MIB, "written_in_calls": 799 * MIB}),
    ),
    "no-rate": invalid("0 operations per second", alone(**NAMES | {"ops_s": 0.0})),
}
FINDS = cases(FOUND)
