"""Cells measured again in a directory of their own: one round of each cell, then the next round."""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from weir.base.errors import WeirError
from weir.measure.job import BatchJob, job_of
from weir.measure.rounds import measure_in_rounds
from weir.plan import Batch, Plan
from weir.records.collect import finished_runs
from weir.records.judged import collect_cell
from weir.site.schedulers import surrounding
from weir.terms.model import Cell, Row


def batch_of(plan: Plan, cell: str) -> Batch | None:
    """The batch that holds the cell."""
    return next((batch for batch in plan.batches if any(one.cell == cell for one in batch.cells)), None)


def job_of_cell(plan: Plan, cell: Cell, results: Path) -> BatchJob:
    """A batch of this cell only; its runs go to results."""
    batch = batch_of(plan, cell.cell)
    if batch is None:
        raise WeirError("the plan has no such cell", key="cell", value=cell.cell)
    return replace(job_of(plan, batch, results), cells=(cell,), batch=f"{batch.batch}-{cell.cell}")


def measure_in_turns(jobs: Sequence[BatchJob]) -> dict[str, list[Row]]:
    """Records by cell. Finished runs are kept, so a killed call continues."""
    system = surrounding(os.environ)
    ends_at = system.ends_at(os.environ) if system else None
    seed = secrets.randbits(32)
    for result in measure_in_rounds([replace(job, seed=seed, ends_at=ends_at) for job in jobs], seed):
        if result.error:
            raise result.error
        if result.unavailable:
            raise WeirError(f"{result.batch} is unavailable: {result.unavailable}")
        if result.left:
            raise WeirError(
                "the rest of the allocation is too short", hint="run again: finished runs are kept"
            )
    return {
        cell.cell: list(collect_cell(cell, finished_runs(job.results / "runs" / cell.cell), job.results))
        for job in jobs
        for cell in job.cells
    }
