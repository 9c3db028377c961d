"""Each rule has its finding where it must, with its verdict and the numbers, and none next to it."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

import pytest

from weir.audit import RunFacts, Subject, judge, rules
from weir.audit.judge import verdict_columns
from weir.model import Cell, Message, Row

MIB = 2**20
GOOD_ROW: Row = {
    "tool": "ior",
    "api": "POSIX",
    "access": "write",
    "nn": 2,
    "ppn": 4,
    "xfer_bytes": MIB,
    "layout": "shared",
    "order": "sequential",
    "block_bytes": 100 * MIB,
    "stonewall_s": 0.0,
    "segments": 1,
    "collective": False,
    "sync": True,
    "direct": False,
    "requested_bytes": 800 * MIB,
    "moved_bytes": 800 * MIB,
    "file_bytes": 800 * MIB,
    "open_s": 0.1,
    "io_s": 1.8,
    "close_s": 0.1,
    "total_s": 2.0004,
    "bw_mib_s": 399.92,
    "ops_s": 400.0,
    "program": "IOR",
    "tool_version": "4.1.0",
}
CELL = Cell(
    cell="0123456789ab",
    label="",
    suite="quick",
    experiment="test",
    tool="ior",
    site="local",
    target="disk",
    stack="debian",
    partition="here",
    nodes=2,
    ppn=4,
    rounds=1,
    iterations=1,
    timeout_s=60.0,
    params={
        "api": "POSIX",
        "layout": "shared",
        "order": "sequential",
        "xfer_bytes": MIB,
        "block_bytes": 100 * MIB,
        "segments": 1,
        "stonewall": 0.0,
        "collective": False,
        "sync": True,
        "direct": False,
        "hints": {},
    },
)
PLACED: dict[str, Any] = {
    "requested": {"switches": 1, "constraint": "nvme&ib", "exclude": ["n3"], "alone": True},
    "alone": True,
    "groups": [{"switch": "s1", "features": ["nvme", "ib"], "nodes": ["n1", "n2"]}],
}
SLOW = {"node": "n2", "kind": "storage", "time_s": 0.3, "median_s": 0.1}
DONE = RunFacts(exit_code=0, timed_out=False, timeout_s=60.0, error=None)
CUT = {"moved_bytes": 80 * MIB, "bw_mib_s": 39.992}
SHORT = {"io_s": 29.5, "total_s": 29.6, "open_s": 0.01, "close_s": 0.01, "stonewall_s": 30.0}
RANDOM = {"order": "random"}
# Of metadata there is a rate, and mostly no bytes and no open or close of its own.
NAMES: Row = dict.fromkeys(GOOD_ROW) | {"api": "POSIX", "access": "create", "io_s": 0.5, "total_s": 0.5}
NAMES |= {"item": "file", "directories": "shared", "ops": 400, "requested_ops": 400, "ops_s": 800.0}


def subject(
    observed: dict[str, Any] | None = None,
    messages: tuple[Message, ...] = (),
    complete: bool = True,
    run: RunFacts | None = DONE,
    cell: Cell | None = CELL,
    **row: Any,
) -> Subject:
    return Subject(GOOD_ROW | row, observed or {}, messages, complete, cell, run)


def alone(**facts: Any) -> Subject:
    """A record of which no plan is known."""
    return subject(cell=None, **facts)


def placed(**changes: Any) -> Subject:
    """A record of a job that got nodes."""
    host = {"slow_nodes": [], "placement": PLACED | changes}
    return subject(run=replace(DONE, host=host))


def printed(text: str, level: str = "error") -> tuple[Message, ...]:
    return (Message(level, text),)


def on_disk(read_bytes: int, written_bytes: int) -> dict[str, Any]:
    return {"device": {"name": "vda", "disk_read_bytes": read_bytes, "disk_written_bytes": written_bytes}}


# rule, a record with its finding, the verdict and a part of the evidence.
FINDS: list[tuple[str, Subject, str, str]] = [
    ("exit-code", subject(run=RunFacts(134, False, 60.0, None)), "INVALID", "exit code 134"),
    (
        "exit-code",
        subject(run=RunFacts(None, False, 60.0, "no such file")),
        "INVALID",
        "could not be started: no such file",
    ),
    ("timed-out", subject(run=RunFacts(-9, True, 60.0, None)), "INVALID", "60 s"),
    ("result-missing", subject(bw_mib_s=None, ops_s=None), "INVALID", "no result of write"),
    ("output-incomplete", subject(complete=False), "INVALID", "before its results"),
    ("output-incomplete", subject({"all_results": True}, complete=False), "NOTE", "last line"),
    (
        "tool-error",
        subject(messages=printed("Exit code: 1") + printed("ERROR: cannot write")),
        "INVALID",
        "cannot write (and 1 more)",
    ),
    (
        "mpiio-error-swallowed",
        subject(messages=printed("mca_fbtl_posix_pwritev: No space")),
        "INVALID",
        "No space",
    ),
    (
        "transfers-retried",
        subject(messages=printed("task 0, partial write(), 8 of 16", "warning")),
        "DEGRADED",
        "partial",
    ),
    ("sync-not-applied", subject({"sync_calls": 0, "tasks": 8}), "DEGRADED", "0 synchronisations by 8 ranks"),
    ("sync-not-applied", subject({"sync_calls": 3, "tasks": 8}), "DEGRADED", "3 synchronisations by 8 ranks"),
    (
        "sync-not-applied",
        subject(messages=printed("fsync() not supported. Using value of 0.", "warning")),
        "DEGRADED",
        "fsync",
    ),
    (
        "sync-not-applied",
        alone(tool_version="3.0.1", api="MPIIO"),
        "DEGRADED",
        "POSIX only, this ran on MPIIO",
    ),
    ("sync-not-applied", alone(api="IME"), "DEGRADED", "does not synchronise with IME"),
    ("not-synchronised", alone(observed={"sync_calls": 0}, sync=False), "NOTE", "no synchronisation"),
    ("bytes-not-stored", subject({"dirtied_bytes": 8 * MIB}), "DEGRADED", "8388608 bytes of 838860800"),
    (
        "sync-not-effective",
        subject({"device": {"name": "vda1"}, "device_written_bytes": 8 * MIB}),
        "INVALID",
        "8388608 bytes were written to vda1, 838860800 to the files",
    ),
    (
        "others-on-device",
        subject(on_disk(0, 900 * MIB)),
        "NOTE",
        "104857600 bytes for others beside 838860800",
    ),
    ("others-on-device", subject(on_disk(400 * MIB, 850 * MIB)), "DEGRADED", "vda moved 471859200 bytes"),
    (
        "others-on-device",
        subject(on_disk(1600 * MIB, 0), access="read", fetched_bytes=800 * MIB),
        "DEGRADED",
        "838860800 bytes for others",
    ),
    (
        "payload-reducible",
        subject({"payload": {"compressed_share": 0.4, "unique_share": 1.0}, "file_system": "btrfs"}),
        "NOTE",
        "compression leaves 40 %, 100 % of the blocks are distinct, and btrfs may reduce them",
    ),
    (
        "interposed-library",
        subject({"interposed": [{"call": "fsync", "object": "/tmp/libfast.so"}]}),
        "INVALID",
        "fsync come from /tmp/libfast.so",
    ),
    ("slow-rank", subject({"rank_io_s": [0.5, 1.8]}), "NOTE", "fastest rank took 0.5 s, the slowest 1.8 s"),
    ("clock-wrong", subject({"clock_error": 0.5}), "INVALID", "off by 50 %"),
    ("clock-wrong", subject(run=replace(DONE, elapsed_s=1.5)), "INVALID", "2.0004 s, the launch 1.5 s"),
    ("machine-busy", subject(run=replace(DONE, host={"load_1min": 7.0, "cores": 2})), "NOTE", "load 7.0"),
    (
        "machine-busy",
        subject(run=replace(DONE, host={"load_1min": 0.5, "cores": 2, "throttled_periods": 31})),
        "DEGRADED",
        "31 throttled periods, load 0.5 on 2 cores",
    ),
    ("bytes-moved", subject(**CUT), "INVALID", "moved 83886080 (10.00 %)"),
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
    ("file-size", subject(file_bytes=700 * MIB), "INVALID", "a file of 734003200"),
    ("file-size", subject(file_bytes=799 * MIB), "DEGRADED", "a file of 837812224"),
    ("file-size", subject(program="weir-io", file_bytes=799 * MIB), "INVALID", "a file of 837812224"),
    ("file-size", subject(program="weir-io", file_bytes=0), "INVALID", "a file of 0"),
    ("file-size", subject(file_bytes=900 * MIB), "DEGRADED", "older"),
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
    (
        "phases-overlap",
        subject({"barriers": True}, open_s=0.0412, io_s=1.9988, total_s=2.0001, bw_mib_s=399.98),
        "DEGRADED",
        "longer than the total",
    ),
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
        "each node read back the 419430400 bytes that it wrote, less than any node's memory",
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
    ("not-verified", subject({"verify_write": True, "verify": None}), "DEGRADED", "compared 0 of 838860800"),
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
        "stripes-differ",
        subject({"file_stripes": {7: 1, 8: 3}}),
        "NOTE",
        "4 files: 7 stripes 25 %, 8 stripes 75 %",
    ),
    (
        "read-from-cache",
        subject(access="read", fetched_bytes=8 * MIB),
        "DEGRADED",
        "8388608 of them were fetched from storage (1 %)",
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
    ("mean-of-iterations", alone(observed={"mean_of": 5}, **NAMES), "DEGRADED", "mean of 5 iterations"),
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
        placed(groups=[{"switch": "s1", "features": ["ib"], "nodes": ["n1", "n2", "n4", "n5"]}]),
        "DEGRADED",
        "n1, n2, n4 and 1 more without the feature nvme&ib (features: ib)",
    ),
    (
        "other-nodes",
        placed(groups=[{"switch": "s1", "features": ["ib", "nvme"], "nodes": ["n1", "n3"]}]),
        "DEGRADED",
        "measured on n3 although excluded",
    ),
    ("nodes-shared", placed(alone=False), "DEGRADED", "Slurm lets other jobs share the 2 nodes"),
    (
        "bytes-not-in-calls",
        subject({"called_bytes": 1}),
        "INVALID",
        "the calls moved 1",
    ),
    (
        "file-overwritten",
        subject({"existing_bytes": 7}),
        "DEGRADED",
        "the files had 7 bytes before the write",
    ),
    ("no-rate", alone(**NAMES | {"ops_s": 0.0}), "INVALID", "0 operations per second"),
]
# Neighbours of the above without any finding.
CLEAN: dict[str, Subject] = {
    "what a FUSE file system holds is not known": subject(
        {"residency": {"before": 0.0}, "file_system": "fuse.sshfs"}, access="read"
    ),
    "a good record": subject(),
    "all observed as requested": subject(
        {"sync_calls": 8, "tasks": 8, "ranks_per_host": [4, 4], "direct": False}
    ),
    "a read needs no synchronisation": subject({"sync_calls": 0, "tasks": 8}, access="read"),
    "IOR 3.0.1 synchronises with POSIX": subject(tool_version="3.0.1"),
    "a stonewall ended the phase": alone(**CUT, stonewall_s=1.8),
    "a stonewall was seen": subject({"stonewall": {"hit": True}}, **CUT, stonewall_s=1.0, cell=None),
    "a read of what a stonewall left": subject(
        {"written_bytes": 80 * MIB, "reorder": "constant"}, **CUT, access="read"
    ),
    "a read by a status file": subject({"status_file": "/x"}, **CUT, access="read"),
    "a read of a larger file": subject(access="read", file_bytes=900 * MIB),
    "it is not known whether a stonewall was set": alone(**CUT, stonewall_s=None),
    "a minimum time writes again and again": subject(
        {"min_time_s": "1"}, moved_bytes=1600 * MIB, bw_mib_s=799.84
    ),
    "a header makes the file larger": alone(api="HDF5", file_bytes=801 * MIB),
    "nothing is stored": alone(api="NULL", file_bytes=0),
    "four decimals have no room for an open": subject(open_s=0.0, close_s=0.0),
    "no barriers, so phases overlap": subject({"barriers": False}, open_s=0.5, close_s=0.5),
    "clocks differ by microseconds": subject(
        {"barriers": True}, io_s=1.80002, open_s=0.10001, close_s=0.10001
    ),
    "verified": subject({"verify_write": True, "verify": {"checked_bytes": 800 * MIB, "errors": 0}}),
    "direct as observed": alone(observed={"direct": True}, direct=True),
    "hints in force": subject({"hints": {"cb_nodes": "2"}, "hints_in_force": {"cb_nodes": "2", "y": "1"}}),
    "a harmless warning": subject(messages=printed("The file exists already and will be deleted", "warning")),
    "fetched": subject({"residency": {"before": 1.0}}, access="read", fetched_bytes=500 * MIB),
    "fetched what compression left": subject(
        access="read", fetched_bytes=80 * MIB, file_bytes=100 * MIB, deflate_level=1
    ),
    "a write fetches nothing": subject(fetched_bytes=0),
    "a warm cache as requested": subject(
        cell=replace(CELL, params={**CELL.params, "cache": "cached"}), access="read", fetched_bytes=0
    ),
    "a cold cache": subject({"residency": {"before": 0.1}}, access="read"),
    "a direct read needs no cold cache": subject(
        {"direct": True, "residency": {"before": 1.0}}, access="read", direct=True, cell=None
    ),
    "caches were dropped, and nothing more is known": subject(
        {"drop_caches": True},
        cell=replace(CELL, params={**CELL.params, "drop_caches": True}),
        access="read",
    ),
    "a rate without bytes": alone(observed={"tasks": 8, "mean_of": 1, "sync_calls": 0}, **NAMES),
    "a stonewall ended the creation": alone(observed={"stonewall": {"hit": True}}, **NAMES | {"ops": 30}),
    "nobody counted": alone(**NAMES | {"ops": None}),
    "nodes as requested": placed(),
    "no node stands out": subject(run=replace(DONE, host={"slow_nodes": [], "placement": None})),
    "nobody looked for other measurements": subject(run=replace(DONE, host={})),
    "no other measurement was seen": subject(run=replace(DONE, host={"neighbours": []})),
    "the nodes were not compared": subject(run=replace(DONE, host={"slow_nodes": None})),
    "a batch system that tells nothing": placed(
        alone=None, groups=[{"switch": None, "features": None, "nodes": ["n1", "n2"]}]
    ),
    "nodes that nobody requested": placed(
        requested={"switches": None, "constraint": None, "exclude": [], "alone": False},
        alone=False,
        groups=[{"switch": f"s{n}", "features": [], "nodes": [f"n{n}"]} for n in (1, 2)],
    ),
    "the journal adds a little": subject(on_disk(0, 810 * MIB) | {"device_written_bytes": 810 * MIB}),
    "several disks hold copies": subject(
        on_disk(0, 1600 * MIB) | {"device": {"name": "sda and 1 more", "disk_written_bytes": 1600 * MIB}}
    ),
    "a profiler that is known": subject(
        {"interposed": [{"call": "open", "object": "/opt/darshan/lib/libdarshan.so"}]}
    ),
    "the clock that NTP moves": subject({"clock_error": 0.0005}, run=replace(DONE, elapsed_s=2.5)),
    "the ranks of the run before": subject(run=replace(DONE, host={"load_1min": 5.0, "cores": 2})),
    "data that a compressor cannot reduce": subject(
        {"payload": {"compressed_share": 1.0, "unique_share": 1.0}, "file_system": "btrfs"}
    ),
    "one stripe count": subject({"file_stripes": {8: 2}}),
}


@pytest.mark.parametrize(
    ("rule", "about", "verdict", "evidence"), FINDS, ids=[f"{case[0]}-{n}" for n, case in enumerate(FINDS)]
)
def test_rule_finds(rule: str, about: Subject, verdict: str, evidence: str) -> None:
    judged = judge(about)
    found = {finding.rule: finding for finding in (*judged.findings, *judged.notes)}
    assert rule in found
    assert found[rule].verdict == verdict
    assert evidence in found[rule].evidence
    assert verdict in rules()[rule].verdicts


@pytest.mark.parametrize("name", CLEAN)
def test_rules_find_nothing(name: str) -> None:
    judged = judge(CLEAN[name])
    assert (judged.findings, judged.notes) == ((), ())


def test_every_rule_has_a_case() -> None:
    assert {case[0] for case in FINDS} == set(rules())


@pytest.mark.parametrize("missing", sorted({case[0] for case in FINDS}))
def test_a_record_without_the_rule_looks_better(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing else says what a rule says: without it, no case of it keeps all its findings."""
    others = {name: rule for name, rule in rules().items() if name != missing}
    cases = [about for name, about, *_ in FINDS if name == missing]
    before = [verdict_columns(judge(about)) for about in cases]
    monkeypatch.setattr(sys.modules["weir.audit.judge"], "rules", lambda: others)
    for about, columns in zip(cases, before, strict=True):
        after = verdict_columns(judge(about))
        assert missing not in f"{after['reasons']};{after['notes']}"
        assert (after["reasons"], after["notes"]) != (columns["reasons"], columns["notes"])


def test_a_stonewall_longer_than_the_phase_explains_nothing() -> None:
    judged = judge(alone(**SHORT, moved_bytes=80 * MIB, bw_mib_s=2.7027))
    assert [one.rule for one in judged.findings] == ["bytes-moved"]


def test_a_record_without_result_says_why_and_nothing_else() -> None:
    """Rules about numbers have nothing to say where there are none."""
    empty = dict.fromkeys(("bw_mib_s", "ops_s", "moved_bytes", "open_s", "io_s", "close_s", "total_s"))
    failed = RunFacts(1, False, 60.0, "exit code 1: no space")
    judged = judge(subject(run=failed, **empty))
    assert [one.rule for one in judged.findings] == ["exit-code", "result-missing"]
    assert judged.missing == ()
