"""Cells measured again in a directory of their own: one round of each cell, then the next round."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from weir.base.errors import WeirError
from weir.measure.planned import PlannedBatch, planned_batch
from weir.measure.rounds import measure_in_rounds
from weir.measure.session import Session, end_of_allocation
from weir.plan import Batch, Plan
from weir.records.collect import finished_runs
from weir.records.judged import collect_cell
from weir.terms.model import Cell, Row


def batch_of(plan: Plan, cell: str) -> Batch | None:
    """The batch that holds the cell."""
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
    session = Session(planned, seed=secrets.randbits(32), ends_at=end_of_allocation())
    measure_in_rounds(session)
    for batch in session.batches:
        if batch.error:
            raise batch.error
        if batch.unavailable:
            raise WeirError(f"{batch.planned.batch} is unavailable: {batch.unavailable}")
        if batch.left:
            raise WeirError(
                "the rest of the allocation is too short", hint="run again: finished runs are kept"
            )
    return {
        cell.cell: list(collect_cell(cell, finished_runs(one.results / "runs" / cell.cell), one.results))
        for one in planned
        for cell in one.cells
    }
