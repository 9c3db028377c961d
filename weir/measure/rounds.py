"""Batches side by side: one round of each, then the next. What changes meanwhile meets all of them alike."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

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
    for round in range(max((cell.rounds for job in jobs for cell in job.cells), default=0)):
        for number in generator.sample(range(len(jobs)), len(jobs)):
            job = replace(jobs[number], round=round)
            if pending(job):
                part = measure_batch(job)
                _add(results[number], part)
                if part.left:
                    return [_with_the_rest(result) for result in results]
    return results


def _with_the_rest(result: BatchResult) -> BatchResult:
    """The allocation is too short: what no round has reached is left, too."""
    reached = result.kept + result.done + len(result.failed)
    return result if result.unavailable else replace(result, left=result.planned - reached)


def _add(total: BatchResult, part: BatchResult) -> None:
    total.done += part.done
    total.failed += part.failed
    total.spent_s += part.spent_s
    total.unavailable = part.unavailable
    total.slow_nodes = part.slow_nodes
