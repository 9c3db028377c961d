"""Random reads of 4 KiB beside the run's own sequential read, and the hash of the score."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.conftest import beside
from tests.unit.conftest import RunWeir
from tests.unit.decide.io500.results import ini, new_summary, write
from weir.decide.io500.cells import RANDOM_READS
from weir.decide.io500.directory import read_directory
from weir.decide.io500.random_read import (
    DOUBTED,
    UNDECIDED,
    RandomRead,
    published_random_reads,
    random_reads,
    reasons,
)
from weir.decide.io500.result import hash_of

# 2 nodes read 64 GiB of 128 GiB at 1 GiB/s; the sequential read has 4 GiB/s.
PLAIN = RandomRead("log", 1.0, 4.0, 2, 64 * 2**30, 128 * 2**30, False, True, True, 64.0, 300.0)


@pytest.mark.parametrize(
    ("changes", "verdict", "reason"),
    [
        ({}, UNDECIDED, "0.250 of its own sequential read of 4.000 GiB/s: possible"),
        ({"value_gib_s": 40.0}, DOUBTED, "10.00 times its own sequential read of 4.000 GiB/s: caches, or"),
        ({"value_gib_s": 4.0}, UNDECIDED, "1.000 of its own"),
        ({"value_gib_s": 3.999}, UNDECIDED, "0.99975 of its own"),
        ({"value_gib_s": 4.01}, DOUBTED, "1.0025 times its own"),
        ({"easy_read_gib_s": None}, UNDECIDED, "is missing: nothing to compare it with"),
        ({}, UNDECIDED, "32 GiB per node, 50.0% of the files"),
        ({"moved_bytes": None}, UNDECIDED, "are not printed"),
        ({}, UNDECIDED, "ior_easy_read has read these files before"),
        ({"direct": True}, UNDECIDED, "O_DIRECT is requested"),
        ({"api": "DFS"}, UNDECIDED, "through DFS, to which O_DIRECT does not apply"),
        ({"direct": None}, UNDECIDED, "its log is missing"),
        ({"same_files_as_easy": False}, UNDECIDED, "no O_DIRECT: caches"),
        ({"same_files_as_easy": False, "from_other_ranks": False}, UNDECIDED, "what its own node wrote"),
        ({}, UNDECIDED, "it lasted 64.0 s of 300 s"),
    ],
)
def test_what_the_files_decide(
    changes: dict[str, float | bool | str | None], verdict: str, reason: str
) -> None:
    found = replace(PLAIN, **changes)  # type: ignore[arg-type]
    assert found.verdict == verdict
    assert reason in "\n".join(reasons(found))


def test_the_command_judges_a_value_of_the_summary(tmp_path: Path, run_weir: RunWeir) -> None:
    printed = run_weir("io500", write(tmp_path, result_summary=new_summary()), "--json").out
    (found,) = json.loads(printed)["random_reads"]
    assert (found["verdict"], found["times_sequential"]) == (DOUBTED, pytest.approx(8.853019 / 4))


def test_an_edited_score_does_not_fit_its_hash(tmp_path: Path, run_weir: RunWeir) -> None:
    made = read_directory(write(tmp_path, result=ini())).score_hash
    assert not made.agrees  # the fixture's hash is made up
    right = ini().replace("8D00E89", f"{made.computed[0]:X}")
    assert "fits the printed numbers" in run_weir("io500", write(tmp_path, result=right)).out
    printed = run_weir("io500", write(tmp_path, result=right.replace("9.000000", "9.000001", 1))).out
    assert "does not fit the printed numbers" in printed


def test_the_hash_wraps_at_32_bits() -> None:
    assert hash_of([("a", "b")]) == 4 * 97 + 98
    assert hash_of([("a", "b"), ("a", "b")]) == 0
    assert 0 < hash_of([("ior-easy-write", "193.785662")]) < 2**32


def test_the_published_directories_fit_their_hash() -> None:
    """Those of the C application since July 2020; the older ones print none."""
    hashes = [read_directory(each).score_hash for each in sorted(beside("reference/io500-raw").iterdir())]
    assert [found.agrees for found in hashes if found] == [True] * 21


COMPARED = [
    "procs",
    "moved_bytes",
    "file_bytes",
    "drawn_bytes",
    "late_bytes",
    "late_share",
    "direct",
    "api",
    "verdict",
]


def test_the_table_has_each_random_read_of_the_published_directories() -> None:
    table = {(one.nodes, f"{one.value_gib_s:.2f}"): one for one in published_random_reads(RANDOM_READS)}
    found = 0
    for each in sorted(beside("reference/io500-raw").iterdir()):
        result = read_directory(each)
        for one in random_reads(each, result):
            known = table[one.nodes, f"{one.value_gib_s:.2f}"]
            for name in COMPARED:
                assert getattr(one, name) == getattr(known, name), name
            found += 1
    assert found == 5


# As the logs print it: before 348572c of IOR the expected size is that of one file, offsets are drawn from
# the first 1/tasks of each. 64 tasks; files of 64 GiB together.
DRAWN = """IOR-4.1.0+dev: MPI Coordinated Test of Parallel I/O
Began               : Tue Jun  3 02:35:18 2025
Command line        : ./ior -C -Q 1 -e -o /x/ior-easy/f -F -r -D 300 -z -z -a POSIX -t=4096 -b=4096 -s=1000000

Options:
api                 : POSIX
access              : file-per-process
segments            : 1000000
ordering in a file  : random
nodes               : 4
tasks               : 64
xfersize            : 4096 bytes
blocksize           : 4096 bytes

Results:

access    bw(MiB/s)  IOPS  Latency(s)  block(KiB) xfer(KiB)  open(s)  wr/rd(s)  close(s)  total(s)  iter
{late}WARNING: Expected aggregate file size       = {expected}
WARNING: Stat() of aggregate file size      = 68719476736
WARNING: Using actual aggregate bytes moved = 34359738368
read      3276.8     838860  0.000160  4.00  4.00  0.004653  9.99  0.007772  10.00  0
Finished            : Tue Jun  3 02:36:18 2025
"""
LATE = "stonewalling pairs accessed min: 65536 max: 131072 -- min data: 0.2 GiB mean data: 0.3 GiB\n"


REPEATED = "each part of that was read 32.0 times on average: IOR before 16 May 2025 draws"


@pytest.mark.parametrize(
    ("printed", "expected", "drawn", "late_share", "verdict", "reason"),
    [
        ("", 2**30, 2**30, 0.0, DOUBTED, REPEATED),
        ("", 262144000000, 2**36, 0.0, UNDECIDED, "it read 8 GiB per node, 50.0% of the files"),
        (LATE, 262144000000, 2**36, 0.5, UNDECIDED, "up to 50% of it came after the stonewall, out of 1 GiB"),
    ],
)
def test_where_a_log_tells_from_how_much_of_the_files_it_read(
    printed: str, expected: int, drawn: int, late_share: float, verdict: str, reason: str, tmp_path: Path
) -> None:
    (tmp_path / "ior-rnd4K-easy-read.txt").write_text(DRAWN.format(late=printed, expected=expected))
    (found,) = random_reads(tmp_path, read_directory(write(tmp_path, result=ini())))
    assert (found.drawn_bytes, found.late_share) == (drawn, late_share)
    found = replace(found, easy_read_gib_s=100.0)
    assert found.verdict == verdict
    assert reason in "\n".join(reasons(found))


def test_what_the_page_tells_of_the_published_random_reads() -> None:
    """docs/how-to/io500.md."""
    every = published_random_reads(RANDOM_READS)
    repeated = [one for one in every if (one.repeated_share or 0) > 0.5]
    above = {one.source: one.times_sequential or 0 for one in every if (one.times_sequential or 0) > 1}
    times = [(one.moved_bytes or 0) / (one.drawn_bytes or 1) for one in repeated]
    late = [one.late_share for one in every if one.late_share >= 0.1]
    assert {one.source for one in every if one.verdict == DOUBTED} == {one.source for one in repeated}
    assert above.keys() <= {one.source for one in repeated}
    assert not [one for one in every if one.verdict == DOUBTED and one.drawn_bytes == one.file_bytes]
    page = " ".join((Path(__file__).parents[4] / "docs/how-to/io500.md").read_text().split())
    assert f"Of the {len(every)} published ones {len(repeated)} are DOUBTED" in page
    assert f"{min(times):.1f} to {max(times):,.0f} times" in page
    assert f"{len(above)} of them are {min(above.values()):.1f} to {max(above.values()):.1f} times" in page
    assert f"{len(every) - len(repeated)} are UNDECIDED" in page
    assert f"in {len(late)} of them {min(late):.0%} to {max(late):.0%} of the bytes" in page
