"""Each rule has its finding where it must, with its verdict and the numbers, and none next to it."""

import re
import sys

import pytest

from tests.unit.audit.findings import FINDS
from tests.unit.audit.subjects import (
    CUT,
    MIB,
    NAMES,
    PASSES,
    SHORT,
    alone,
    at_device,
    each_file,
    from_disk,
    in_calls,
    in_passes,
    interposed,
    named,
    on_disk,
    on_file_system,
    passes_of,
    placed,
    planned,
    printed,
    provided,
    ran,
    read,
    subject,
    unwritten,
)
from weir.audit import RunFacts, Subject, judge
from weir.audit.judge import judge_all, verdict_columns
from weir.audit.registry import Rule, rules, rules_for

CLEAN: dict[str, Subject] = {
    "what a FUSE file system holds is not known": read(
        {"residency": {"before": 0.0}, "file_system": "fuse.sshfs"}
    ),
    "a good record": subject(),
    "all observed as requested": subject(
        {"sync_calls": 8, "tasks": 8, "ranks_per_host": [4, 4], "direct": False}
    ),
    "a read needs no synchronisation": read({"sync_calls": 0, "tasks": 8}),
    "IOR 3.0.1 synchronises with POSIX": subject(tool_version="3.0.1"),
    "a stonewall ended the phase": alone(**CUT, stonewall_s=1.8),
    "a stonewall was seen": subject({"stonewall": {"hit": True}}, **CUT, stonewall_s=1.0, cell=None),
    "a read of what a stonewall left": read({"written_bytes": 80 * MIB, "reorder": "constant"}, **CUT),
    "a read of all that was written": read(
        {"written_bytes": 800 * MIB, "written_in_calls": 801 * MIB, "drop_caches": True}
    ),
    "a read by a status file": read({"status_file": "/x"}, **CUT),
    "a read of a larger file": read(file_bytes=900 * MIB),
    "it is not known whether a stonewall was set": alone(**CUT, stonewall_s=None),
    "a minimum time writes again and again": subject(
        {"min_time_s": "1"}, moved_bytes=1600 * MIB, bw_mib_s=799.84
    ),
    "a read begins again until its stonewall": subject(in_passes(3, 300), **PASSES, fetched_bytes=750 * MIB),
    "the second pass had hardly begun": read(
        {
            "passes": {"count": 2, "first_bytes": 780 * MIB, "first_s": 1.78},
            "written_bytes": 780 * MIB,
            "stonewall": {"hit": True},
        },
        fetched_mib=800,
        file_bytes=780 * MIB,
        io_s=1.781,
    ),
    "passes of one speed": passes_of(1.9),
    "a read of the passes that it says": read(
        {"passes": {"count": 2}, "written_bytes": 400 * MIB}, fetched_mib=800, file_bytes=400 * MIB
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
    "a mix lays its file out whole, before": subject(
        on_disk(400 * MIB, 300 * MIB) | {"dirtied_bytes": 300 * MIB},
        rw_mix=50,
        moved_bytes=300 * MIB,
        requested_bytes=300 * MIB,
        bw_mib_s=149.97,
        fetched_bytes=400 * MIB,
        cell=None,
    ),
    "the reads of a mix": read(
        on_disk(400 * MIB, 300 * MIB) | {"dirtied_bytes": 300 * MIB},
        fetched_mib=400,
        rw_mix=50,
        moved_bytes=400 * MIB,
        requested_bytes=400 * MIB,
        bw_mib_s=199.96,
        cell=None,
    ),
    "the load of the run before": subject(run=ran(load_1min=7.0, cores=2, running=1)),
    "fetched": read({"residency": {"before": 1.0}}, fetched_mib=770),
    "fetched what compression left": read(fetched_mib=96, file_bytes=100 * MIB, deflate_level=1),
    "a write fetches nothing": subject(fetched_bytes=0),
    "a warm cache as requested": read(fetched_mib=0, cell=planned(cache="cached")),
    "a cold cache": read({"residency": {"before": 0.1}}),
    "a direct read needs no cold cache": read(
        {"direct": True, "residency": {"before": 1.0}}, direct=True, cell=None
    ),
    "caches were dropped, and nothing more is known": read(
        {"drop_caches": True}, cell=planned(drop_caches=True)
    ),
    "a rate without bytes": alone(observed={"tasks": 8, "mean_of": 1, "sync_calls": 0}, **NAMES),
    "a stonewall ended the creation": alone(observed={"stonewall": {"hit": True}}, **NAMES | {"ops": 30}),
    "nobody counted": alone(**NAMES | {"ops": None}),
    "nodes as requested": placed(),
    "no node stands out": subject(run=ran(slow_nodes=[], placement=None)),
    "nobody looked for other measurements": subject(run=ran()),
    "no other measurement was seen": subject(run=ran(neighbours=[])),
    "the nodes were not compared": subject(run=ran(slow_nodes=None)),
    "a batch system that tells nothing": placed(
        alone=None, groups=[{"switch": None, "features": None, "nodes": ["n1", "n2"]}]
    ),
    "nodes that nobody requested": placed(
        requested={"switches": None, "constraint": None, "exclude": [], "alone": False},
        alone=False,
        groups=[{"switch": f"s{n}", "features": [], "nodes": [f"n{n}"]} for n in (1, 2)],
    ),
    # Of 4,000 offsets drawn with replacement 63 % are distinct: measured were 64 to 72 %.
    "offsets that are drawn twice reach the device once": subject(
        on_disk(0, 512 * MIB) | {"device_written_bytes": 512 * MIB, "scattered": True}
    ),
    "random offsets need not reach the end of the file": subject(
        {"scattered": True, "least_bytes_of_rank": 99 * MIB}, file_bytes=799 * MIB
    ),
    "the journal adds a little": subject(on_disk(0, 810 * MIB) | {"device_written_bytes": 810 * MIB}),
    "a journal has a few blocks of each synchronisation": subject(
        on_disk(0, 1200 * MIB) | {"sync_calls": 204_800, "device_written_bytes": 1200 * MIB}
    ),
    "so it has of writes that synchronise themselves": subject(
        on_disk(0, 1200 * MIB) | {"synced_writes": 204_800, "device_written_bytes": 1200 * MIB}
    ),
    "several disks hold copies": subject(at_device(name="sda and 1 more", disk_written_bytes=1600 * MIB)),
    "a profiler that passes on what it sees": read(
        interposed("libdarshan.so", "open64", "pread64", "read") | {"called_bytes": 800 * MIB},
        file_bytes=800 * MIB,
    ),
    "a profiler on a disk": provided("pread64", "libany.so", access="read", fetched_bytes=800 * MIB),
    "a sanitizer provides what a write does not rest on": subject(
        interposed("libasan.so.8", "malloc", "strlen", "ptrace")
    ),
    "hooks of memory": provided("munmap", "libucm.so.0"),
    "data that was verified": read(
        interposed("libany.so", "pread64") | {"verify": {"checked_bytes": 800 * MIB, "errors": 0}}
    ),
    "a clock that was compared": subject(interposed("libtsan.so.2", "clock_gettime") | {"clock_error": 1e-6}),
    "names that were counted": named(interposed("libtsan.so.2", "mkdir") | {"called_operations": 403}),
    "a launch of a batch system": subject({"program_s": 2.1}, run=ran(elapsed_s=7.0)),
    "one process for each rank": subject({"witness": {"measuring": 2, "ranks": 2}}),
    "the calls of an access are a part of it": subject({"shortest_span_s": 1.99}),
    "files are open for no longer than IOR prints": subject(
        {"shortest_span_s": 1.9, "longest_span_s": 2.0003}
    ),
    "others may time less than their opens": subject(
        {"shortest_span_s": 2.1, "longest_span_s": 2.4}, program="weir-io"
    ),
    "files that reached the device": each_file(device_written_bytes=7 * MIB, sync_calls=400),
    "names that are there": named({"entries": {"sampled": 32, "there": 32}}),
    "names that are gone": named({"entries": {"sampled": 32, "there": 0}}, access="remove"),
    "other ranks already remove, with a shift": named(
        {"entries": {"sampled": 32, "there": 30}}, cell=planned(shift=1)
    ),
    "names that a server was asked for": named(
        {"servers": {"observers": [{"requests": 400}]}}, access="stat"
    ),
    "the clock that NTP moves": subject({"clock_error": 0.0005}, run=ran(elapsed_s=2.5)),
    "a time of day that was set meanwhile": subject(
        {"clock_error": 0.0, "wall_clock": {"off_s": -600.0, "span_s": 2.0}}, run=ran(elapsed_s=2.5)
    ),
    "the ranks of the run before": subject(run=ran(load_1min=5.0, cores=2)),
    "data that a compressor cannot reduce": subject(
        {"payload": {"compressed_share": 1.0, "unique_share": 1.0}, "file_system": "btrfs"}
    ),
    "the disk gave what was fetched": from_disk(800),
    "the kernel counted every byte": subject(in_calls(wchar=800)),
    "compressed data passes in fewer calls": read(
        in_calls(rchar=101), cell=None, api="HDF5", file_bytes=100 * MIB, deflate_level=1
    ),
    "a stonewall ended a read of compressed data": read(
        in_calls(rchar=21) | {"stonewall": {"hit": True}, "passes": {"count": 2}, "written_bytes": 400 * MIB},
        fetched_mib=21,
        cell=None,
        api="HDF5",
        moved_bytes=480 * MIB,
        bw_mib_s=239.952,
        file_bytes=20 * MIB,
        deflate_level=1,
    ),
    "the kernel does not count a mapped file": subject(in_calls(), cell=None, api="MMAP"),
    "a client of MPI-IO's own": subject(in_calls(file_system=None), cell=None, api="MPIIO"),
    "a client of MPI-IO's own, below a mount": subject(in_calls(file_system="pvfs2"), cell=None, api="MPIIO"),
    "a journal takes the data, too": subject(
        at_device(disk_read_bytes=0, disk_written_bytes=1610 * MIB, copies=2)
    ),
    "a header is written after the synchronisation": subject(unwritten(1, 8192), api="HDF5", cell=None),
    "a header is written into a large page of each file": subject(
        unwritten(40, 60 * MIB), api="HDF5", cell=None
    ),
    "O_DIRECT, and the device has it": subject(
        at_device(800) | {"direct": True}, sync=False, direct=True, cell=None
    ),
    "O_DIRECT of a file that was in the page cache before": read(
        {"direct": True, "residency": {"before": 1.0, "after": 1.0}, "device_read_bytes": 800 * MIB}
        | at_device(),
        fetched_mib=800,
        direct=True,
        cell=None,
    ),
    "a synchronisation that a library dropped, on node memory": subject(
        {"file_system": "tmpfs", "sync_calls": 0, "tasks": 8}
    ),
    "bindfs over a disk": on_file_system("fuse", "/lower", below="ext4"),
    "a burst buffer by FUSE, with the address of a server": on_file_system(
        "fuse.ime", "ime://server:7000", kind="burst-buffer-fuse"
    ),
    "branches of mergerfs": on_file_system("fuse.mergerfs", "hdd0:hdd1"),
    "an overlay of FUSE whose directory is unknown": on_file_system("fuse.fuse-overlayfs", "fuse-overlayfs"),
    "a burst buffer that is a file system": on_file_system("xfs", "/dev/nvme0n1", kind="burst-buffer"),
    "one stripe count": subject({"file_stripes": {8: 2}}),
}


@pytest.mark.parametrize(
    ("rule", "about", "verdict", "evidence"), FINDS, ids=[f"{case[0]}-{n}" for n, case in enumerate(FINDS)]
)
@pytest.mark.row("another user on the same node")
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


def test_records_judged_together_have_the_judgements_of_each_alone() -> None:
    subjects = [about for _, about, *_ in FINDS]
    assert judge_all(subjects) == [judge(about) for about in subjects]


def test_every_rule_has_a_case() -> None:
    assert {case[0] for case in FINDS} == set(rules())


@pytest.mark.parametrize("missing", sorted({case[0] for case in FINDS}))
def test_a_record_without_the_rule_looks_better(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No other rule reports what a rule reports: without it, no case of it keeps all its findings."""

    def others(tool: str | None) -> list[Rule]:
        return [rule for rule in rules_for(tool) if rule.id != missing]

    cases = [about for name, about, *_ in FINDS if name == missing]
    before = [verdict_columns(judge(about)) for about in cases]
    monkeypatch.setattr(sys.modules["weir.audit.judge"], "rules_for", others)
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


def test_an_explanation_has_at_most_three_sentences_and_75_words() -> None:
    """Page, PDF and terminal print it beside each finding; longer reasons are comments of the rule."""
    texts = {name: found.explanation for name, found in rules().items()}
    assert len(texts) > 80
    assert {name: text for name, text in texts.items() if len(re.findall(r"[.!?](?=\s|$)", text)) > 3} == {}
    assert {name: text for name, text in texts.items() if len(text.split()) > 75} == {}


def test_a_mean_of_iterations_may_be_shorter_than_the_calls_of_one() -> None:
    """mdtest with four iterations prints their mean, 11.8 s; the calls of the slowest lasted 16.8 s."""
    check = rules()["shorter-than-its-calls"].check
    outcome = check(named({"shortest_span_s": 1.5, "mean_of": 4}, total_s=None, io_s=None))
    assert outcome == ("not observable", "the output has the mean of its iterations")


@pytest.mark.parametrize(
    ("copies", "text"), [(2, ""), (1, "its disks may hold copies or parity, or others wrote to them")]
)
def test_a_mirror_of_two_disks_is_written_twice(copies: int, text: str) -> None:
    """The device mapper does not tell its copies without privileges: then the reason is told."""
    device = {"name": "sda and 1 more", "copies": copies}
    judged = judge(subject({"device_written_bytes": 1600 * MIB, "device": device}))
    assert ("sync-not-effective" in judged.passed) == (not text)
    assert text in judged.not_observable.get("sync-not-effective", "")


@pytest.mark.parametrize(("written_mib", "proven"), [(810, False), (1610, True)])
def test_a_mirror_that_may_lack_a_disk_proves_nothing_by_half_of_its_copies(
    written_mib: int, proven: bool
) -> None:
    device = {"name": "sda and 1 more", "copies": 2, "mirrors_least": 1, "mirrors_most": 2}
    judged = judge(subject({"device_written_bytes": written_mib * MIB, "device": device}))
    assert judged.findings == ()
    assert ("sync-not-effective" in judged.passed) == proven
    assert ("a mirror lacks a disk" in judged.not_observable.get("sync-not-effective", "")) != proven
