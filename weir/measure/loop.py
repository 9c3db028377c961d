"""The only loop over executions: launch by launch, until all are settled or the allocation ends."""

from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Sequence
from functools import partial

from weir.base.errors import WeirError
from weir.measure.faults import EnvironmentFaultError
from weir.measure.job import BatchJob, BatchResult
from weir.measure.order import Execution
from weir.measure.own_launch import LaunchContext, LaunchLostError, measure_one
from weir.measure.progress import Progress, open_stream
from weir.measure.shared_launch import engine_arguments, measure_in_one_launch
from weir.plan.allocation import fits
from weir.plan.cost import LAUNCH_EXECUTIONS
from weir.runs.files import read_run_file

# So many launches that the batch system loses in a row end the batch, with a pause after each.
LAUNCHES_LOST = 4
LOST_PAUSE_S = 15.0


def run_all(job: BatchJob, todo: Sequence[Execution], context: LaunchContext, result: BatchResult) -> None:
    """Each launch settles at least its first execution, so this ends."""
    progress = job.progress or Progress(len(todo), open_stream())
    left = list(todo)
    lost = 0
    while left:
        # The first one of all always runs: with the same limits it would not fit the next allocation either.
        fitting = _fitting(left, job.ends_at, result.pace_s) or (left[:1] if result.pace_s is None else [])
        if not fitting:
            result.left = len(left)
            return
        tried = _sharing(fitting, context) or fitting[:1]
        try:
            _launch(tried, context, job, progress)
            lost = 0
        except LaunchLostError as loss:
            lost += 1
            _wait_for_the_batch_system(loss, lost)
        finally:
            _count(job, tried, left, result)
        if result.failed and (reason := context.fault()):
            raise EnvironmentFaultError(reason, hint="run again when it is gone: finished runs are kept")


def _sharing(fitting: Sequence[Execution], context: LaunchContext) -> list[Execution]:
    """The first ones, as far as one launch of weir-io runs them all."""
    engine = engine_arguments(fitting[0], context)
    if not engine:
        return []
    return list(itertools.takewhile(lambda each: engine_arguments(each, context) == engine, fitting))


def _launch(tried: Sequence[Execution], context: LaunchContext, job: BatchJob, progress: Progress) -> None:
    step = partial(progress.step, job.batch)
    if engine_arguments(tried[0], context):
        measure_in_one_launch(tried, context, job.launch_folder, step)
    else:
        document = measure_one(tried[0], context)
        step(tried[0], document["error"] or document["status"], document["elapsed_s"])


def _wait_for_the_batch_system(reason: LaunchLostError, times: int) -> None:
    """A controller that restarts is back in a moment; one that stays away ends the batch."""
    if times >= LAUNCHES_LOST:
        raise WeirError(
            f"the batch system failed {times} launches in a row: {reason}",
            hint="run again: finished runs are kept",
        ) from None
    print(f"weir: {reason}; trying again in {LOST_PAUSE_S:g} s", file=sys.stderr)
    time.sleep(LOST_PAUSE_S)


def _fitting(left: Sequence[Execution], ends_at: float | None, pace_s: float | None) -> list[Execution]:
    """Those that end before the allocation does, one after the other, even if the last needs its limit.

    The others are expected to take twice what those before them took; before anything is known, their limits.
    """
    chosen: list[Execution] = []
    expected_s = 0.0
    now = time.time()
    for each in left:
        limit_s = each.cell.timeout_s
        if len(chosen) < LAUNCH_EXECUTIONS and fits(expected_s + limit_s, now, ends_at):
            chosen.append(each)
            expected_s += limit_s if pace_s is None else min(limit_s, 2 * pace_s)
    return chosen


def _count(job: BatchJob, tried: Sequence[Execution], left: list[Execution], result: BatchResult) -> None:
    """Take what was tried and has a run file now out of left."""
    for each in tried:
        document = read_run_file(job.results, each.cell.cell, each.run)
        if document is None:
            continue
        left.remove(each)
        result.ran.append((each.cell.cell, each.run))
        result.added += each.run >= each.cell.rounds
        result.spent_s += document["elapsed_s"]
        if document["status"] == "done":
            result.done += 1
        else:
            name = f"{each.cell.label} ({each.cell.cell}, run {each.run})"
            result.failed.append(f"{name}: {document['error']}")


__all__ = ["LAUNCH_EXECUTIONS", "run_all"]
