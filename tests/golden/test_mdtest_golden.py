"""Captured outputs of mdtest, pfind and weir-io: what is parsed and judged is written down."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.golden.test_ior_golden import described, without_command
from weir.records.model import Parsed
from weir.tools.find import Find
from weir.tools.mdtest import TOOL

FOLDER = Path(__file__).parent / "mdtest"
FIND = FOLDER.parent / "find"
FIND_TOOL = Find()
CAPTURES = sorted(path.name for path in FOLDER.iterdir() if path.suffix != ".golden")


def runs_of(name: str) -> Sequence[Parsed]:
    return TOOL.parse_log(without_command((FOLDER / name).read_text()))


@pytest.mark.parametrize("name", CAPTURES)
def test_capture(name: str, golden: Callable[[Path, str], None]) -> None:
    golden(FOLDER / f"{name}.golden", described(runs_of(name)))


@pytest.mark.parametrize("name", ["weir-io-find.json", "pfind-rates.txt", "fail-weir-io-absent.json"])
def test_capture_of_find(name: str, golden: Callable[[Path, str], None]) -> None:
    text = without_command((FIND / name).read_text())
    golden(FIND / f"{name}.golden", described(FIND_TOOL.parse_log(text)))


@pytest.mark.parametrize("name", CAPTURES)
def test_a_cut_capture_gives_what_is_there(name: str) -> None:
    """Cut anywhere, the parser must not fail or invent rows."""
    text = without_command((FOLDER / name).read_text())
    whole = [row for run in TOOL.parse_log(text) for row in run.rows]
    for length in range(0, len(text) - 2, max(1, len(text) // 40)):
        runs = TOOL.parse_log(text[:length])
        rates = [row["ops_s"] for run in runs for row in run.rows]
        assert rates == [row["ops_s"] for row in whole[: len(rates)]]
        assert not any(run.complete for run in runs)


def test_of_more_than_three_iterations_only_the_mean_is_known() -> None:
    text = without_command((FOLDER / "mdtest-files-easy.txt").read_text())
    (three,) = TOOL.parse_log(text)
    stat = [row["ops_s"] for row in three.rows if row["access"] == "stat"]
    assert stat == [1521880.987, 160002.441, pytest.approx(1369792.292, abs=0.002)]
    (four,) = TOOL.parse_log(
        text.replace("of 3 iterations", "of 4 iterations").replace("'-i' '3'", "'-i' '4'")
    )
    (row,) = [row for row in four.rows if row["access"] == "stat"]
    assert (row["ops_s"], row["observed"]["mean_of"]) == (1017225.240, 4)


def test_every_golden_has_its_capture() -> None:
    assert {path.name.removesuffix(".golden") for path in FOLDER.glob("*.golden")} == set(CAPTURES)
