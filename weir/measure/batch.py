"""Measure one batch: prepare the target, run what is missing in blocked random order, always clean up."""

from __future__ import annotations

import contextlib
import fcntl
import itertools
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from weir.cluster.comparison import probe_nodes
from weir.cluster.deadline import fits
from weir.cluster.nodes import LEAST_NODES, Slow, excluding, slow_nodes
from weir.cluster.placement import placement
from weir.cluster.queue import answer
from weir.errors import TargetUnavailableError, WeirError
from weir.measure.order import Execution, rounds_in_random_order
from weir.measure.own_launch import LaunchContext, LaunchLostError, measure_one
from weir.measure.preflight import Check, check_batch, check_folder
from weir.measure.progress import Progress, open_stream
from weir.measure.ranks import check_ranks
from weir.measure.runfiles import is_finished, note_left_out, read_run_file
from weir.measure.shared_launch import engine_words, measure_in_one_launch, settle
from weir.measure.workspace import Workspace
from weir.model import Cell, Stack, Target
from weir.plan.cost import LAUNCH_EXECUTIONS

# So many launches that the batch system loses in a row end the batch, with a pause after each.
LAUNCHES_LOST = 4
LOST_PAUSE_S = 15.0


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
    scheduler_options: Sequence[str] = ()  # what the site asks of the batch system


@dataclass
class BatchResult:
    """Counts of executions: what this session did, and what was there before."""

    batch: str
    planned: int
    kept: int = 0
    done: int = 0
    failed: list[str] = field(default_factory=list)
    left: int = 0  # executions that the rest of the allocation is too short for
    left_out: str | None = None  # why nothing was tried on an optional target
    spent_s: float = 0.0  # in programs
    slow_nodes: list[Slow] | None = None  # None: they were not compared

    @property
    def pace_s(self) -> float | None:
        """What an execution took so far on average; None before the first."""
        count = self.done + len(self.failed)
        return self.spent_s / count if count else None


def measure_batch(job: BatchJob) -> BatchResult:
    """Run every missing execution; raises WeirError when the batch as a whole cannot go on."""
    settle(_launch_folder(job), job.results)  # of a weir that was killed
    todo = pending(job)
    planned = sum(cell.rounds for cell in job.cells)
    result = BatchResult(job.batch, planned, kept=planned - len(todo))
    if not todo:
        return result
    try:
        _measure(job, todo, result)
    except TargetUnavailableError as error:
        if not job.target.optional:
            raise
        result.left_out = str(error.problems[0].message)
    note_left_out(job.results, job.batch, result.left_out)
    return result


def _measure(job: BatchJob, todo: Sequence[Execution], result: BatchResult) -> None:
    _require(preflight(job), job, TargetUnavailableError)
    with _exclusive(job), prepared(job.target):
        result.slow_nodes = _compare_nodes(job)
        workspace = Workspace(Path(job.target.path), job.results, job.batch)
        workspace.claim()
        try:
            _run_all(job, todo, workspace, result)
        finally:
            if check_folder(workspace.target_folder).problem is None:
                workspace.remove()


def _compare_nodes(job: BatchJob) -> list[Slow] | None:
    """The same second of work on every node before the first cell: a slow one bends all numbers."""
    nodes = job.cells[0].nodes
    if nodes < LEAST_NODES:
        return None
    try:
        slow = slow_nodes(probe_nodes(job.launcher, job.stack, nodes, [job.target.path]))
    except WeirError as error:
        print(f"weir: {job.batch}: the nodes were not compared: {error}", file=sys.stderr)
        return None
    if slow and job.stop_for_slow_nodes:
        raise WeirError("; ".join(map(str, slow)), hint=f"{excluding(slow)}, or write slow_nodes: report")
    for item in slow:
        print(f"{job.batch}: slow node {item}", file=open_stream(), flush=True)
    return slow


def pending(job: BatchJob) -> list[Execution]:
    """Executions without a finished run file (with retry_failed: without a successful one)."""
    todo = rounds_in_random_order(
        job.cells, job.seed, lambda cell, run: is_finished(job.results, cell.cell, run, job.retry_failed)
    )
    return [execution for execution in todo if job.round in (None, execution.run)]


def successes(job: BatchJob) -> int:
    """Executions of the batch that have a run file which says done."""
    return sum(
        is_finished(job.results, cell.cell, run, only_successful=True)
        for cell in job.cells
        for run in range(cell.rounds)
    )


def preflight(job: BatchJob) -> list[Check]:
    """The checks of a batch as it would be started, its target prepared for the time being."""
    with prepared(job.target):
        checks = check_batch(job.cells, job.target, job.stack)
    if any(check.problem for check in checks):
        return checks
    first = job.cells[0]  # all cells of a batch have the same shape
    return [*checks, check_ranks(first.nodes, first.ppn, job.stack, job.launcher)]


def _run_all(job: BatchJob, todo: Sequence[Execution], workspace: Workspace, result: BatchResult) -> None:
    """Launch by launch; each settles at least its first execution, so this ends."""
    progress = Progress(len(todo), job.batch, open_stream())
    slow = None if result.slow_nodes is None else [vars(item) for item in result.slow_nodes]
    found = placement(job.scheduler_options, os.environ, answer)
    context = LaunchContext(
        job.target, job.stack, job.launcher, job.results, job.seed, workspace, slow, found
    )
    left = list(todo)
    lost = 0
    while left:
        # The first one of all always runs: with the same limits it would not fit the next allocation either.
        fitting = _fitting(left, job.ends_at, result.pace_s) or (left[:1] if len(left) == len(todo) else [])
        if not fitting:
            result.left = len(left)
            return
        tried = _sharing(fitting, context) or fitting[:1]
        try:
            _launch(tried, context, job, progress)
            lost = 0
        except LaunchLostError as reason:
            lost += 1
            _wait_for_the_batch_system(reason, lost)
        _count(job, tried, left, result)
        if result.failed:
            _require([check_folder(workspace.folder)], job)


def _sharing(fitting: Sequence[Execution], context: LaunchContext) -> list[Execution]:
    """The first ones, as far as one launch of weir-io runs them all."""
    engine = engine_words(fitting[0], context)
    return list(itertools.takewhile(lambda each: engine and engine_words(each, context) == engine, fitting))


def _launch(tried: Sequence[Execution], context: LaunchContext, job: BatchJob, progress: Progress) -> None:
    if engine_words(tried[0], context):
        measure_in_one_launch(tried, context, _launch_folder(job), progress.step)
    else:
        document = measure_one(tried[0], context)
        progress.step(tried[0], document["error"] or document["status"], document["elapsed_s"])


def _wait_for_the_batch_system(reason: LaunchLostError, times: int) -> None:
    """A controller that restarts is back in a moment; one that stays away ends the batch."""
    if times >= LAUNCHES_LOST:
        raise WeirError(
            f"the batch system failed {times} launches in a row: {reason}",
            hint="run again: what has run is kept",
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
        result.spent_s += document["elapsed_s"]
        if document["status"] == "done":
            result.done += 1
        else:
            name = f"{each.cell.label} ({each.cell.cell}, run {each.run})"
            result.failed.append(f"{name}: {document['error']}")


def _launch_folder(job: BatchJob) -> Path:
    return job.results / "launches" / job.batch


def _require(checks: Sequence[Check], job: BatchJob, kind: type[WeirError] = WeirError) -> None:
    problems = [check for check in checks if check.problem]
    if problems:
        raise kind(
            f"target {job.target.name}: " + "; ".join(str(check.problem) for check in problems),
            hint="; ".join(check.hint for check in problems if check.hint) or None,
        )


@contextlib.contextmanager
def _exclusive(job: BatchJob) -> Iterator[None]:
    """Two weirs that measure the same batch would delete each other's files."""
    path = job.results / "locks" / f"{job.batch}.lock"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise WeirError(
                f"batch {job.batch} is being measured by another process", hint="wait for it, or end it"
            ) from None
        except OSError:
            pass  # file systems without locks exist; Snakemake and Slurm then keep batches apart
        yield


@contextlib.contextmanager
def prepared(target: Target) -> Iterator[None]:
    """The target's own commands around the batch; clean-up also runs when preparing failed half-way."""
    try:
        for words in target.prepare:
            if complaint := _complaint_of(words, target):
                raise TargetUnavailableError(
                    f"target {target.name}: {complaint}",
                    hint="correct `prepare` in the target's file, or what it complains about",
                )
        yield
    finally:
        for words in target.cleanup:
            if complaint := _complaint_of(words, target):
                print(f"weir: target {target.name}: clean-up: {complaint}", file=sys.stderr)


def _complaint_of(words: Sequence[str], target: Target) -> str | None:
    """Run one command of the target; None when it ended well."""
    environment = {**os.environ, **target.environment}
    try:
        ended = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    except OSError as error:
        return f"`{' '.join(words)}`: {error.strerror}"
    if ended.returncode == 0:
        return None
    return f"`{' '.join(words)}` ended with {ended.returncode}: {(ended.stderr or ended.stdout).strip()}"
