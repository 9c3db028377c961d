"""Captured documents of weir-io madbench: what is parsed and judged is written down."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.golden.test_ior_golden import described
from weir.tools.madbench import TOOL

FOLDER = Path(__file__).parent / "madbench"
CAPTURES = sorted(path.name for path in FOLDER.iterdir() if path.suffix == ".json")


@pytest.mark.parametrize("name", CAPTURES)
def test_capture(name: str, golden: Callable[[Path, str], None]) -> None:
    golden(FOLDER / f"{name}.golden", described(TOOL.parse_log((FOLDER / name).read_text())))


def test_a_cut_document_gives_nothing(tmp_path: Path) -> None:
    (tmp_path / "summary.json").write_text((FOLDER / CAPTURES[-1]).read_text()[:-100])
    (tmp_path / "stderr").write_text("weir-io: rank 0: pwrite failed\nmpirun noticed\n")
    parsed = TOOL.parse({"summary": tmp_path / "summary.json", "stderr": tmp_path / "stderr"})
    assert (parsed.rows, parsed.complete) == ((), False)
    assert [one.text for one in parsed.messages] == ["weir-io: rank 0: pwrite failed"]


def test_every_golden_has_its_capture() -> None:
    assert {path.name.removesuffix(".golden") for path in FOLDER.glob("*.golden")} == set(CAPTURES)
