"""A batch to measure, and what became of it."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from weir.base.errors import WeirError
from weir.measure.clean_up.lock import Lock
from weir.measure.nodes.nodes import Slow
from weir.measure.order import Execution, rounds_in_random_order
from weir.measure.progress import Progress
from weir.runs.files import ended_at, is_kept, read_run_file
from weir.runs.ledger import Judge
from weir.terms.model import Cell, Stack, Target

if TYPE_CHECKING:  # a guardian, one for each turn of a batch, starts sooner without the planner
    from weir.plan.model import Batch, Plan


@dataclass(frozen=True)
class BatchJob:
    """Everything that measuring a batch needs, resolved by the caller from configuration and plan."""

    batch: str
    cells: Sequence[Cell]
    target: Target
    stack: Stack
    launcher: str
    results: Path  # results/<site>
    seed: int
    retry_failed: bool = False
    round: int | None = None  # measure this round only; None: all of them
    ends_at: float | None = None  # when the allocation is over, in seconds since 1970
    stop_for_slow_nodes: bool = False
    scheduler_options: Sequence[str] = ()
    wait_s: float = 0.0  # for another measurement of the same target
    width_of: Callable[[Cell], float | None] | None = None  # of a cell's interval; None: no rounds are added
    judge: Judge | None = None  # of a run that has ended; None: whoever reads its rows judges it
    kept_since: float = math.inf  # what failed after it is not run again; in seconds since 1970
    any_kind: bool = False  # measure also where the target's kind is not that of its file system
    ranks_checked: bool = False  # in an earlier round of this session
    progress: Progress | None = None  # of several batches in turns; None: of this one
    lock: Lock | None = None  # of the target, held over all rounds; None: taken for this batch

    @property
    def launch_folder(self) -> Path:
        return self.results / "launches" / self.batch


def job_of(plan: Plan, batch: Batch, results: Path) -> BatchJob:
    """The batch with the target, stack and partition of its plan, before any session."""
    site, partition = plan.site, plan.site.partitions[batch.partition]
    return BatchJob(
        batch=batch.batch,
        cells=batch.cells,
        target=site.targets[batch.target],
        stack=site.stacks[batch.stack],
        launcher=partition.launcher,
        results=results,
        seed=0,
        stop_for_slow_nodes=partition.slow_nodes == "stop",
        scheduler_options=partition.scheduler_options,
    )


@dataclass
class BatchResult:
    """Counts of executions: what this session did, and what was there before."""

    batch: str
    planned: int
    kept: int = 0
    done: int = 0
    added: int = 0  # part of done and failed: executions of added rounds
    failed: list[str] = field(default_factory=list)
    left: int = 0  # executions that the rest of the allocation is too short for
    unavailable: str | None = None  # why nothing was tried on an optional target
    error: WeirError | None = None  # why the batch could not go on
    spent_s: float = 0.0  # in programs
    elapsed_s: float = 0.0  # all in all
    ran: list[tuple[str, int]] = field(default_factory=list)  # cell and run of what was done or failed
    slow_nodes: list[Slow] | None = None  # None: they were not compared

    @property
    def pace_s(self) -> float | None:
        """Time of an execution so far on average; None before the first."""
        count = self.done + len(self.failed)
        return self.spent_s / count if count else None


def pending(job: BatchJob) -> list[Execution]:
    """Executions without a finished run file (with retry_failed: without a successful one)."""
    return rounds_in_random_order(
        job.cells, job.seed, lambda cell, run: job.round not in (None, run) or _is_kept(job, cell, run)
    )


def _is_kept(job: BatchJob, cell: Cell, run: int) -> bool:
    if is_kept(job.results, cell.cell, run, job.retry_failed):
        return True
    ended = ended_at(job.results, cell.cell, run)
    return ended is not None and ended > job.kept_since and is_kept(job.results, cell.cell, run)


def successes(job: BatchJob) -> int:
    """Executions of the batch whose run file has the status done."""
    return sum(
        is_kept(job.results, cell.cell, run, only_successful=True)
        for cell in job.cells
        for run in range(cell.rounds)
    )


def first_failure(job: BatchJob) -> str:
    """The message of the execution that failed first; empty where none has a run file."""
    ended = []
    for cell in job.cells:
        for run in range(cell.rounds):
            with contextlib.suppress(WeirError):
                document = read_run_file(job.results, cell.cell, run) or {}
                if document.get("status") not in (None, "done"):
                    ended.append((str(document.get("ended")), str(document.get("error"))))
    return min(ended)[1] if ended else ""
