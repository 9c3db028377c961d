"""client-counters.csv: growth of the counters of a Lustre client in each access, as weir-io reports it."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from typing import Any

from weir.model import Cell
from weir.records.collect import Run

COUNTERS_FILE = "client-counters.csv"
COLUMNS = ("cell", "run", "access", "iteration", "counter", "samples", "sum")
# What the client exchanged with the storage targets; it counts no calls there.
_EXCHANGED = {"device_read_bytes": "osc_read_bytes", "device_written_bytes": "osc_write_bytes"}


def counter_lines(cell: Cell, run: Run) -> str:
    """Lines of the table; empty where no client counts."""
    path = run.outputs.get("summary")
    if path is None or not path.is_file():
        return ""
    text = path.read_text(encoding="utf-8", errors="replace")
    if '"lustre"' not in text or '"mount"' not in text:
        return ""
    try:
        results = json.loads(text).get("results") or []
    except (ValueError, AttributeError):
        return ""  # truncated: the records of the run report it
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    for result in results:
        iteration = run.number * cell.iterations + int(result.get("iteration") or 0)
        for name, samples, total in _counters(result.get("observed") or {}):
            writer.writerow([cell.cell, run.number, result.get("access"), iteration, name, samples, total])
    return buffer.getvalue()


def _counters(observed: dict[str, Any]) -> Iterator[tuple[str, int | None, int | None]]:
    client = observed.get("lustre")
    if not client:
        return
    for name, counter in client["counters"].items():
        yield name, counter["samples"], counter["sum"]
    for key, name in _EXCHANGED.items():
        if observed.get(key) is not None:
            yield name, None, observed[key]
