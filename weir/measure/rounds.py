"""Batches side by side: one round of each, then the next. What changes meanwhile meets all of them alike."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from weir.measure.added import next_executions
from weir.measure.batch import measure_batch
from weir.measure.job import BatchJob, BatchResult, pending


def measure_in_rounds(jobs: Sequence[BatchJob], seed: int) -> list[BatchResult]:
    """What measure_batch does for each job, in rounds; no batch is always the first of a round."""
    generator = random.Random(seed)
    planned = [sum(cell.rounds for cell in job.cells) for job in jobs]
    results = [
        BatchResult(job.batch, count, kept=count - len(pending(job)))
        for job, count in zip(jobs, planned, strict=True)
    ]
    for round in range(_most_rounds(jobs)):
        for number in generator.sample(range(len(jobs)), len(jobs)):
            job = replace(jobs[number], round=round)
            if next_executions(job):
                part = measure_batch(job)
                _add(results[number], part)
                if part.left:
                    lefts = [part.left if result is results[number] else 0 for result in results]
                    return [_with_the_rest(*each) for each in zip(results, lefts, strict=True)]
    return results


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
    total.slow_nodes = part.slow_nodes
