"""latencies.csv: the times of single operations, of tools that measure them."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from pathlib import Path

from weir.columns import columns
from weir.model import Cell, Row
from weir.records.collect import Run
from weir.records.table import write_whole
from weir.tools import tools

LATENCIES_FILE = "latencies.csv"


def collect_latencies(cell: Cell, runs: Iterable[Run]) -> Iterator[Row]:
    """Buckets of all runs of a cell, numbered as its records are; nothing for tools without latencies."""
    for run in runs:
        for bucket in tools()[cell.tool].latencies(run.outputs):
            iteration = run.number * cell.iterations + bucket["iteration"]
            yield bucket | {"cell": cell.cell, "run": run.number, "iteration": iteration}


def write_latencies(path: Path, rows: Iterable[Row]) -> None:
    """A header alone if there is nothing."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    names = columns("latency")
    writer.writerow(names)
    for row in rows:
        writer.writerow(column.write(row[name]) for name, column in names.items())
    write_whole(path, buffer.getvalue())
