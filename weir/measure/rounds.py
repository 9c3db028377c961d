"""Batches of a session, one after the other or in rounds. One that cannot go on does not stop the others."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from weir.base.errors import WeirError, from_os_error
from weir.base.interrupts import was_interrupted
from weir.measure.batch import hold, take_turn
from weir.measure.clean_up.remains import clean_up_after_kills
from weir.measure.lock import Lock, machine_lock
from weir.measure.session import Session, SessionBatch


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
            progress.expect(sum(len(batch.missing()) for batch in self._batches if batch.can_go_on))
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
            if batch.todo() or batch.planned.launch_folder.exists():
                with self._errors_of(batch):
                    lock = machine_lock(batch.planned.target)
                    batch.lock = locks.setdefault(lock.path, lock)
                    found.append((self._until_first and number > 0, str(lock.path), batch))
        for is_other, _, batch in sorted(found, key=lambda each: each[:2]):
            assert batch.lock is not None
            with self._errors_of(batch):
                if batch.lock.descriptor < 0:
                    held.callback(batch.lock.release)
                hold(batch, batch.lock, is_patient=not is_other)

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
