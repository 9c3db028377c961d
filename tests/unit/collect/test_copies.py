"""What marks a run, so that a copy of it is found."""

import hashlib

import pytest

from weir.collect.judged import marks_of
from weir.records.model import Row

OUTPUTS = {"stdout": "stdout.txt", "stderr": "stderr.txt"}
TIMES: Row = {"bw_mib_s": 640.0, "total_s": 0.050123, "open_s": 0.00123456}


def marks(stdout: str, stderr: str, *rows: Row) -> set[str]:
    """Those of the output."""
    sums = {"stdout.txt": stdout, "stderr.txt": stderr}
    sha256 = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in sums.items()}
    facts = {"outputs": OUTPUTS, "sha256": sha256, "began": "2026-11-20T21:00:00+00:00"}
    return {mark for mark, what in marks_of("cell", facts, rows).items() if what == "the same output"}


@pytest.mark.parametrize(
    ("first", "second", "is_copy"),
    [
        (("", "copied in 0.050123 s"), ("", "copied in 0.049988 s"), False),
        (("", "copied in 0.050123 s"), ("", "copied in 0.050123 s"), True),
        (("done", "copied in 0.050123 s"), ("done", "copied in 0.049988 s"), False),
        (("wrote in 0.050123 s", ""), ("wrote in 0.050123 s", ""), True),
        (("", ""), ("", ""), False),
    ],
    ids=["stderr", "stderr of a copy", "both", "stdout of a copy", "none"],
)
def test_a_copy_is_a_run_that_printed_the_same_to_both_streams(
    first: tuple[str, str], second: tuple[str, str], is_copy: bool
) -> None:
    assert bool(marks(*first, TIMES) & marks(*second, TIMES)) == is_copy


def test_one_short_time_may_be_printed_twice_by_chance() -> None:
    assert marks("", "copied in 0.000215 s", {"bw_mib_s": 290.7, "total_s": 0.000215}) == set()
