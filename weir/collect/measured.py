"""Cells that are measured now: again, in a directory of their own, one round of each and then the next;
and what a session of a batch cost, beside what was expected."""

import secrets
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from weir.base.errors import WeirError
from weir.collect.judged import collect_cell
from weir.collect.parsed_runs import finished_runs, read_run
from weir.measure.batches import measure_in_rounds
from weir.measure.session import PlannedBatch, Session, SessionBatch, planned_batch
from weir.plan import Batch, Plan
from weir.plan.cost import BatchCosts
from weir.records.model import Cell, Row, tasks_of
from weir.runs.files import run_folder


def batch_of(plan: Plan, cell: str) -> Batch | None:
    return next((batch for batch in plan.batches if any(one.cell == cell for one in batch.cells)), None)


def batch_of_cell(plan: Plan, cell: Cell, results: Path) -> PlannedBatch:
    """A batch of this cell only; its runs go to results."""
    batch = batch_of(plan, cell.cell)
    if batch is None:
        raise WeirError("the plan has no such cell", key="cell", value=cell.cell)
    whole = planned_batch(plan, batch, results)
    return replace(whole, cells=(cell,), batch=f"{batch.batch}-{cell.cell}")


def measure_in_turns(planned: Sequence[PlannedBatch]) -> dict[str, list[Row]]:
    """Records by cell. Finished runs are kept, so a killed call continues."""
    session = Session(planned, seed=secrets.randbits(32))
    measure_in_rounds(session)
    for batch in session.batches:
        if batch.error:
            raise batch.error
        if batch.unavailable:
            raise WeirError(f"{batch.planned.batch} is unavailable: {batch.unavailable}")
        if batch.left:
            hint = "run again: finished runs are kept"
            raise WeirError("the rest of the allocation is too short", hint=hint)
    return {
        cell.cell: list(collect_cell(cell, finished_runs(one.results / "runs" / cell.cell), one.results))
        for one in planned
        for cell in one.cells
    }


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
    runs = [(cell, read_run(run_folder(results, cell, run))) for cell, run in ran]
    return [list(collect_cell(cells[cell], [run], results)) for cell, run in runs]
