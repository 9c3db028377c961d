"""Captured outputs of the original io-model and of weir-io: what is parsed and judged is written down."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.golden.test_ior_golden import described, without_command
from weir.tools.io_model import TOOL

FOLDER = Path(__file__).parent / "io-model"
CAPTURES = sorted(path.name for path in FOLDER.iterdir() if path.suffix in (".txt", ".json"))


@pytest.mark.parametrize("name", CAPTURES)
def test_capture(name: str, golden: Callable[[Path, str], None]) -> None:
    text = without_command((FOLDER / name).read_text())
    golden(FOLDER / f"{name}.golden", described(TOOL.parse_log(text)))


def test_times_of_single_operations(tmp_path: Path, golden: Callable[[Path, str], None]) -> None:
    """The original keeps them in CSV files beside what it prints; a line that was cut does not count."""
    cut = tmp_path / "cut.csv"
    cut.write_text((FOLDER / "iomodel-write-seq-out-0.csv").read_text()[:-20])
    outputs = {"stdout": FOLDER / "iomodel-write-seq.txt", "operations-0": cut}
    golden(FOLDER / "iomodel-write-seq-out-0.csv.golden", described([TOOL.parse(outputs)]))


def test_what_failed_gives_no_number() -> None:
    """The original prints 1,200 MiB/s for a file that it could not open, and ends with 0."""
    for name in CAPTURES:
        if name.startswith("fail-") and "bad-device" not in name:
            (run,) = TOOL.parse_log(without_command((FOLDER / name).read_text()))
            assert run.rows == ()
            assert not run.complete
            assert any(one.level == "error" for one in run.messages), name


def test_every_golden_has_its_capture() -> None:
    goldens = {path.name.removesuffix(".golden") for path in FOLDER.glob("*.golden")}
    assert goldens == {*CAPTURES, "iomodel-write-seq-out-0.csv"}
