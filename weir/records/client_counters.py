"""client-counters.csv: growth of the counters of a Lustre client in each access, as weir-io reports it."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from weir.model import Cell, Parsed, Row

COUNTERS_FILE = "client-counters.csv"
COLUMNS = ("cell", "run", "access", "iteration", "counter", "samples", "sum")
# What the client exchanged with the storage targets; it counts no calls there.
_EXCHANGED = {"device_read_bytes": "osc_read_bytes", "device_written_bytes": "osc_write_bytes"}


def counter_lines(cell: Cell, run: int, parsed: Parsed) -> str:
    """Lines of the table for a run; empty where no client counts."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    for row in parsed.rows:
        iteration = run * cell.iterations + row["iteration"]
        for name, samples, total in _counters(row.get("observed", {})):
            writer.writerow([cell.cell, run, row["access"], iteration, name, samples, total])
    return buffer.getvalue()


def _counters(observed: Row) -> Iterator[tuple[str, int | None, int | None]]:
    client = observed.get("lustre") or {}
    if not client.get("counters"):
        return
    for name, counter in client["counters"].items():
        yield name, counter.get("samples"), counter.get("sum")
    for key, name in _EXCHANGED.items():
        if observed.get(key) is not None:
            yield name, None, observed[key]
