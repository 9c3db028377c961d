"""Writes the tables of docs that show what bench measured, from bench/results: python -m bench.tables.

A table stands below the line `<!-- bench/results/NAME.csv -->`; with `by COLUMN` it has the range of ratios
of each group, with `where COLUMN=VALUE` some of the rows, with `with TEXT` those of which a cell contains it.
When and where a file was measured is in the commit that changed it.
"""

import csv
import re
from collections.abc import Mapping, Sequence
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
    """The range of the ratios, and that of single pairs, by the beginning of a column."""
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


def replace_rows(
    rows: Sequence[Mapping[str, str]], file: Path, keys: Sequence[str], head: Sequence[str]
) -> None:
    """Rows of what was measured again stand where the old ones did, new ones below those with the same first
    key."""
    found: list[dict[str, str]] = []
    if file.is_file():
        with file.open(newline="") as stream:
            found = [{name: old.get(name, "") for name in head} for old in csv.DictReader(stream)]
    for row in rows:
        same = [at for at, old in enumerate(found) if all(old[key] == row[key] for key in keys)]
        near = [at for at, old in enumerate(found) if old[keys[0]] == row[keys[0]]]
        begin, end = (same[0], same[0] + 1) if same else ((near[-1] if near else len(found)) + 1,) * 2
        found[begin:end] = [dict(row)]
    with file.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, head, lineterminator="\n")
        writer.writeheader()
        writer.writerows(found)


def pages() -> list[Path]:
    return [page for page in sorted((ROOT / "docs").rglob("*.md")) if _MARK.search(page.read_text())]


if __name__ == "__main__":
    for page in pages():
        page.write_text(written(page.read_text()))
