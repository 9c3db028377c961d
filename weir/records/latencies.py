"""latencies.csv: the times of single operations, of tools that say that their question is about them."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from pathlib import Path

from weir.model import Cell, Row
from weir.records.collect import Run
from weir.records.schema import columns
from weir.records.table import write_whole
from weir.tools import tools
from weir.tools.weir_io import read_document

LATENCIES_FILE = "latencies.csv"


def keeps_latencies(tool: str) -> bool:
    """A tool whose question is single operations has the attribute keeps_latencies."""
    return bool(getattr(tools().get(tool), "keeps_latencies", False))


def collect_latencies(cell: Cell, runs: Iterable[Run]) -> Iterator[Row]:
    """Buckets of all runs of a cell, numbered as its records are; nothing for other tools."""
    if not keeps_latencies(cell.tool):
        return
    for run in runs:
        yield from _of_run(cell, run)


def _of_run(cell: Cell, run: Run) -> Iterator[Row]:
    summary = run.outputs.get("summary")
    text = summary.read_text(errors="replace") if summary and summary.is_file() else ""
    document = read_document(text) or {}
    for result in document.get("results") or ():
        place: Row = {
            "cell": cell.cell,
            "run": run.number,
            "access": result.get("access"),
            "iteration": run.number * cell.iterations + result.get("iteration", 0),
        }
        for upper_us, count in (result.get("latency") or {}).get("buckets") or ():
            yield place | {"upper_us": upper_us, "count": count}


def write_latencies(path: Path, rows: Iterable[Row]) -> None:
    """A header alone if there is nothing."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    names = columns("latency")
    writer.writerow(names)
    for row in rows:
        writer.writerow(column.write(row[name]) for name, column in names.items())
    write_whole(path, buffer.getvalue())
