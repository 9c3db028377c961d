"""The only loop over executions: launch by launch, until all have run or the allocation ends."""

from __future__ import annotations

import itertools
import time
from collections.abc import Sequence

from weir.base.clock import wall_s
from weir.base.errors import WeirError
from weir.measure.clean_up.directories import EnvironmentFaultError
from weir.measure.command import Turn
from weir.measure.launch import LaunchLostError, run_launch
from weir.measure.session import Execution, Progress
from weir.plan.cost import LAUNCH_EXECUTIONS
from weir.plan.model import fits

# So many launches that the batch system loses in a row end the batch, with a pause after each.
LAUNCHES_LOST = 4
LOST_PAUSE_S = 15.0


def run_all(todo: Sequence[Execution], turn: Turn, with_added: bool = False) -> None:
    """Each launch runs at least its first execution, so this ends: failed ones are tried once, and each added
    round runs each of its cells once. batch.left counts what does not fit the rest of the allocation."""
    batch, left = turn.batch, list(todo)
    lost = 0
    while left:
        before, pace_s = len(batch.ran), batch.pace_s
        # The first one of all always runs: with the same limits it would not fit the next allocation either.
        fitting = _fitting(left, batch.session.ends_at, pace_s) or (left[:1] if pace_s is None else [])
        if not fitting:
            batch.left = len(left)
            return
        engine = turn.engine(fitting[0])
        together = _sharing(fitting, engine, turn) if engine else fitting[:1]
        try:
            run_launch(together, engine, turn)
            lost = 0
        except LaunchLostError as loss:
            lost += 1
            _wait_for_the_batch_system(loss, lost, batch.session.progress)
        ran = {each.key for each in batch.ran[before:]}
        if not ran and not lost:
            runs = turn.planned.results / "runs"
            raise WeirError(
                f"the outputs of a launch are gone from {runs}", hint="let nothing delete there; run again"
            )
        left = [each for each in left if each.key not in ran]
        has_failed = any(batch.finished[key].status != "done" for key in ran)
        if has_failed and (reason := turn.guardian.fault()):
            raise EnvironmentFaultError(reason)
        if with_added and not left:
            left = batch.added()
            batch.session.progress.expect(len(left))


def _sharing(fitting: Sequence[Execution], engine: tuple[str, ...], turn: Turn) -> list[Execution]:
    """The first ones, as far as this weir-io runs them all in one launch."""
    return list(itertools.takewhile(lambda each: turn.engine(each) == engine, fitting))


def _wait_for_the_batch_system(reason: LaunchLostError, times: int, progress: Progress) -> None:
    """A controller that restarts is back in a moment; one that stays away ends the batch."""
    if times >= LAUNCHES_LOST:
        raise WeirError(
            f"the batch system failed {times} launches in a row: {reason}",
            hint="run again: finished runs are kept",
        ) from None
    progress.report(f"weir: {reason}; trying again in {LOST_PAUSE_S:g} s")
    time.sleep(LOST_PAUSE_S)


def _fitting(left: Sequence[Execution], ends_at: float | None, pace_s: float | None) -> list[Execution]:
    """The executions that end before the allocation does, one after the other, even if the last needs its
    limit. The others are expected to take twice what those before them took; before anything is known, their
    limits."""
    chosen: list[Execution] = []
    expected_s = 0.0
    now = wall_s()
    for each in left:
        limit_s = each.cell.timeout_s
        if len(chosen) < LAUNCH_EXECUTIONS and fits(expected_s + limit_s, now, ends_at):
            chosen.append(each)
            expected_s += limit_s if pace_s is None else min(limit_s, 2 * pace_s)
    return chosen


__all__ = ["LAUNCH_EXECUTIONS", "run_all"]
