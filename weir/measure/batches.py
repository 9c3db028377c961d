"""The loops of a measurement: batches one after the other or in rounds, each with turns on its target, and in
a turn launch by launch. A batch that cannot go on does not stop the others."""

import contextlib
import os
import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from weir.base.errors import TargetUnavailableError, WeirError, from_os_error
from weir.base.processes import engines_of_others, wall_s, was_interrupted
from weir.base.storage_calls import HangsError, in_time
from weir.measure.clean_up.prepared_target import Guardian, on_target
from weir.measure.clean_up.remains import clean_up_after_kills, settle
from weir.measure.command import Turn
from weir.measure.launch import LaunchLostError, run_launch
from weir.measure.lock import Holder, Lock, batch_locks, hold, machine_lock
from weir.measure.machine.servers import server_memory_bytes
from weir.measure.nodes import LEAST_NODES, compared
from weir.measure.preflight import Check, Checked, look_at
from weir.measure.ranks import check_ranks_of
from weir.measure.session import Execution, PlannedBatch, Progress, Session, SessionBatch
from weir.plan.cost import LAUNCH_EXECUTIONS
from weir.plan.model import fits
from weir.runs.files import note_unavailable, note_unavailable_some
from weir.site.schedulers import surrounding
from weir.tools.engine import PROGRAM as ENGINE

# So many launches that the batch system loses in a row end the batch, with a pause after each.
LAUNCHES_LOST = 4
LOST_PAUSE_S = 15.0


def measure_in_turn(session: Session) -> None:
    """All rounds of a batch in one turn, then the next batch."""
    for batch in session.batches:
        _Rounds(session, [batch]).measure([None])


def measure_in_rounds(
    session: Session, until_first: bool = False, between: Callable[[], None] = lambda: None
) -> None:
    """One round of each batch and then the next; no batch is always the first of a round.

    What changes meanwhile meets all of them alike. until_first: it ends when the first batch is through or
    cannot go on, whatever the others still lack. between: is called before the first round and after each,
    while no program runs.
    """
    batches = session.batches
    if until_first and not batches[0].todo():
        _Rounds(session, batches[:1]).measure([None])
        return
    _Rounds(session, batches, until_first).measure(range(_most_rounds(batches)), between)


def _most_rounds(batches: Sequence[SessionBatch]) -> int:
    """Added rounds of a batch follow its planned ones."""
    cells = [cell for batch in batches for cell in batch.planned.cells]
    planned = max((cell.rounds for cell in cells), default=0)
    return planned + max((cell.most_rounds - cell.rounds for cell in cells), default=0)


class _Rounds:
    """Batches that are measured together."""

    def __init__(self, session: Session, batches: Sequence[SessionBatch], until_first: bool = False) -> None:
        self._session, self._batches, self._until_first = session, batches, until_first

    def measure(self, rounds: Iterable[int | None], between: Callable[[], None] = lambda: None) -> None:
        """A round None is all of them."""
        progress, generator = self._session.progress, random.Random(self._session.seed)
        clean_up_after_kills(lambda line: progress.report(f"weir: {line}"))
        between()
        with contextlib.ExitStack() as held:
            self._hold(held)
            self._session.expect_missing(self._batches)
            for round in rounds:
                if self._until_first and self._is_through(round):
                    return
                before = self._ran
                for batch in generator.sample(self._batches, len(self._batches)):
                    if self._until_first and not self._batches[0].can_go_on:
                        return
                    if batch.can_go_on:
                        self._take_turn(batch, round)
                    if batch.left:
                        self._leave_the_rest()
                        return
                if self._ran > before:
                    between()

    @property
    def _ran(self) -> int:
        return sum(len(batch.ran) for batch in self._batches)

    def _is_through(self, round: int | None) -> bool:
        """Whether all planned rounds of the first batch are before this one, and no more is added."""
        first = self._batches[0]
        return round is not None and round >= first.planned.rounds and not first.todo(round)

    def _hold(self, held: contextlib.ExitStack) -> None:
        """The locks of the targets, until the end: nobody takes a target between two rounds.

        Two processes must never wait for each other. So all take the locks in one order; until_first, that of
        the first batch is the first, and no other is waited for.
        """
        locks: dict[Path, Lock] = {}
        found: list[tuple[bool, str, SessionBatch]] = []
        for number, batch in enumerate(self._batches):
            if batch.needs_its_target:
                with self._errors_of(batch):
                    batch.locks = batch_locks(batch.planned.target, batch.planned.launch_folder, locks)
                    found.append((self._until_first and number > 0, str(batch.locks[0].path), batch))
        for is_other, _, batch in sorted(found, key=lambda each: each[:2]):
            with self._errors_of(batch):
                for lock in batch.locks:
                    if lock.descriptor < 0:
                        held.callback(lock.release)
                _hold_for(batch, is_patient=not is_other)

    def _take_turn(self, batch: SessionBatch, round: int | None) -> None:
        todo, progress = batch.todo(round), self._session.progress
        if not todo and not batch.has_remains:
            return
        progress.expect(sum(each.run >= each.cell.rounds for each in todo))
        with self._errors_of(batch):
            take_turn(batch, round)
        if not batch.can_go_on:
            progress.expect(-len(batch.missing()))

    @contextlib.contextmanager
    def _errors_of(self, batch: SessionBatch) -> Iterator[None]:
        """A batch that cannot go on has its error; an interrupt ends all."""
        try:
            yield
        except (WeirError, OSError) as error:
            if was_interrupted(error):
                self._session.progress.report(f"weir: {batch.planned.batch}: {error}")
                raise KeyboardInterrupt from error
            batch.error = error if isinstance(error, WeirError) else from_os_error(error)

    def _leave_the_rest(self) -> None:
        """The allocation is too short: what no round has reached is left, too."""
        for batch in self._batches:
            if batch.unavailable is None:
                batch.left = max(len(batch.missing()), batch.left)


def _hold_for(batch: SessionBatch, is_patient: bool = True) -> None:
    """Become the holder of the locks for this batch, and record what a killed weir left of it."""
    planned, session = batch.planned, batch.session
    _take(planned, batch.locks, session.wait_s, session.progress, is_patient)
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


def _take(
    planned: PlannedBatch, locks: Sequence[Lock], wait_s: float, progress: Progress, is_patient: bool = True
) -> Holder:
    report = partial(_report, planned, progress)
    return hold(locks, planned.target, planned.results, planned.batch, wait_s, report, is_patient)


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
    own = _take(planned, batch.locks[:1], session.wait_s, session.progress)
    with on_target(planned, batch.locks, own) as (guardian, token):
        checked = _checked(planned, guardian, token, session.starts)
        _require(checked.checks, planned)
        if _excludes(batch, checked.checks):
            todo = batch.todo(round)
        nodes, stack, launcher = planned.cells[0].nodes, planned.stack, planned.launcher
        if nodes >= LEAST_NODES:
            report, stops = partial(_report, planned, session.progress), planned.stop_for_slow_nodes
            batch.slow_nodes = compared(launcher, stack, nodes, planned.target.path, stops, report)
        with _claimed(planned, guardian) as neighbours:
            facts, where = _facts(batch, neighbours), (checked.temporary, checked.servers)
            run_all(todo, Turn(batch, guardian, token, *where, facts), with_added=round is None)


def _excludes(batch: SessionBatch, checks: Sequence[Check]) -> bool:
    """Whether cells are unavailable that were not known to be: the batch then has less to do. It is noted
    which they are, and that the batch itself is available."""
    reasons = {cell: str(check.problem) for check in checks for cell in check.cells}
    is_news = reasons != batch.unavailable_cells
    if is_news:
        batch.exclude(reasons)
    if is_news or not batch.ran:
        planned = batch.planned
        names = [planned.batch, *(cell.cell for cell in planned.cells)]
        note_unavailable_some(planned.results, names, reasons)
    return is_news


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
        except BaseException:  # an interrupt: the target must not go while the guardian removes
            guardian.clean()
            raise


def _remove_remains(batch: SessionBatch) -> None:
    """Remove the files of a weir that was killed after its last execution, or whose target had gone by then:
    they may be seen only on a target that is prepared."""
    planned, session = batch.planned, batch.session
    planned.launch_folder.mkdir(parents=True, exist_ok=True)  # if this fails, the next start tries again
    own = _take(planned, batch.locks[:1], session.wait_s, session.progress)
    with on_target(planned, batch.locks, own) as (guardian, _):
        if in_time(Path(planned.target.path).is_dir, planned.target.path):
            with _claimed(planned, guardian):
                pass
    planned.launch_folder.rmdir()


def _checked(planned: PlannedBatch, guardian: Guardian, token: str, starts: set[object]) -> Checked:
    """starts: the shapes and programs of which ranks have started well before."""
    checked = look_at(planned.cells, planned.target, planned.stack, planned.any_kind, guardian.temporary)
    if any(check.stops for check in checked.checks):
        return checked
    ranks = check_ranks_of(planned, starts, token, checked.temporary)
    return replace(checked, checks=[*checked.checks, ranks]) if ranks else checked


def _require(checks: Sequence[Check], planned: PlannedBatch) -> None:
    problems = [check for check in checks if check.stops]
    if problems:
        raise TargetUnavailableError(
            f"target {planned.target.name}: " + "; ".join(str(check.problem) for check in problems),
            hint="; ".join(check.hint for check in problems if check.hint) or None,
        )


def run_all(todo: Sequence[Execution], turn: Turn, with_added: bool = False) -> None:
    """Each launch runs at least its first execution, so this ends: failed ones are tried once, and each added
    round runs each of its cells once. batch.left counts what does not fit the rest of the allocation."""
    batch, left = turn.batch, list(todo)
    lost = 0
    while left:
        before, pace_s = len(batch.ran), _pace_s(batch)
        # The first one of all always runs: with the same limits it would not fit the next allocation either.
        fitting = _fitting(left, batch.session.ends_at, pace_s) or (left[:1] if pace_s is None else [])
        if not fitting:
            batch.left = len(left)
            return
        try:
            run_launch(fitting, turn)
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
        if with_added and not left:
            left = batch.todo()
            batch.session.progress.expect(len(left))


def _wait_for_the_batch_system(reason: LaunchLostError, times: int, progress: Progress) -> None:
    """A controller that restarts is back in a moment; one that stays away ends the batch."""
    if times >= LAUNCHES_LOST:
        raise WeirError(
            f"the batch system failed {times} launches in a row: {reason}",
            hint="run again: finished runs are kept",
        ) from None
    progress.report(f"weir: {reason}; trying again in {LOST_PAUSE_S:g} s")
    time.sleep(LOST_PAUSE_S)


def _pace_s(batch: SessionBatch) -> float | None:
    """Time of an execution of this session on average; None before the first."""
    spent_s = sum(batch.finished[each.key].elapsed_s for each in batch.ran)
    return spent_s / len(batch.ran) if batch.ran else None


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


def preflight(planned: PlannedBatch, wait_s: float = 0.0) -> list[Check]:
    """The checks of a batch as it would be started, its target prepared for the time being."""
    progress = Progress()
    clean_up_after_kills(partial(_report, planned, progress))
    lock = machine_lock(planned.target)
    try:
        with on_target(planned, [lock], _take(planned, [lock], wait_s, progress)) as (guardian, token):
            return _checked(planned, guardian, token, set()).checks
    finally:
        lock.release()
