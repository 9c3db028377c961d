"""Added rounds, for cells whose intervals are wider than requested."""

from __future__ import annotations

import itertools
import random
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from weir.measure.job import BatchJob, pending
from weir.measure.order import Execution
from weir.runs.files import is_kept, read_run_file
from weir.terms.model import Cell, Until

Experiment = tuple[str, str]  # suite and name


@dataclass(frozen=True)
class _Wide:
    """A cell that needs more rounds."""

    cell: Cell
    runs: int  # finished so far
    excess: float  # width divided by the requested one
    pace_s: float  # time of a run


def next_executions(job: BatchJob) -> list[Execution]:
    """The missing executions of the plan; then, round by round, the added ones."""
    is_planned = job.round is not None and job.round < max(cell.rounds for cell in job.cells)
    return pending(job) or ([] if is_planned else added_round(job))


def added_round(job: BatchJob) -> list[Execution]:
    """One more run of each cell whose interval is still too wide, in random order; of the widest ones if the
    rest of the budget is too small for all. Empty: all are narrow enough, or budget or rounds are used up.

    The time spent is read from the run files, so that an interrupted campaign continues where it stopped.
    """
    wide = sorted(_wide(job), key=lambda item: item.excess, reverse=True)
    left_s = _budgets(job)
    chosen = []
    for item in wide:
        experiment = (item.cell.suite, item.cell.experiment)
        if item.pace_s <= left_s.get(experiment, float("inf")):
            chosen.append(item)
            if experiment in left_s:
                left_s[experiment] -= item.pace_s
    chosen.sort(key=lambda item: item.cell.cell)
    random.Random(f"{job.seed} {sum(item.runs for item in chosen)}").shuffle(chosen)
    return [Execution(item.cell, item.runs, position) for position, item in enumerate(chosen)]


def _wide(job: BatchJob) -> Iterator[_Wide]:
    for cell in job.cells:
        if cell.until is None or job.width_of is None:
            continue
        runs = _runs(job, cell)
        width = job.width_of(cell) if runs < cell.most_rounds else None
        if width is not None and width > cell.until.half_width:
            spent_s = list(_elapsed_s(job, cell, range(runs)))
            yield _Wide(cell, runs, width / cell.until.half_width, sum(spent_s) / max(1, len(spent_s)))


def _runs(job: BatchJob, cell: Cell) -> int:
    """Those that ended, well or badly, without a gap."""
    return next(run for run in itertools.count() if not is_kept(job.results, cell.cell, run))


def _budgets(job: BatchJob) -> dict[Experiment, float]:
    """What the budget of each experiment has left for this batch."""
    left_s: dict[Experiment, float] = defaultdict(float)
    for cell in job.cells:
        until: Until | None = cell.until
        if until is not None and until.budget_s is not None:
            spent_s = sum(_elapsed_s(job, cell, range(cell.rounds, _runs(job, cell))))
            left_s[cell.suite, cell.experiment] += until.budget_s * until.share - spent_s
    return dict(left_s)


def _elapsed_s(job: BatchJob, cell: Cell, runs: Iterable[int]) -> Iterator[float]:
    for run in runs:
        document = read_run_file(job.results, cell.cell, run)
        if document is not None:
            yield float(document.get("elapsed_s") or 0.0)
