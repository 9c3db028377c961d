"""Measure one batch: lock and prepare the target, run what is missing, always clean up."""

from __future__ import annotations

import contextlib
import os
import secrets
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from weir.base.errors import TargetUnavailableError, WeirError
from weir.base.mounts import mount_of
from weir.base.processes import engines_of_others
from weir.base.storage_calls import HangsError, in_time
from weir.measure.added import added_round, next_executions
from weir.measure.clean_up.custody import facts_of
from weir.measure.clean_up.guardian import Guardian
from weir.measure.clean_up.lock import Lock, machine_lock, take, this_process
from weir.measure.clean_up.prepare import prepared
from weir.measure.clean_up.remains import clean_up_after_kills
from weir.measure.clean_up.workspace import Workspace
from weir.measure.job import BatchJob, BatchResult, pending
from weir.measure.loop import run_all
from weir.measure.machine.links import server_addresses
from weir.measure.machine.server_memory import server_memory_bytes
from weir.measure.nodes.comparison import probe_nodes
from weir.measure.nodes.nodes import LEAST_NODES, Slow, names_of, slow_nodes
from weir.measure.order import Execution
from weir.measure.own_launch import LaunchContext
from weir.measure.preflight import Check, check_batch
from weir.measure.progress import open_stream
from weir.measure.ranks import check_ranks
from weir.measure.settle import settle
from weir.runs.files import note_unavailable
from weir.site.schedulers import surrounding
from weir.terms.model import Target
from weir.tools.engine import PROGRAM as ENGINE


def measure_batch(job: BatchJob) -> BatchResult:
    """Run every missing execution; raises WeirError when the batch as a whole cannot go on."""
    clean_up_after_kills(_report(job))
    if not next_executions(job) and not job.launch_folder.exists():
        return _result(job)
    with _locked(job) as lock:
        began_s = time.monotonic()
        leftovers = job.launch_folder.exists()
        # Of a weir that was killed; whether the machine failed its cells, nobody knows any more.
        settle(job.launch_folder, job.results, faultless=False, judge=job.judge)
        result, todo = _result(job), next_executions(job)
        if todo:
            _try(job, todo, lock, result)
        elif leftovers:
            _remove_leftovers(job, lock)
        result.elapsed_s = time.monotonic() - began_s
    return result


def _run_to_the_end(
    job: BatchJob, todo: Sequence[Execution], context: LaunchContext, result: BatchResult
) -> None:
    """Terminates: failed runs are tried once, and each added round runs each of its cells once."""
    run_all(job, todo, context, result)
    while job.round is None and not result.left and (more := added_round(job)):
        run_all(job, more, context, result)


def _result(job: BatchJob) -> BatchResult:
    planned = sum(cell.rounds for cell in job.cells)
    return BatchResult(job.batch, planned, kept=planned - len(pending(job)))


def _try(job: BatchJob, todo: Sequence[Execution], lock: Lock, result: BatchResult) -> None:
    try:
        _measure(job, todo, lock, result)
    except TargetUnavailableError as error:
        if not job.target.optional:
            raise
        result.unavailable = str(error.problems[0].message)
    note_unavailable(job.results, job.batch, result.unavailable)


def _measure(job: BatchJob, todo: Sequence[Execution], lock: Lock, result: BatchResult) -> None:
    token = secrets.token_hex(8)
    with _guarded(job, token, lock) as guardian, prepared(job.target, token, guardian.nothing_left):
        checks, temporary = _checked(job, guardian, token)
        _require(checks, job)
        result.slow_nodes = _compare_nodes(job)
        with _claimed(job, guardian) as neighbours:
            context = _context(job, token, guardian, neighbours, result)
            _run_to_the_end(job, todo, replace(context, temporary=temporary), result)


@contextlib.contextmanager
def _guarded(job: BatchJob, token: str, lock: Lock) -> Iterator[Guardian]:
    """The guardian cleans up even if this process is killed; the lock is held until it is done."""
    own = this_process(job.results, job.batch)
    guardian = Guardian(facts_of(job, token, own, lock), [lock.descriptor])
    try:
        yield guardian
    finally:
        if not guardian.dismiss():
            lock.hand_over()


def _servers(target: Target) -> list[str]:
    return server_addresses(mount_of(Path(target.path)), target.server_addresses)


def _context(
    job: BatchJob, token: str, guardian: Guardian, neighbours: Sequence[str], result: BatchResult
) -> LaunchContext:
    scheduler = surrounding(os.environ)
    return LaunchContext(
        target=job.target,
        stack=job.stack,
        launcher=job.launcher,
        results=job.results,
        seed=job.seed,
        workspace=Workspace(Path(job.target.path), job.results, job.batch),
        servers=in_time(lambda: _servers(job.target), job.target.path),
        server_memory_bytes=server_memory_bytes(job.target.server_probe),
        slow_nodes=None if result.slow_nodes is None else [vars(item) for item in result.slow_nodes],
        placement=scheduler.placement(job.scheduler_options, os.environ) if scheduler else None,
        neighbours=neighbours,
        token=token,
        guardian=guardian,
        judge=job.judge,
    )


@contextlib.contextmanager
def _claimed(job: BatchJob, guardian: Guardian) -> Iterator[list[str]]:
    """The workspace on the target, and who else may measure there."""
    try:
        neighbour = guardian.ask(do="claim")["neighbour"]
    except WeirError:
        raise
    except BaseException:  # an interrupt: the guardian claims it meanwhile, and removes it again
        guardian.clean()
        raise
    try:
        yield ([f"{neighbour} (may have ended)"] if neighbour else []) + engines_of_others(ENGINE)
    except HangsError:
        raise
    except BaseException:
        guardian.clean()
        raise
    else:
        try:
            guardian.clean(is_whole=True)
        except WeirError:
            job.launch_folder.mkdir(parents=True, exist_ok=True)  # the next start removes what is left
            raise


@contextlib.contextmanager
def _locked(job: BatchJob) -> Iterator[Lock]:
    """The target is this process's until the end; a lock goes before everything that deletes."""
    lock = job.lock or machine_lock(job.target)
    if lock.descriptor < 0:
        take_lock(job, lock)
    else:
        lock.rename(this_process(job.results, job.batch))
    try:
        yield lock
    finally:
        if job.lock is None:
            lock.release()


def take_lock(job: BatchJob, lock: Lock, is_patient: bool = True) -> None:
    """Become the holder of the target's lock, for this batch."""
    own = this_process(job.results, job.batch)
    take(lock, own, job.target, job.wait_s, _report(job), is_patient)


def _report(job: BatchJob) -> Callable[[str], None]:
    return lambda line: print(f"{job.batch}: {line}", file=open_stream(), flush=True)


def _remove_leftovers(job: BatchJob, lock: Lock) -> None:
    """Of a weir that was killed after its last execution, or whose target had gone by then: they may be seen
    only on a target that is prepared."""
    job.launch_folder.mkdir(parents=True, exist_ok=True)  # if this fails, the next start tries again
    token = secrets.token_hex(8)
    with _guarded(job, token, lock) as guardian, prepared(job.target, token, guardian.nothing_left):
        if in_time(Path(job.target.path).is_dir, job.target.path):
            with _claimed(job, guardian):
                pass
    job.launch_folder.rmdir()


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
        system = surrounding(os.environ)
        without = f"{system.excluding(names_of(slow))}, or " if system else ""
        raise WeirError("; ".join(map(str, slow)), hint=f"{without}write slow_nodes: report")
    for item in slow:
        print(f"{job.batch}: slow node {item}", file=open_stream(), flush=True)
    return slow


def preflight(job: BatchJob) -> list[Check]:
    """The checks of a batch as it would be started, its target prepared for the time being."""
    clean_up_after_kills(_report(job))
    token = secrets.token_hex(8)
    with (
        _locked(job) as lock,
        _guarded(job, token, lock) as guardian,
        prepared(job.target, token, guardian.nothing_left),
    ):
        return _checked(job, guardian, token)[0]


def _checked(job: BatchJob, guardian: Guardian, token: str) -> tuple[list[Check], Path | None]:
    """The checks; and a directory for the files of launches, which the guardian removes."""
    checks = in_time(lambda: check_batch(job.cells, job.target, job.stack, job.any_kind), job.target.path)
    if any(check.problem for check in checks):
        return checks, None
    temporary = guardian.temporary()
    if job.ranks_checked:
        return checks, temporary
    first = job.cells[0]  # all cells of a batch have the same shape
    ranks = check_ranks(first.nodes, first.ppn, job.stack, job.launcher, token, temporary)
    return [*checks, ranks], temporary


def _require(checks: Sequence[Check], job: BatchJob) -> None:
    problems = [check for check in checks if check.problem]
    if problems:
        raise TargetUnavailableError(
            f"target {job.target.name}: " + "; ".join(str(check.problem) for check in problems),
            hint="; ".join(check.hint for check in problems if check.hint) or None,
        )
