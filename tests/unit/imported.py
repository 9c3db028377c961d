"""Texts that a test wrote, as weir import reads them."""

from collections.abc import Sequence
from pathlib import Path

from weir.collect.imported_files import Facts
from weir.collect.importing import import_files, runs_in
from weir.records.model import Parsed, Row

NOTHING_KNOWN = Facts()


def run_of(text: str) -> Parsed:
    """The only run in it."""
    ((_, run),) = runs_in(text)
    return run


def rows_of(folder: Path, text: str, facts: Facts = NOTHING_KNOWN) -> list[Row]:
    """The records of a file with this text."""
    log = folder / "log.txt"
    log.write_text(text)
    return import_files([log], facts).rows


def cells_of(rows: Sequence[Row]) -> list[int]:
    """For each record the number of the first one of its cell."""
    cells = [row["cell"] for row in rows]
    return [cells.index(cell) for cell in cells]
