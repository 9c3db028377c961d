"""Several batches, one after the other or in rounds. One that cannot go on does not stop the others."""

from __future__ import annotations

import contextlib
import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from weir.base.errors import WeirError, from_os_error
from weir.base.interrupts import was_interrupted
from weir.measure.added import next_executions
from weir.measure.batch import measure_batch, take_lock
from weir.measure.clean_up.lock import Lock, machine_lock
from weir.measure.clean_up.remains import clean_up_after_kills
from weir.measure.job import BatchJob, BatchResult, pending
from weir.measure.progress import Progress, open_stream


def measure_in_turn(jobs: Sequence[BatchJob]) -> list[BatchResult]:
    """What measure_batch does for each job; a job that cannot go on has an error in its result."""
    return [_tried(job) for job in jobs]


def measure_in_rounds(
    jobs: Sequence[BatchJob],
    seed: int,
    until_first: bool = False,
    between: Callable[[], None] = lambda: None,
) -> list[BatchResult]:
    """The same in rounds, one of each batch and then the next; no batch is always the first of a round.

    What changes meanwhile meets all of them alike. until_first: it ends when the first batch is through or
    cannot go on, whatever the others still lack. between: is called before the first round and after each,
    while no program runs.
    """
    results = [_nothing_done(job) for job in jobs]
    if until_first and not next_executions(jobs[0]):
        return [_tried(jobs[0]), *results[1:]]
    clean_up_after_kills(lambda line: print(f"weir: {line}", file=sys.stderr))
    with contextlib.ExitStack() as held:
        between()
        return _in_rounds(_holding(jobs, results, until_first, held), results, seed, until_first, between)


def _holding(
    jobs: Sequence[BatchJob], results: Sequence[BatchResult], until_first: bool, held: contextlib.ExitStack
) -> list[BatchJob]:
    """The jobs with the locks of their targets: nobody takes a target between two rounds.

    Two processes must never wait for each other. So all take the locks in one order; until_first, that of the
    first batch is the first, and no other is waited for.
    """
    locks: dict[Path, Lock] = {}
    of_job = [locks.setdefault(lock.path, lock) for lock in (machine_lock(job.target) for job in jobs)]
    order = sorted(range(len(jobs)), key=lambda number: str(of_job[number].path))
    if until_first:
        order.sort(key=bool)
    for number in order:
        lock = of_job[number]
        if lock.descriptor >= 0 or not next_executions(jobs[number]):
            continue
        try:
            take_lock(jobs[number], lock, is_patient=not until_first or number == 0)
            held.callback(lock.release)
        except (WeirError, OSError) as error:
            results[number].error = _as_ours(error)
    return [replace(job, lock=lock) for job, lock in zip(jobs, of_job, strict=True)]


def _in_rounds(
    jobs: Sequence[BatchJob],
    results: list[BatchResult],
    seed: int,
    until_first: bool,
    between: Callable[[], None],
) -> list[BatchResult]:
    generator = random.Random(seed)
    progress = Progress(sum(result.planned - result.kept for result in results), open_stream())
    before = 0
    for round in range(_most_rounds(jobs)):
        if until_first and _is_through(replace(jobs[0], round=round)):
            return results
        for number in generator.sample(range(len(jobs)), len(jobs)):
            if until_first and not _can_go_on(results[0]):
                return results
            if _can_go_on(results[number]):
                _take_turn(replace(jobs[number], round=round, progress=progress), results[number], progress)
            if results[number].left:
                return [_with_the_rest(result, result.left) for result in results]
        if (ran := sum(result.done + len(result.failed) for result in results)) > before:
            between()
        before = ran
    return results


def _take_turn(job: BatchJob, result: BatchResult, progress: Progress) -> None:
    todo = next_executions(job)
    if not todo:
        return
    progress.expect(sum(each.run >= each.cell.rounds for each in todo))
    _add(result, _tried(replace(job, ranks_checked=bool(result.ran))))
    if not _can_go_on(result):
        progress.expect(-len(pending(replace(job, round=None))))


def _can_go_on(result: BatchResult) -> bool:
    return result.error is None and result.unavailable is None


def _is_through(job: BatchJob) -> bool:
    """Whether all planned rounds of the batch are before this one, and no more is added."""
    return job.round not in range(max(cell.rounds for cell in job.cells)) and not next_executions(job)


def _tried(job: BatchJob) -> BatchResult:
    """Executions that ended before the error are counted as done, whatever became of them."""
    before = _nothing_done(job)
    try:
        return measure_batch(job)
    except (WeirError, OSError) as error:
        if was_interrupted(error):
            print(f"weir: {job.batch}: {error}", file=sys.stderr)
            raise KeyboardInterrupt from error
        done = before.planned - before.kept - len(pending(job))
        return replace(before, done=done, error=_as_ours(error))


def _as_ours(error: WeirError | OSError) -> WeirError:
    return error if isinstance(error, WeirError) else from_os_error(error)


def _nothing_done(job: BatchJob) -> BatchResult:
    planned = sum(cell.rounds for cell in job.cells)
    return BatchResult(job.batch, planned, kept=planned - len(pending(job)))


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
    total.left = part.left
    total.unavailable = part.unavailable
    total.error = part.error
    total.slow_nodes = part.slow_nodes
