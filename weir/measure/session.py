"""One start of weir: its batches, what it may do, and what has become of each execution so far.

A session reads the run files of a batch at its start, and again when it holds the lock of the target and has
recorded what a killed one left. From then on it knows what has run because its launches tell it: the disk is
written for whoever comes after a kill.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import InitVar, dataclass, field
from typing import Any

from weir.base.errors import WeirError
from weir.measure.executions import (
    Execution,
    Finished,
    PlannedBatch,
    Progress,
    Run,
    Width,
    added_round,
    read_finished,
    rounds_in_random_order,
)
from weir.measure.lock import Lock
from weir.measure.nodes.comparison import Slow
from weir.runs.ledger import Judge
from weir.site.schedulers import surrounding
from weir.terms.model import Cell


def end_of_allocation() -> float | None:
    """The end of the allocation in seconds since 1970; None outside of a job, and where the batch system does
    not report it."""
    system = surrounding(os.environ)
    return system.ends_at(os.environ) if system else None


@dataclass(eq=False)
class Session:
    """The state that all batches of one start share."""

    planned: InitVar[Sequence[PlannedBatch]]
    seed: int  # of the random order
    retry_failed: bool = False
    kept_since: float = math.inf  # what failed after it is not run again; in seconds since 1970
    ends_at: float | None = None  # when the allocation is over, in seconds since 1970
    wait_s: float = 0.0  # for another measurement of a target
    width_of: Width | None = None  # None: no rounds are added
    judge: Judge | None = None  # of a run that has ended; None: whoever reads its rows judges it
    progress: Progress = field(default_factory=Progress)
    batches: list[SessionBatch] = field(init=False)
    starts: set[object] = field(init=False, default_factory=set)  # shapes and programs whose ranks start well

    def __post_init__(self, planned: Sequence[PlannedBatch]) -> None:
        self.batches = [SessionBatch(one, self) for one in planned]


@dataclass(eq=False)
class SessionBatch:
    planned: PlannedBatch
    session: Session = field(repr=False)
    lock: Lock | None = None  # of the target, from the moment when it is taken
    finished: dict[Run, Finished] = field(init=False)
    kept: list[Run] = field(init=False)  # executions of the plan that are not measured again
    ran: list[Execution] = field(init=False, default_factory=list)  # in this session
    left: int = 0  # executions that the rest of the allocation is too short for
    unavailable: str | None = None  # why nothing was tried on an optional target
    error: WeirError | None = None  # why the batch could not go on
    slow_nodes: list[Slow] | None = None  # None: they were not compared
    elapsed_s: float = 0.0  # all in all
    has_remains: bool = False  # of a weir that was killed

    def __post_init__(self) -> None:
        self.load()

    def load(self) -> None:
        """Read what has run before this session."""
        self.finished = read_finished(self.planned.cells, self.planned.results)
        missing = {each.key for each in self.missing()}
        self.kept = [key for key in self._keys() if key not in missing]

    def take(self, execution: Execution, document: Mapping[str, Any]) -> Finished:
        """Note an execution that has just got its run file."""
        self.ran.append(execution)
        one = self.finished[execution.key] = Finished.of(document, math.inf)
        return one

    def missing(self, round: int | None = None) -> list[Execution]:
        """Executions of the plan that are to be measured, of one round or of all."""
        return rounds_in_random_order(
            self.planned.cells,
            self.session.seed,
            lambda cell, run: round not in (None, run) or self._is_done(cell, run),
        )

    def todo(self, round: int | None = None) -> list[Execution]:
        """The missing executions of the plan; then, round by round, the added ones."""
        is_planned = round is not None and round < self.planned.rounds
        return self.missing(round) or ([] if is_planned else self.added())

    def added(self) -> list[Execution]:
        """One more round of the cells whose intervals are too wide."""
        width_of = self.session.width_of
        cells = self.planned.cells
        return added_round(cells, self.finished, self.session.seed, width_of) if width_of else []

    def _is_done(self, cell: Cell, run: int) -> bool:
        """Whether the run is done; with retry_failed, a run that failed before is measured once more."""
        one, session = self.finished.get((cell.cell, run)), self.session
        if one is None:
            return False
        is_new = math.isinf(one.written_s) or one.written_s > session.kept_since
        return is_new or one.status == "done" or not session.retry_failed

    @property
    def can_go_on(self) -> bool:
        return self.error is None and self.unavailable is None

    @property
    def is_through(self) -> bool:
        """Whether each execution has succeeded and none is to be added."""
        is_done = self.successes == self.planned.executions and not self.failed
        return self.can_go_on and is_done and not self.left and not self.todo()

    @property
    def failed(self) -> list[Execution]:
        return [each for each in self.ran if self.finished[each.key].status != "done"]

    @property
    def done(self) -> int:
        """Executions of this session that succeeded."""
        return len(self.ran) - len(self.failed)

    @property
    def pace_s(self) -> float | None:
        """Time of an execution of this session on average; None before the first."""
        spent_s = sum(self.finished[each.key].elapsed_s for each in self.ran)
        return spent_s / len(self.ran) if self.ran else None

    @property
    def successes(self) -> int:
        """Executions of the plan that have succeeded, now or before."""
        return sum(key in self.finished and self.finished[key].status == "done" for key in self._keys())

    @property
    def first_failure(self) -> str | None:
        """The message of the execution of the plan that failed first; None where none has."""
        known = [self.finished[key] for key in self._keys() if key in self.finished]
        failed = [one for one in known if one.status != "done"]
        return min(failed, key=lambda one: one.ended or "").error if failed else None

    def _keys(self) -> list[Run]:
        return [(cell.cell, run) for cell in self.planned.cells for run in range(cell.rounds)]
