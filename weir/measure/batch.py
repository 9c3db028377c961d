"""One turn of a batch: prepare its target, run what is missing, always clean up."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from weir.base.errors import TargetUnavailableError, WeirError
from weir.base.processes import engines_of_others
from weir.base.storage_calls import HangsError, in_time
from weir.measure.clean_up.prepared_target import Guardian, on_target
from weir.measure.clean_up.remains import clean_up_after_kills
from weir.measure.command import Turn
from weir.measure.lock import Holder, Lock, machine_lock, take, this_process
from weir.measure.loop import run_all
from weir.measure.machine.servers import server_memory_bytes
from weir.measure.nodes.comparison import LEAST_NODES, Slow, names_of, probe_nodes, slow_nodes
from weir.measure.preflight import Check, look_at
from weir.measure.ranks import check_ranks, programs_of
from weir.measure.session import Execution, PlannedBatch, Progress, SessionBatch
from weir.measure.status import settle
from weir.runs.files import note_unavailable
from weir.site.schedulers import surrounding
from weir.tools.engine import PROGRAM as ENGINE


def hold(batch: SessionBatch, lock: Lock, is_patient: bool = True) -> None:
    """Become the holder of the target's lock for this batch, and record what a killed weir left of it."""
    planned, session = batch.planned, batch.session
    _take(planned, lock, session.wait_s, session.progress, is_patient)
    batch.lock = lock
    if planned.launch_folder.exists():
        batch.has_remains = True
        settle(planned.launch_folder, planned.results, session.judge)
    batch.load()


def take_turn(batch: SessionBatch, round: int | None) -> None:
    """Run what is missing of a round; of all rounds if it is None, and then what is added to them.

    This process holds the lock of the target. Raises WeirError when the batch as a whole cannot go on."""
    began_s = time.monotonic()
    try:
        if todo := batch.todo(round):
            _try(batch, todo, round)
        elif batch.has_remains:
            _remove_remains(batch)
        batch.has_remains = False
    finally:
        batch.elapsed_s += time.monotonic() - began_s


def preflight(planned: PlannedBatch, wait_s: float = 0.0) -> list[Check]:
    """The checks of a batch as it would be started, its target prepared for the time being."""
    progress = Progress()
    clean_up_after_kills(partial(_report, planned, progress))
    lock = machine_lock(planned.target)
    try:
        with on_target(planned, lock, _take(planned, lock, wait_s, progress)) as (guardian, token):
            return _checked(planned, guardian, token).checks
    finally:
        lock.release()


def _take(
    planned: PlannedBatch, lock: Lock, wait_s: float, progress: Progress, is_patient: bool = True
) -> Holder:
    """This process becomes the holder, or names this batch instead of another one on the same target. If that
    could not be cleaned up, its guardian has kept the lock."""
    own = this_process(planned.results, planned.batch)
    if lock.descriptor >= 0:
        lock.rename(own)
    else:
        take(lock, own, planned.target, wait_s, partial(_report, planned, progress), is_patient)
    return own


def _report(planned: PlannedBatch, progress: Progress, line: str) -> None:
    progress.report(f"{planned.batch}: {line}")


def _try(batch: SessionBatch, todo: Sequence[Execution], round: int | None) -> None:
    try:
        _measure(batch, todo, round)
    except TargetUnavailableError as error:
        if not batch.planned.target.optional:
            raise
        batch.unavailable = str(error.problems[0].message)
    note_unavailable(batch.planned.results, batch.planned.batch, batch.unavailable)


def _measure(batch: SessionBatch, todo: Sequence[Execution], round: int | None) -> None:
    planned, session = batch.planned, batch.session
    assert batch.lock is not None
    own = _take(planned, batch.lock, session.wait_s, session.progress)
    with on_target(planned, batch.lock, own) as (guardian, token):
        starts = {(planned.shape, start) for start in programs_of(planned.commands)}
        checked = _checked(planned, guardian, token, starts <= session.starts)
        _require(checked.checks, planned)
        session.starts.update(starts)
        batch.slow_nodes = _compare_nodes(batch)
        with _claimed(planned, guardian) as neighbours:
            facts, where = _facts(batch, neighbours), (checked.temporary, checked.servers)
            run_all(todo, Turn(batch, guardian, token, *where, facts), with_added=round is None)


def _facts(batch: SessionBatch, neighbours: Sequence[str]) -> dict[str, Any]:
    """The facts that each run.json of this turn has beside those of its node."""
    planned, scheduler = batch.planned, surrounding(os.environ)
    slow = batch.slow_nodes
    return {
        "slow_nodes": None if slow is None else [vars(item) for item in slow],
        "placement": scheduler.placement(planned.scheduler_options, os.environ) if scheduler else None,
        "server_memory_bytes": server_memory_bytes(planned.target.server_probe),
        "neighbours": list(neighbours),
    }


@contextlib.contextmanager
def _claimed(planned: PlannedBatch, guardian: Guardian) -> Iterator[list[str]]:
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
            planned.launch_folder.mkdir(parents=True, exist_ok=True)  # the next start removes what is left
            raise


def _remove_remains(batch: SessionBatch) -> None:
    """Remove the files of a weir that was killed after its last execution, or whose target had gone by then:
    they may be seen only on a target that is prepared."""
    planned, session = batch.planned, batch.session
    assert batch.lock is not None
    planned.launch_folder.mkdir(parents=True, exist_ok=True)  # if this fails, the next start tries again
    own = _take(planned, batch.lock, session.wait_s, session.progress)
    with on_target(planned, batch.lock, own) as (guardian, _):
        if in_time(Path(planned.target.path).is_dir, planned.target.path):
            with _claimed(planned, guardian):
                pass
    planned.launch_folder.rmdir()


def _compare_nodes(batch: SessionBatch) -> list[Slow] | None:
    """The same second of work on every node before the first cell: a slow one bends all numbers."""
    planned, progress = batch.planned, batch.session.progress
    nodes = planned.cells[0].nodes
    if nodes < LEAST_NODES:
        return None
    try:
        slow = slow_nodes(probe_nodes(planned.launcher, planned.stack, nodes, [planned.target.path]))
    except WeirError as error:
        _report(planned, progress, f"the nodes were not compared: {error}")
        return None
    if slow and planned.stop_for_slow_nodes:
        system = surrounding(os.environ)
        without = f"{system.excluding(names_of(slow))}, or " if system else ""
        raise WeirError("; ".join(map(str, slow)), hint=f"{without}write slow_nodes: report")
    for item in slow:
        _report(planned, progress, f"slow node {item}")
    return slow


@dataclass(frozen=True)
class _Checked:
    """The facts about a prepared target before it is claimed."""

    checks: list[Check]
    servers: Sequence[str] = ()
    temporary: Path | None = None  # for the files of launches; the guardian removes it


def _checked(
    planned: PlannedBatch, guardian: Guardian, token: str, are_ranks_known: bool = False
) -> _Checked:
    target, stack = planned.target, planned.stack
    checks, servers = in_time(lambda: look_at(planned.cells, target, stack, planned.any_kind), target.path)
    if any(check.problem for check in checks):
        return _Checked(checks)
    temporary = guardian.temporary()
    if not are_ranks_known:
        nodes, ppn, _, launcher = planned.shape
        programs = programs_of(planned.commands)
        checks = [*checks, check_ranks(nodes, ppn, stack, launcher, token, temporary, programs)]
    return _Checked(checks, servers, temporary)


def _require(checks: Sequence[Check], planned: PlannedBatch) -> None:
    problems = [check for check in checks if check.problem]
    if problems:
        raise TargetUnavailableError(
            f"target {planned.target.name}: " + "; ".join(str(check.problem) for check in problems),
            hint="; ".join(check.hint for check in problems if check.hint) or None,
        )
