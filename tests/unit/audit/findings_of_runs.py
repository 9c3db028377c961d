"""Findings about how a run went: its ranks and times, its requests, its nodes and neighbours."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.unit.audit.subjects import (
    CELL,
    CUT,
    DONE,
    MIB,
    NAMES,
    PASSES,
    PLACED,
    RANDOM,
    SLOW,
    alone,
    in_calls,
    placed,
    printed,
    subject,
)
from weir.audit import Subject


def skewed(observed: dict[str, float]) -> Subject:
    """Phases that together last 0.14 s longer than the whole."""
    times_s = {"open_s": 0.0412, "io_s": 1.9988, "total_s": 2.0001}
    return subject({"barriers": True, **observed}, bw_mib_s=399.98, **times_s)


def daytime(off_s: float, span_s: float) -> dict[str, Any]:
    return {"clock_error": 0.0, "wall_clock": {"off_s": off_s, "span_s": span_s}}


IN_MEMORY = {"type": "ext4", "in_memory": "the memory device zram0"}
FINDS: list[tuple[str, Subject, str, str]] = [
    ("slow-rank", subject({"rank_io_s": [0.5, 1.8]}), "NOTE", "fastest rank took 0.5 s, the slowest 1.8 s"),
    ("paused", subject({"paused_s": 1.0}), "DEGRADED", "stood still for 1 s of 2 s of the access"),
    ("paused", subject({"paused_s": 0.01}), "NOTE", "stood still for 0.01 s"),
    ("paused", subject(run=replace(DONE, host={"paused_ms": 5000})), "DEGRADED", "of the launch"),
    ("clock-wrong", subject({"clock_error": 0.5}), "INVALID", "off by 50 %"),
    # A program that takes the time of day prints 602 s, or 1.4 s of 2 s if that is slow.
    (
        "clock-wrong",
        subject(daytime(600.0, 2.0), total_s=602.0, run=replace(DONE, elapsed_s=603.0)),
        "INVALID",
        "+600 s",
    ),
    ("clock-wrong", subject(daytime(-0.6, 2.0), total_s=1.4), "INVALID", "time of day went -0.6 s beyond"),
    ("clock-wrong", subject(daytime(-1.2, 4.0), total_s=2.8), "INVALID", "time of day went -1.2 s beyond"),
    ("clock-wrong", subject(run=replace(DONE, elapsed_s=1.5)), "INVALID", "2.0004 s, the launch 1.5 s"),
    ("machine-busy", subject(run=replace(DONE, host={"load_1min": 7.0, "cores": 2})), "NOTE", "load 7.0"),
    (
        "ranks-on-few-processors",
        subject({"processors": {"ranks": 4, "allowed": 1}}, run=replace(DONE, host={"cores": 2})),
        "NOTE",
        "4 ranks of a node may run on 1 of 2 processors",
    ),
    (
        "ranks-on-few-processors",  # under weir prove
        subject({"processors": {"ranks": 2, "allowed": 1, "cores": 8}}, run=None),
        "NOTE",
        "2 ranks of a node may run on 1 of 8",
    ),
    (
        "machine-busy",
        subject(
            {"group": {"throttled_periods": 60, "block_limits": []}},
            run=replace(DONE, host={"load_1min": 0.5, "cores": 2, "throttled_periods": 0}),
        ),
        "DEGRADED",
        "60 throttled periods, load 0.5 on 2 cores",
    ),
    ("machine-busy", subject({"group": {"throttled_periods": 60}}, run=None), "DEGRADED", "60 throttled"),
    (
        "mount-without-synchronisation",  # under `weir prove`
        subject({"synchronisation_off": {"effect": "ignored", "mount": "volatile of overlay"}}, run=None),
        "INVALID",
        "volatile of overlay: a synchronisation is ignored",
    ),
    (
        "machine-busy",
        subject({"group": {"swapped_pages": 4_000}, "file_system": "tmpfs"}, run=None),
        "DEGRADED",
        "4000 swapped pages, and the files are in memory",
    ),
    (
        "machine-busy",
        subject(run=replace(DONE, host={"load_1min": 0.5, "cores": 2, "throttled_periods": 31})),
        "DEGRADED",
        "31 throttled periods, load 0.5 on 2 cores",
    ),
    (
        "machine-busy",
        subject(
            run=replace(
                DONE, elapsed_s=4.0, host={"load_1min": 0.5, "cores": 2, "memory_stalled_us": 1_000_000}
            )
        ),
        "NOTE",
        "waited for memory in 25 % of the run, load 0.5 on 2 cores",
    ),
    ("bytes-moved", subject(**CUT), "INVALID", "moved 80 MiB (10.00 %)"),
    ("bytes-moved", subject(**CUT, stonewall_s=30.0, cell=None), "INVALID", "10.00 %"),
    (
        "bytes-moved",
        subject({"stonewall": {"hit": False}}, **CUT, stonewall_s=1.0, cell=None),
        "INVALID",
        "10.00 %",
    ),
    (
        "bytes-moved",
        subject({"written_bytes": 80 * MIB}, access="read", moved_bytes=90 * MIB, bw_mib_s=44.991),
        "INVALID",
        "%",
    ),
    ("random-draw-overlaps", alone(**RANDOM, moved_bytes=801 * MIB, bw_mib_s=400.42), "DEGRADED", "100.12 %"),
    ("random-draw-overlaps", alone(**RANDOM, moved_bytes=799 * MIB, bw_mib_s=399.42), "DEGRADED", "99.88 %"),
    ("file-size", subject(file_bytes=700 * MIB), "INVALID", "a file of 700 MiB"),
    ("file-size", subject(file_bytes=799 * MIB), "DEGRADED", "a file of 799 MiB"),
    ("file-size", subject(program="weir-io", file_bytes=799 * MIB), "INVALID", "a file of 799 MiB"),
    ("file-size", subject(program="weir-io", file_bytes=0), "INVALID", "a file of 0"),
    ("file-size", subject(file_bytes=900 * MIB), "DEGRADED", "older"),
    (
        "file-size",
        subject({"scattered": True, "least_bytes_of_rank": 99 * MIB}, file_bytes=700 * MIB),
        "INVALID",
        "of each rank at least 99 MiB",
    ),
    ("bandwidth-not-bytes-over-time", subject(bw_mib_s=500.0), "INVALID", "moved were 800 MiB"),
    (
        "bandwidth-not-bytes-over-time",
        subject(bw_mib_s=500.0, moved_bytes=None),
        "INVALID",
        "requested were 800 MiB",
    ),
    (
        "bandwidth-not-bytes-over-time",
        alone(moved_bytes=80 * MIB, stonewall_s=1.5),
        "INVALID",
        "computed from the bytes requested",
    ),
    ("phase-longer-than-total", subject(io_s=2.7123), "INVALID", "io_s is 2.7123, total_s is 2.0004"),
    ("phases-overlap", skewed({}), "DEGRADED", "longer than the total"),
    # beyond what the messages between the nodes leave in doubt, and within
    ("phases-overlap", skewed({"clock_doubt_s": 0.03}), "DEGRADED", "longer than the total"),
    ("phases-overlap", skewed({"clock_doubt_s": 0.04}), "NOTE", "in doubt by 0.04 s"),
    (
        "phases-overlap",
        subject(
            {"barriers": True}, open_s=0.1001, io_s=1.9201, close_s=0.0103, total_s=2.0001, bw_mib_s=399.98
        ),
        "NOTE",
        "a skew of 0.0152 s",
    ),
    (  # a published run: the same work lasted 266.61 s by the clock of the program around IOR
        "phases-overlap",
        subject(
            {"barriers": True}, open_s=345.31, io_s=611.87, close_s=345.31, total_s=611.87, bw_mib_s=1.30747
        ),
        "INVALID",
        "over 266.56 s",
    ),
    ("phase-too-short", subject(total_s=0.05, io_s=0.04, bw_mib_s=None), "NOTE", "50 ms"),
    ("phase-too-short", alone(**NAMES | {"io_s": 0.005, "total_s": None}), "DEGRADED", "5 ms"),
    (
        "stonewall-uneven",
        subject(
            {"stonewall": {"hit": True, "pairs_min": 563, "pairs_max": 29000}},
            access="create",
            tool="mdtest",
            item="file",
            ops_s=33730.2,
        ),
        "NOTE",
        "the fastest rank made 29000 operations, the slowest 563",
    ),
    (
        "stonewall-uneven",
        subject({"stonewall": {"hit": True, "pairs_min": 10, "pairs_max": 51}}),
        "NOTE",
        "the fastest rank made 51 transfers, the slowest 10",
    ),
    (
        "file-sizes-differ",
        subject(messages=printed("inconsistent file size by different tasks", "warning")),
        "DEGRADED",
        "inconsistent file size",
    ),
    (
        "file-overwritten",
        subject(messages=printed("The file /x exists already and will be overwritten", "warning")),
        "DEGRADED",
        "will be overwritten",
    ),
    (
        "read-after-write",
        subject({"written_bytes": 800 * MIB}, access="read"),
        "DEGRADED",
        "each node read back the 400 MiB that it wrote, less than any node's memory",
    ),
    (
        "read-from-cache",
        subject({"direct": True}, access="read", direct=True, fetched_bytes=0, cell=None),
        "INVALID",
        "(0 %) although opened with O_DIRECT",
    ),
    (
        "other-target",
        subject({"file_system": "tmpfs"}, run=replace(DONE, target={"kind": "disk"})),
        "INVALID",
        "the target declares disk, the files are on tmpfs",
    ),
    (
        "other-target",
        subject({"file_system": "ext4"}, run=replace(DONE, target={"kind": "parallel"})),
        "INVALID",
        "declares parallel, the files are on ext4",
    ),
    (
        "other-target",
        subject(
            {"file_system": "ext4", "device": {"name": "loop0 in memory"}},
            run=replace(DONE, target={"kind": "disk"}),
        ),
        "INVALID",
        "the files are on ext4 (loop0 in memory)",
    ),
    (
        "other-target",
        subject(
            {"file_system": "ext4"},
            run=replace(DONE, host={"file_system": IN_MEMORY}, target={"kind": "disk"}),
        ),
        "INVALID",
        "the files are on ext4 (the memory device zram0)",
    ),
    ("no-time-or-bytes", subject(bw_mib_s=0.0), "INVALID", "0 MiB/s"),
    ("no-time-or-bytes", subject(total_s=0.0, open_s=0.0, io_s=0.0, close_s=0.0), "DEGRADED", "in 0 s"),
    (
        "data-corrupt",
        subject({"verify": {"errors": 2, "first_error": {"rank": 1, "path": "/x", "offset": 8}}}),
        "INVALID",
        "2 errors, the first by rank 1 in /x at offset 8",
    ),
    (
        "data-corrupt",
        subject(messages=printed("Incorrect data on read (1 errors found).")),
        "INVALID",
        "Incorrect data",
    ),
    ("not-verified", subject({"verify_write": True, "verify": None}), "DEGRADED", "compared 0 B of 800 MiB"),
    (
        "other-than-requested",
        subject(api="MPIIO", xfer_bytes=8),
        "INVALID",
        "api: requested POSIX, ran MPIIO, xfer_bytes",
    ),
    ("other-ranks", subject({"tasks": 4}), "INVALID", "requested 8 ranks, 4 took part"),
    ("other-ranks", subject(nn=1, ppn=8), "INVALID", "requested 2 x 4 ranks, 1 x 8"),
    ("other-ranks", subject({"ranks_per_host": [5, 3]}), "INVALID", "had [5, 3]"),
    ("direct-not-applied", alone(direct=True, api="MPIIO"), "INVALID", "MPIIO does not open with O_DIRECT"),
    ("direct-not-applied", alone(direct=True, api="MPIIO", run=None), "DEGRADED", "MPIIO does not open"),
    (
        "direct-not-applied",
        alone(observed={"direct": False, "open_flags": ["O_RDWR"]}, direct=True),
        "INVALID",
        "opened with O_RDWR",
    ),
    (
        "hints-not-in-force",
        subject({"hints": {"cb_nodes": "2", "x": "1"}, "hints_in_force": {"cb_nodes": "1"}}),
        "DEGRADED",
        "cb_nodes: requested 2, in force 1, x: requested 1, in force nothing",
    ),
    (
        "option-dropped",
        subject(messages=printed("collective not available in POSIX. Using value of 0.", "warning")),
        "DEGRADED",
        "collective",
    ),
    (
        "stripes-not-applied",
        subject(cell=replace(CELL, params={**CELL.params, "stripe_count": 8}), stripe_count=6),
        "DEGRADED",
        "requested 8 stripes, found 6",
    ),
    (
        "stripes-not-applied",
        subject(
            {"file_layout": {"components": [{"pool": "flash"}]}},
            cell=replace(CELL, params={**CELL.params, "pool": "disks"}),
        ),
        "DEGRADED",
        "requested pool disks, found flash",
    ),
    (
        "stripes-not-applied",
        subject(
            {"file_layout": {"target_stripes": {"1": 3, "5": 2}}},
            cell=replace(CELL, params={**CELL.params, "osts": "0-3"}),
        ),
        "DEGRADED",
        "requested storage targets 0-3, found 1,5",
    ),
    (
        "stripes-differ",
        subject({"file_stripes": {7: 1, 8: 3}}),
        "NOTE",
        "4 files: 7 stripes 25 %, 8 stripes 75 %",
    ),
    (
        "read-from-cache",
        subject(access="read", fetched_bytes=8 * MIB),
        "DEGRADED",
        "8 MiB of them were fetched from storage (1 %)",
    ),
    (
        "read-from-cache",
        subject({"residency": {"before": 0.75}}, access="read"),
        "DEGRADED",
        "75 % of the file was in the page cache",
    ),
    (
        "read-from-cache",
        subject(cell=replace(CELL, params={**CELL.params, "drop_caches": True}), access="read"),
        "DEGRADED",
        "IOR does not drop them",
    ),
    ("dry-run", subject({"dry_run": True}), "INVALID", "--dryRun"),
    ("other-count", alone(**NAMES | {"ops": 398}), "INVALID", "requested 400 operations, 398 were done"),
    (
        "other-count",
        alone(observed={"stonewall": {"hit": True}}, **NAMES | {"ops": 401}),
        "INVALID",
        "401 were done",
    ),
    ("mean-of-iterations", alone(observed={"mean_of": 1, "derived": True}, **NAMES), "NOTE", "computed from"),
    ("mean-of-iterations", alone(observed={"mean_of": 5}, **NAMES), "DEGRADED", "mean of 5 iterations"),
    (
        "mean-of-iterations",
        alone(observed={"mean_of": 2, "best_of": 2}, **NAMES),
        "DEGRADED",
        "the greatest of 2",
    ),
    (
        "slow-node",
        subject(run=replace(DONE, host={"slow_nodes": [SLOW]})),
        "DEGRADED",
        "n2: storage took 0.3 s, 3.0 times the median of 0.1 s",
    ),
    (
        "neighbours",
        subject(run=replace(DONE, host={"neighbours": ["user 1000, process 4711"]})),
        "DEGRADED",
        "user 1000, process 4711",
    ),
    (
        "more-switches",
        placed(groups=[*PLACED["groups"], {"switch": "s2", "features": ["nvme", "ib"], "nodes": ["n4"]}]),
        "DEGRADED",
        "requested nodes below 1 switch, had 2: 2 below s1, 1 below s2",
    ),
    (
        "other-nodes",
        placed(
            groups=[{"switch": "s1", "features": ["ib"], "fits": False, "nodes": ["n1", "n2", "n4", "n5"]}]
        ),
        "DEGRADED",
        "n1, n2, n4 and 1 more without the feature nvme&ib (features: ib)",
    ),
    (
        "other-nodes",
        placed(groups=[{"switch": "s1", "features": ["ib", "nvme"], "nodes": ["n1", "n3"]}]),
        "DEGRADED",
        "measured on n3 although excluded",
    ),
    ("nodes-shared", placed(alone=False), "DEGRADED", "other jobs may share the 2 nodes"),
    ("bytes-not-in-calls", subject({"called_bytes": 1}), "INVALID", "the calls moved 1"),
    (
        "bytes-not-in-calls",
        subject(in_calls(rchar=300) | {"passes": {"count": 3}, "written_bytes": 300 * MIB}, **PASSES),
        "INVALID",
        "reported 750 MiB, the calls moved 300 MiB",
    ),
    ("bytes-not-in-calls", subject(in_calls(wchar=799)), "INVALID", "the calls moved 799 MiB"),
    ("bytes-not-in-calls", subject(in_calls(rchar=8), access="read", api="HDF5"), "DEGRADED", "8 MiB"),
    (
        "read-of-holes",
        subject({"written_bytes": 800 * MIB, "written_in_calls": 799 * MIB}, access="read"),
        "INVALID",
        "800 MiB were reported as written, the calls moved 799 MiB",
    ),
    ("file-overwritten", subject({"existing_bytes": 7}), "DEGRADED", "the files had 7 B before"),
    ("no-rate", alone(**NAMES | {"ops_s": 0.0}), "INVALID", "0 operations per second"),
]
