"""One start of weir: its batches with what their names in the plan stand for, and how each execution ended.

A session reads the run files of a batch at its start, and again when it holds the lock of the target and has
recorded what a killed one left. From then on it knows what has run because its launches tell it: the disk is
written for whoever comes after a kill.

Every cell runs once in a round, and each round has a random order of its own. A drift of the system then hits
all cells alike instead of those that happen to come last, and the seed in each run file lets anyone see the
order again. Rounds are added for cells whose intervals are wider than requested.
"""

import itertools
import math
import os
import random
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import InitVar, dataclass, field
from pathlib import Path
from typing import Any

from weir.base.errors import WeirError
from weir.base.processes import without_terminal
from weir.base.units import about_duration
from weir.measure.lock import Lock
from weir.measure.nodes import Slow
from weir.plan.model import Batch, Plan
from weir.records.model import Cell, Stack, Target, Until
from weir.runs.files import ended_at, read_run_file
from weir.runs.ledger import Judge, finish_ended
from weir.site.schedulers import surrounding


@dataclass(frozen=True)
class PlannedBatch:
    """Cells of one shape, where they measure, what runs them, and where their runs go."""

    batch: str
    cells: Sequence[Cell]
    target: Target
    stack: Stack
    launcher: str
    results: Path  # results/<site>
    stop_for_slow_nodes: bool = False
    scheduler_options: Sequence[str] = ()
    any_kind: bool = False  # measure also where the target's kind is not that of its file system

    @property
    def launch_folder(self) -> Path:
        """The folder in which a killed launch leaves files for the next start."""
        return self.results / "launches" / self.batch

    @property
    def rounds(self) -> int:
        """Rounds of the plan; added ones come after them."""
        return max((cell.rounds for cell in self.cells), default=0)


def planned_batch(plan: Plan, batch: Batch, results: Path, any_kind: bool = False) -> PlannedBatch:
    """The batch with the objects of its plan."""
    site, partition = plan.site, plan.site.partitions[batch.partition]
    return PlannedBatch(
        batch=batch.batch,
        cells=batch.cells,
        target=site.targets[batch.target],
        stack=site.stacks[batch.stack],
        launcher=partition.launcher,
        results=results,
        stop_for_slow_nodes=partition.slow_nodes == "stop",
        scheduler_options=partition.scheduler_options,
        any_kind=any_kind,
    )


Run = tuple[str, int]  # cell and round
Experiment = tuple[str, str]  # suite and name
Width = Callable[[Cell], float | None]  # of the interval of a cell


@dataclass(frozen=True)
class Execution:
    """One execution to do: run is the round it belongs to, position its context in this session's order."""

    cell: Cell
    run: int
    position: int

    @property
    def key(self) -> Run:
        return self.cell.cell, self.run


@dataclass(frozen=True)
class Finished:
    """The end of an execution, as its run.json has it."""

    status: str
    error: str | None
    elapsed_s: float
    ended: str | None  # date and time
    written_s: float  # when its run.json was written, since 1970

    @property
    def is_success(self) -> bool:
        return self.status == "done"

    @classmethod
    def of(cls, document: Mapping[str, Any], written_s: float) -> "Finished":
        return cls(
            document.get("status", ""),
            document.get("error"),
            float(document.get("elapsed_s") or 0.0),
            document.get("ended"),
            written_s,
        )


def read_finished(cells: Sequence[Cell], results: Path) -> dict[Run, Finished]:
    """Planned executions that have a sound run file, and added ones up to the first gap."""
    found: dict[Run, Finished] = {}
    for cell in cells:
        for run in itertools.count():
            one = _read(results, cell.cell, run)
            if one is not None:
                found[cell.cell, run] = one
            elif run >= cell.rounds:
                break
    return found


def _read(results: Path, cell: str, run: int) -> Finished | None:
    """A damaged run file is none: its execution is measured again."""
    try:
        document = read_run_file(results, cell, run)
    except WeirError:
        return None
    return None if document is None else Finished.of(document, ended_at(results, cell, run) or 0.0)


def rounds_in_random_order(
    cells: Sequence[Cell], seed: int, is_done: Callable[[Cell, int], bool]
) -> list[Execution]:
    """The executions that are left, round by round; finished ones take part in the draw but are not
    listed."""
    generator = random.Random(seed)
    rounds = max((cell.rounds for cell in cells), default=0)
    todo: list[tuple[Cell, int]] = []
    for round in range(rounds):
        members = [cell for cell in cells if round < cell.rounds]
        generator.shuffle(members)
        todo.extend((cell, round) for cell in members if not is_done(cell, round))
    return [Execution(cell, run, position) for position, (cell, run) in enumerate(todo)]


@dataclass(frozen=True)
class _Wide:
    """A cell that needs more rounds."""

    cell: Cell
    runs: int  # finished so far
    excess: float  # width divided by the requested one
    pace_s: float  # time of a run


def added_round(
    cells: Sequence[Cell], finished: Mapping[Run, Finished], seed: int, width_of: Width
) -> list[Execution]:
    """One more run of each cell whose interval is still too wide, in random order; of the widest ones if the
    rest of the budget is too small for all. Empty: all are narrow enough, or budget or rounds are used up.

    The time spent is that of all finished runs, so that an interrupted campaign continues where it stopped.
    """
    wide = sorted(_wide(cells, finished, width_of), key=lambda item: item.excess, reverse=True)
    left_s = _budgets(cells, finished)
    chosen = []
    for item in wide:
        experiment = (item.cell.suite, item.cell.experiment)
        if item.pace_s <= left_s.get(experiment, float("inf")):
            chosen.append(item)
            if experiment in left_s:
                left_s[experiment] -= item.pace_s
    chosen.sort(key=lambda item: item.cell.cell)
    random.Random(f"{seed} {sum(item.runs for item in chosen)}").shuffle(chosen)
    return [Execution(item.cell, item.runs, position) for position, item in enumerate(chosen)]


def _wide(cells: Sequence[Cell], finished: Mapping[Run, Finished], width_of: Width) -> Iterator[_Wide]:
    for cell in cells:
        if cell.until is None:
            continue
        runs = _count(cell, finished)
        width = width_of(cell) if runs < cell.most_rounds else None
        if width is not None and width > cell.until.half_width:
            spent_s = _spent_s(cell, range(runs), finished)
            yield _Wide(cell, runs, width / cell.until.half_width, spent_s / max(1, runs))


def _count(cell: Cell, finished: Mapping[Run, Finished]) -> int:
    """Runs that ended, well or badly, without a gap."""
    return next(run for run in itertools.count() if (cell.cell, run) not in finished)


def _budgets(cells: Sequence[Cell], finished: Mapping[Run, Finished]) -> dict[Experiment, float]:
    """The rest of the budget of each experiment for this batch."""
    left_s: dict[Experiment, float] = defaultdict(float)
    for cell in cells:
        until: Until | None = cell.until
        if until is not None and until.budget_s is not None:
            spent_s = _spent_s(cell, range(cell.rounds, _count(cell, finished)), finished)
            left_s[cell.suite, cell.experiment] += until.budget_s * until.share - spent_s
    return dict(left_s)


def _spent_s(cell: Cell, runs: Iterable[int], finished: Mapping[Run, Finished]) -> float:
    return sum(finished[cell.cell, run].elapsed_s for run in runs)


class Progress:
    """Counts executions; the time left is from the mean of those done so far, since the order is random."""

    def __init__(self, file: Path | None = None) -> None:
        """Writes to a file that whoever waits follows, because ReFrame in between keeps stderr to itself;
        else to stderr."""
        self._file = file
        self._total = self._done = 0
        self._started = 0.0

    def report(self, line: str) -> None:
        """A line beside those of executions. The file is made by the first."""
        try:
            with self._file.open("a", encoding="utf-8") if self._file else nullcontext(sys.stderr) as stream:
                print(line, file=stream, flush=True)
        except OSError:
            with without_terminal():
                print(line, file=sys.stderr, flush=True)

    def expect(self, more: int) -> None:
        """Executions come, or (below zero) a batch cannot go on."""
        if not self._total:
            self._started = time.monotonic()
        self._total += more

    def step(self, title: str, execution: Execution, ending: str, elapsed_s: float) -> None:
        self._done += 1
        spent = time.monotonic() - self._started
        left = spent / self._done * (self._total - self._done)
        width = len(str(self._total))
        count = f"{title} [{self._done:{width}}/{self._total}]"
        line = f"{count} {execution.cell.point}: {ending} in {elapsed_s:.1f} s"
        self.report(f"{line}, {about_duration(left)} left")


def _end_of_allocation() -> float | None:
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
    ends_at: float | None = None  # in seconds since 1970; None: when the allocation is over, if that is known
    wait_s: float = 0.0  # for another measurement of a target
    width_of: Width | None = None  # None: no rounds are added
    judge: Judge | None = None  # of a run that has ended; None: whoever reads its rows judges it
    progress_file: InitVar[Path | None] = None  # a line for each execution is appended to it; None: to stderr
    progress: Progress = field(init=False)
    batches: list["SessionBatch"] = field(init=False)
    starts: set[object] = field(init=False, default_factory=set)  # shapes and programs whose ranks start well

    def __post_init__(self, planned: Sequence[PlannedBatch], progress_file: Path | None) -> None:
        self.progress = Progress(progress_file)
        if self.ends_at is None:
            self.ends_at = _end_of_allocation()
        for results in {one.results for one in planned}:
            finish_ended(results)
        self.batches = [SessionBatch(one, self) for one in planned]

    @classmethod
    def of_plan(
        cls, plan: Plan, batches: Iterable[Batch], results: Path, any_kind: bool = False, **settings: Any
    ) -> "Session":
        return cls([planned_batch(plan, batch, results, any_kind) for batch in batches], **settings)

    def expect_missing(self, batches: Iterable["SessionBatch"]) -> None:
        """Count what the plan lacks of these batches, for the time that is left."""
        self.progress.expect(sum(len(batch.missing()) for batch in batches if batch.can_go_on))


@dataclass(eq=False)
class SessionBatch:
    planned: PlannedBatch
    session: Session = field(repr=False)
    locks: list[Lock] = field(default_factory=list)  # of the target, then of the launches
    finished: dict[Run, Finished] = field(init=False)
    kept: list[Run] = field(init=False)  # executions of the plan that are not measured again
    ran: list[Execution] = field(init=False, default_factory=list)  # in this session
    failed: list[Execution] = field(init=False, default_factory=list)  # of them
    done: int = field(init=False, default=0)  # of them, that succeeded
    left: int = 0  # executions that the rest of the allocation is too short for
    unavailable: str | None = None  # why nothing was tried on an optional target
    unavailable_cells: Mapping[str, str] = field(default_factory=dict)  # reasons, by cell
    error: WeirError | None = None  # why the batch could not go on
    slow_nodes: list[Slow] | None = None  # None: they were not compared
    elapsed_s: float = 0.0  # all in all
    has_remains: bool = False  # of a weir that was killed
    needs_its_target: bool = field(init=False)  # something is to be measured there, or remains are

    def __post_init__(self) -> None:
        self.load()

    def load(self) -> None:
        """Read what has run before this session, and what is left."""
        self.finished = read_finished(self.planned.cells, self.planned.results)
        missing = {each.key for each in self.missing()}
        planned = ((cell.cell, run) for cell in self.planned.cells for run in range(cell.rounds))
        self.kept = [key for key in planned if key not in missing]
        self.needs_its_target = self.planned.launch_folder.exists() or bool(self.todo())

    def exclude(self, reasons: Mapping[str, str]) -> None:
        """Note cells that the programs here cannot measure: none of their executions is to be measured."""
        before = len(self.missing())
        self.unavailable_cells = reasons
        self.session.progress.expect(len(self.missing()) - before)

    def take(self, execution: Execution, document: Mapping[str, Any]) -> Finished:
        """Note an execution that has just got its run file."""
        self.ran.append(execution)
        self.finished[execution.key] = one = Finished.of(document, math.inf)
        if one.is_success:
            self.done += 1
        else:
            self.failed.append(execution)
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
        cells = [cell for cell in self.planned.cells if cell.cell not in self.unavailable_cells]
        return added_round(cells, self.finished, self.session.seed, width_of) if width_of else []

    def _is_done(self, cell: Cell, run: int) -> bool:
        """Whether the run is done, or cannot be; with retry_failed, a run that failed before is measured once
        more."""
        if cell.cell in self.unavailable_cells:
            return True
        one, session = self.finished.get((cell.cell, run)), self.session
        if one is None:
            return False
        is_new = math.isinf(one.written_s) or one.written_s > session.kept_since
        return is_new or one.is_success or not session.retry_failed

    @property
    def can_go_on(self) -> bool:
        return self.error is None and self.unavailable is None
