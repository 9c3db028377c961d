"""Tables of docs whose last column is `test`: it names the files whose tests carry the row as a marker.

    @pytest.mark.row("a full results disk")

`pytest --rewrite-goldens` writes the column; a row without a test, and a marker without a row, are faults.
"""

import importlib
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from tests.checkout import ROOT

PAGES = ("docs/faults.md", "docs/security.md", "docs/how-to/accept.md")
_TABLE = re.compile(r"^\|.*\| test \|\n\|[-| ]+\|\n(?:\|.*\n)+", re.MULTILINE)


@cache
def files_by_row() -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for file in sorted((ROOT / "tests").rglob("test_*.py")):
        if file != Path(__file__) and "pytest.mark.row(" in file.read_text():
            module = importlib.import_module(".".join(file.relative_to(ROOT).with_suffix("").parts))
            for name, test in vars(module).items():
                marks = getattr(test, "pytestmark", []) if name.startswith("test_") else []
                for row in (each for mark in marks if mark.name == "row" for each in mark.args):
                    found.setdefault(row, set()).add(file.name)
    return found


def rows(page: str) -> list[list[str]]:
    """The cells of all rows of those tables, without their heads."""
    tables = _TABLE.findall((ROOT / page).read_text())
    return [line.strip("| ").split(" | ") for table in tables for line in table.splitlines()[2:]]


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_the_last_column_is_the_tests_of_the_row(page: str, golden: Callable[[Path, str], None]) -> None:
    tested = files_by_row()
    found = rows(page)
    assert found
    assert [cells[0] for cells in found if cells[0] not in tested] == []
    text = (ROOT / page).read_text()
    for *cells, old in found:
        line = f"| {' | '.join(cells)} | "
        new = ", ".join(sorted(tested[cells[0]]))
        text = text.replace(f"{line}{old} |", f"{line}{new} |")
    golden(ROOT / page, text)


def test_every_marker_is_a_row() -> None:
    assert set(files_by_row()) - {cells[0] for page in PAGES for cells in rows(page)} == set()
