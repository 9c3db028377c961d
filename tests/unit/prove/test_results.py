"""Results that a program left in files which its command names."""

import os
from pathlib import Path

import pytest

from tests.checkout import ROOT
from weir.prove.results import hint_of_expect, results_in_files

LOG = (ROOT / "tests/golden/ior/ior-posix-shared.txt").read_text()


@pytest.fixture(autouse=True)
def _in_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_the_first_file_with_results_is_read_and_a_second_one_named(tmp_path: Path) -> None:
    """Programs write the same results in several forms: they are not judged twice."""
    for name in ("one.log", "two.log"):
        (tmp_path / name).write_text(LOG)
    claims, lines = results_in_files(["app", "one.log", "--csv=two.log", "one.log", "missing"], 0)
    assert [one.who for one in claims] == ["IOR in one.log"] * 6
    assert lines == [
        "not judged: two.log has results of IOR, too; hint: weir prove --output two.log -- app ..."
    ]


def test_files_from_before_or_without_results_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "old.log").write_text(LOG)
    os.utime("old.log", (1, 1))
    (tmp_path / "data").write_bytes(b"\0" * 4096)
    os.mkfifo(tmp_path / "pipe")
    assert results_in_files(["app", "old.log", "data", "pipe", "."], 2) == ([], [])


@pytest.mark.parametrize(
    ("output", "number"), [("done: 1.5 GiB/s", "1.5 GiB/s"), ("2,600 MB/s", "87.5 MiB/s"), ("", "87.5 MiB/s")]
)
def test_the_hint_has_the_number_of_the_program_or_the_counted_one(output: str, number: str) -> None:
    hint = hint_of_expect(output, {"read": 2.0, "write": 87.5})
    assert (
        hint == f"hint: no result was read from the output; a number is judged by --expect 'write {number}'"
    )


def test_without_counts_nothing_is_hinted() -> None:
    assert hint_of_expect("1.5 GiB/s", {}) == ""
