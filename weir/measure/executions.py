"""A batch of a plan, with the target, stack and launcher that its names stand for, and executions of its
cells: how each ended, which are left, in which order they run, and the line of each that shows how much time
is left.

Every cell runs once in a round, and each round has a random order of its own. A drift of the system then hits
all cells alike instead of those that happen to come last, and the seed in each run file lets anyone see the
order again. Rounds are added for cells whose intervals are wider than requested.
"""

from __future__ import annotations

import itertools
import random
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weir.base.errors import WeirError
from weir.base.units import about_duration
from weir.runs.files import ended_at, read_run_file
from weir.terms.model import Cell, Stack, Target, Until

if TYPE_CHECKING:  # a guardian, one for each turn of a batch, starts sooner without the planner
    from weir.plan.model import Batch, Plan


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

    @property
    def executions(self) -> int:
        return sum(cell.rounds for cell in self.cells)

    @property
    def shape(self) -> tuple[int, int, str, str]:
        """The values that decide where ranks start; all cells of a batch have the same nodes and ranks."""
        return self.cells[0].nodes, self.cells[0].ppn, self.stack.name, self.launcher

    @property
    def commands(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Tool and command of each program that measures a cell."""
        return tuple(dict.fromkeys((cell.tool, self.stack.program_of(cell)) for cell in self.cells))


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

    @classmethod
    def of(cls, document: Mapping[str, Any], written_s: float) -> Finished:
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
