"""Captured outputs of benchtool and weir-io: what is parsed and judged is written down."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.golden.test_ior_golden import described, without_command
from weir.records.model import Parsed
from weir.tools.netcdf_bench import TOOL

FOLDER = Path(__file__).parent / "netcdf-bench"
CAPTURES = sorted(path.name for path in FOLDER.iterdir() if path.suffix != ".golden")


def runs_of(text: str) -> Sequence[Parsed]:
    return TOOL.parse_log(text)


@pytest.mark.parametrize("name", CAPTURES)
def test_capture(name: str, golden: Callable[[Path, str], None]) -> None:
    text = without_command((FOLDER / name).read_text())
    golden(FOLDER / f"{name}.golden", described(runs_of(text)))


@pytest.mark.parametrize("name", CAPTURES)
def test_a_cut_capture_gives_what_is_there(name: str) -> None:
    """Cut anywhere, the parser must not fail or invent rows; half a table is not whole."""
    text = without_command((FOLDER / name).read_text())
    whole = [row for run in runs_of(text) for row in run.rows]
    for length in range(0, len(text) - 2, max(1, len(text) // 40)):
        rows = [row for run in runs_of(text[:length]) for row in run.rows]
        assert [row["bw_mib_s"] for row in rows] == [row["bw_mib_s"] for row in whole[: len(rows)]]


def test_half_a_table_is_not_whole() -> None:
    text = without_command((FOLDER / "ncb-parser-format.txt").read_text())
    (run,) = runs_of(text[: text.index("benchmark:read       Close time")])
    assert [row["access"] for row in run.rows] == ["write"]
    assert not run.complete


def test_a_log_of_two_runs() -> None:
    texts = [
        without_command((FOLDER / name).read_text())
        for name in ("ncb-coll-chunked-auto.txt", "ncb-file-per-process.txt")
    ]
    first, second = runs_of("".join(texts))
    assert [row["layout"] for row in (*first.rows, *second.rows)] == ["shared"] * 2 + ["file-per-process"] * 2
    assert first.rows == runs_of(texts[0])[0].rows
    assert second.rows == runs_of(texts[1])[0].rows


def test_a_block_smaller_than_the_share_is_not_a_bandwidth() -> None:
    """benchtool moves 160 kB of 16 MB here and divides 16 MB by the time."""
    text = without_command((FOLDER / "ncb-block-geometry-small.txt").read_text())
    (run,) = runs_of(text)
    assert [(row["requested_bytes"], row["moved_bytes"]) for row in run.rows] == [(16000000, 160000)] * 2


def test_differences_are_errors() -> None:
    text = without_command((FOLDER / "ncb-verify-write.txt").read_text())
    spoilt = text.replace("TEST PASSED [0]", "ERROR 7.000 (read) != 1.000 (expected)\nTEST FAILED [0]")
    (run,) = runs_of(spoilt)
    assert [one.text for one in run.messages] == ["Incorrect data on read (1 values differ)"]
    assert not run.complete


def test_every_golden_has_its_capture() -> None:
    assert {path.name.removesuffix(".golden") for path in FOLDER.glob("*.golden")} == set(CAPTURES)
