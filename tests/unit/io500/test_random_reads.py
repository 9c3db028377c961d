"""Random reads of 4 KiB beside the run's own sequential read, and the hash of the score."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.conftest import beside
from tests.unit.io500.results import ini, new_summary, write
from weir.cli import main
from weir.io500.cells import RANDOM_READS
from weir.io500.directory import read_directory
from weir.io500.random_read import DOUBTED, UNDECIDED, RandomRead, random_reads, reasons
from weir.io500.score_hash import hash_of

# 2 nodes read 64 GiB of 128 GiB at 1 GiB/s; the sequential read has 4 GiB/s.
PLAIN = RandomRead("log", 1.0, 4.0, 2, 64 * 2**30, 128 * 2**30, False, True, True, 64.0, 300.0)


@pytest.mark.parametrize(
    ("changes", "verdict", "reason"),
    [
        ({}, UNDECIDED, "0.250 of its own sequential read of 4.000 GiB/s: possible"),
        ({"value_gib_s": 40.0}, DOUBTED, "10.00 times its own sequential read of 4.000 GiB/s: caches, or"),
        ({"value_gib_s": 4.0}, UNDECIDED, "1.000 of its own"),
        ({"easy_read_gib_s": None}, UNDECIDED, "is missing: nothing to compare it with"),
        ({}, UNDECIDED, "32.0 GiB per node, 50.0% of the files"),
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


def test_the_command_judges_a_value_of_the_summary(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["io500", str(write(tmp_path, result_summary=new_summary())), "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["random_reads"]
    assert (found["verdict"], found["times_sequential"]) == (DOUBTED, pytest.approx(8.853019 / 4))


def test_an_edited_score_does_not_fit_its_hash(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = read_directory(write(tmp_path, result=ini())).score_hash
    assert made is not None
    assert not made.agrees  # the fixture's hash is made up
    right = ini().replace("8D00E89", f"{made.computed[0]:X}")
    assert main(["io500", str(write(tmp_path, result=right))]) == 0
    assert "fits the printed numbers" in capsys.readouterr().out
    main(["io500", str(write(tmp_path, result=right.replace("9.000000", "9.000001", 1)))])
    assert "does not fit the printed numbers" in capsys.readouterr().out


def test_the_hash_wraps_at_32_bits() -> None:
    assert hash_of([("a", "b")]) == 4 * 97 + 98
    assert hash_of([("a", "b"), ("a", "b")]) == 0
    assert 0 < hash_of([("ior-easy-write", "193.785662")]) < 2**32


def test_the_published_directories_fit_their_hash() -> None:
    """Those of the C application since July 2020; the older ones print none."""
    hashes = [read_directory(each).score_hash for each in sorted(beside("reference/io500-raw").iterdir())]
    assert [found.agrees for found in hashes if found] == [True] * 21


def test_the_table_has_each_random_read_of_the_published_directories() -> None:
    found = {}
    for each in sorted(beside("reference/io500-raw").iterdir()):
        result = read_directory(each)
        for one in random_reads(each, result):
            found[f"{one.value_gib_s:.2f}"] = (
                result.nodes,
                result.phases["ior_easy_read"].value,
                one.moved_bytes,
                one.file_bytes,
                one.direct,
            )
    with RANDOM_READS.open(newline="") as stream:
        table = {f"{float(row['value_gib_s']):.2f}": row for row in csv.DictReader(stream)}
    assert {
        key: (
            int(row["nodes"]),
            float(row["ior_easy_read_gib_s"]),
            int(row["moved_bytes"]),
            int(row["file_bytes"]),
            row["direct"] == "yes",
        )
        for key, row in table.items()
    } == {key: (*values,) for key, values in found.items()}
    assert len(table) == 5
