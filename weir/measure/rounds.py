"""Several batches, one after the other or in rounds. One that cannot go on does not stop the others."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from weir.errors import WeirError, from_os_error
from weir.measure.added import next_executions
from weir.measure.batch import measure_batch
from weir.measure.job import BatchJob, BatchResult, pending


def measure_in_turn(jobs: Sequence[BatchJob]) -> list[BatchResult]:
    """What measure_batch does for each job; a job that cannot go on has an error in its result."""
    return [_tried(job) for job in jobs]


def measure_in_rounds(jobs: Sequence[BatchJob], seed: int) -> list[BatchResult]:
    """The same in rounds, one of each batch and then the next; no batch is always the first of a round.

    What changes meanwhile meets all of them alike.
    """
    generator = random.Random(seed)
    results = [_nothing_done(job) for job in jobs]
    for round in range(_most_rounds(jobs)):
        for number in generator.sample(range(len(jobs)), len(jobs)):
            job = replace(jobs[number], round=round)
            can_go_on = results[number].error is None and results[number].unavailable is None
            if can_go_on and next_executions(job):
                part = _tried(job)
                _add(results[number], part)
                if part.left:
                    lefts = [part.left if result is results[number] else 0 for result in results]
                    return [_with_the_rest(*each) for each in zip(results, lefts, strict=True)]
    return results


def _tried(job: BatchJob) -> BatchResult:
    """Executions that ended before the error are counted as done, whatever became of them."""
    before = _nothing_done(job)
    try:
        return measure_batch(job)
    except (WeirError, OSError) as error:
        reason = error if isinstance(error, WeirError) else from_os_error(error)
        done = before.planned - before.kept - len(pending(replace(job, round=None)))
        return replace(before, done=done, error=reason)


def _nothing_done(job: BatchJob) -> BatchResult:
    planned = sum(cell.rounds for cell in job.cells)
    return BatchResult(job.batch, planned, kept=planned - len(pending(replace(job, round=None))))


def _most_rounds(jobs: Sequence[BatchJob]) -> int:
    """Added rounds of a batch follow its planned ones."""
    cells = [cell for job in jobs for cell in job.cells]
    planned = max((cell.rounds for cell in cells), default=0)
    return planned + max((cell.most_rounds - cell.rounds for cell in cells), default=0)


def _with_the_rest(result: BatchResult, own: int) -> BatchResult:
    """The allocation is too short: what no round has reached is left, too."""
    reached = result.kept + result.done + len(result.failed) - result.added
    return result if result.unavailable else replace(result, left=max(result.planned - reached, own))


def _add(total: BatchResult, part: BatchResult) -> None:
    total.done += part.done
    total.added += part.added
    total.ran += part.ran
    total.elapsed_s += part.elapsed_s
    total.failed += part.failed
    total.spent_s += part.spent_s
    total.unavailable = part.unavailable
    total.error = part.error
    total.slow_nodes = part.slow_nodes
