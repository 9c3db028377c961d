"""Writes the tables of docs that show what bench measured, from bench/results: python -m bench.tables.

A table stands below the line `<!-- bench/results/NAME.csv -->`; with `by COLUMN` it has the range of ratios
of each group, with `where COLUMN=VALUE` some of the rows, with `with TEXT` those of which a cell contains it.
When and where a file was measured is in the commit that changed it.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
_MARK = re.compile(
    r"(<!-- bench/results/(\w+)\.csv(?: by (\w+))?(?: where (\w+)=(\w+))?(?: with ([^>]+))? -->\n\n)"
    r"((?:\|.*\n)*)"
)


def table(name: str, group: str | None, column: str | None, value: str | None, part: str | None) -> str:
    with (ROOT / f"bench/results/{name}.csv").open(newline="") as file:
        head, *rows = csv.reader(file)
    if column:
        rows = [row for row in rows if row[head.index(column)] == value]
    if part:
        rows = [row for row in rows if any(part in cell for cell in row)]
    if group:
        head, rows = _ranges(head, rows, group)
    lines = (head, ["---"] * len(head), *rows)
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


Table = tuple[list[str], list[list[str]]]


def _ranges(head: Sequence[str], rows: Sequence[Sequence[str]], group: str) -> Table:
    """By the beginning of a column: the range of the ratios, and that of single pairs."""
    groups: dict[str, list[dict[str, str]]] = {}
    for row in rows:
        record = dict(zip(head, row, strict=True))
        groups.setdefault(record[group].split()[0].rstrip(","), []).append(record)
    made = [
        [name, str(len(found)), _range(found, "ratio", "ratio"), _range(found, "lowest", "highest")]
        for name, found in groups.items()
    ]
    return ["interface", "cases", "medians", "single pairs"], made


def _range(records: Sequence[dict[str, str]], low: str, high: str) -> str:
    lowest = min(float(one[low]) for one in records)
    return f"{lowest:.2f} to {max(float(one[high]) for one in records):.2f}"


def written(text: str) -> str:
    """A page with its tables as the results have them now."""
    return _MARK.sub(lambda match: match[1] + table(*match.group(2, 3, 4, 5, 6)), text)


def pages() -> list[Path]:
    return [page for page in sorted((ROOT / "docs").rglob("*.md")) if _MARK.search(page.read_text())]


if __name__ == "__main__":
    for page in pages():
        page.write_text(written(page.read_text()))
