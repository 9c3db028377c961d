"""Actual cost of a session of a batch, from its outputs, beside the expected cost."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from weir.measure.session import SessionBatch
from weir.plan import Batch
from weir.plan.experience import BatchCosts
from weir.records.collect import Run, read_json
from weir.records.judged import collect_cell
from weir.runs.files import RUN_FILE, run_folder
from weir.terms.model import Row, tasks_of


def batch_costs(batch: Batch, measured: SessionBatch, results: Path) -> BatchCosts | None:
    """The costs of a batch; None where nothing ran. The expectation for the whole batch is scaled to the
    executions that ran."""
    ran = [each.key for each in measured.ran]
    if not ran:
        return None
    rows = _rows(batch, ran, results)
    part = len(ran) / batch.executions
    return BatchCosts(
        at=datetime.now(UTC).isoformat(timespec="seconds"),
        batch=batch.batch,
        target=batch.target,
        stack=batch.stack,
        nodes=batch.nodes,
        ppn=batch.ppn,
        executions=len(ran),
        failed=len(measured.failed),
        expected_s=batch.estimated_s * part,
        actual_s=measured.elapsed_s,
        expected_bytes=round(batch.moved_bytes * part),
        actual_bytes=sum(row.get("moved_bytes") or 0 for run in rows for row in run),
        expected_inodes=batch.inodes,
        actual_inodes=max((created_inodes(run) for run in rows), default=0),
    )


def created_inodes(rows: Iterable[Row]) -> int:
    """Files and directories of one run, as far as its output shows them; each iteration removes its own."""
    created: dict[int, int] = defaultdict(int)
    for row in rows:
        if row["access"] == "create":
            created[row["iteration"]] += row.get("ops") or 0
        elif row["access"] == "write":
            ranks = tasks_of(row) or 1
            created[row["iteration"]] += ranks if row.get("layout") == "file-per-process" else 1
    return max(created.values(), default=0)


def _rows(batch: Batch, ran: Sequence[tuple[str, int]], results: Path) -> list[list[Row]]:
    cells = {cell.cell: cell for cell in batch.cells}
    folders = [(cell, run_folder(results, cell, run)) for cell, run in ran]
    return [
        list(collect_cell(cells[cell], [Run(folder, read_json(folder / RUN_FILE))], results))
        for cell, folder in folders
    ]
