"""The progress of a study: counts, rates and the time left of each batch, from the files of its runs alone.

Whoever sees the file system can follow it: the terminal that started it, another one, a login node.
"""

import contextlib
import math
import statistics
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from weir.base.errors import WeirError
from weir.collect.judged import collect_cell
from weir.collect.parsed_runs import Run, tool_of
from weir.measure.handover import Handover, workflow_runs
from weir.measure.launch import OUTPUT_FILES, STATUS_FILE, StatusLine, read_status
from weir.plan import Batch, Plan
from weir.records.columns import checked
from weir.records.model import Cell, Row
from weir.runs.files import (
    RUN_FILE,
    is_finished,
    read_run_file,
    run_folder,
    unavailable_names,
    why_unavailable,
)

Execution = tuple[Cell, int]  # a cell and its round


@dataclass(frozen=True)
class EndedExecution:
    """An execution that ended, for whoever keeps what it measured. rows are not judged while its launch goes
    on: then there is no run."""

    batch: Batch
    cell: Cell
    number: int
    rows: Sequence[Row]
    run: Run | None = None


# A new run is audited once, so many at a look: a look stays short where 100,000 runs are there already.
MOST_AUDITED = 200


@dataclass(eq=False)  # batches in turns refer to each other
class BatchProgress:
    """The progress of one batch."""

    batch: Batch
    state: str = "waiting"  # waiting, running, finished, skipped, failed
    reason: str = ""
    done: int = 0
    failed: int = 0
    degraded: int = 0  # executions with a record that is DEGRADED and none that is INVALID
    invalid: int = 0  # executions with an INVALID record
    unavailable: int = 0  # executions for which the programs here lack something: they are not to come
    elapsed_s: list[float] = field(default_factory=list)
    rates_mib_s: dict[str, float] = field(default_factory=dict)  # of the last execution, by access
    last_ended: float = 0.0
    in_launch: list[StatusLine] = field(default_factory=list)  # ended, in a launch that goes on
    # The batches that are measured in turns, this one among them: one list for all of them.
    in_turns: list["BatchProgress"] = field(default_factory=list, repr=False)

    @property
    def beside(self) -> list["BatchProgress"]:
        """The batches in turns with this one while both run."""
        mates = self.in_turns if self.state == "running" else []
        return [mate for mate in mates if mate.state == "running" and mate is not self]

    @property
    def executions(self) -> int:
        """The number of executions that are to be measured here."""
        return self.batch.executions - self.unavailable

    @property
    def ended(self) -> int:
        return self.done + len(self.in_launch)

    @property
    def failures(self) -> int:
        return self.failed + sum(line.exit_code != 0 for line in self.in_launch)

    @property
    def left(self) -> int:
        return self.executions - self.ended

    def time_left_s(self) -> tuple[float, float, float]:
        """Expected, and what it lies between; batches that are measured in turns end together."""
        of_each = [one.own_time_left_s() for one in (self, *self.beside)]
        expected, low, high = (sum(column) for column in zip(*of_each, strict=True))
        return expected, low, high

    def own_time_left_s(self) -> tuple[float, float, float]:
        """The time left, with a range, from the executions so far; before them from the plan.

        The order is random, so the rest is like the sample: the interval is that of a sum of `left` draws
        whose mean is itself known from the `ended` ones, at two standard deviations.
        """
        elapsed_s = self.elapsed_s + [line.elapsed_s for line in self.in_launch]
        if len(elapsed_s) < 2:
            share = self.left / self.executions if self.executions else 0.0
            low, high = self.batch.low_s * share, self.batch.high_s * share
            return math.sqrt(low * high), low, high
        mean, spread = statistics.fmean(elapsed_s), statistics.stdev(elapsed_s)
        expected = mean * self.left
        margin = 2 * spread * math.sqrt(self.left + self.left**2 / len(elapsed_s))
        return expected, max(0.0, expected - margin), expected + margin


class StudyProgress:
    """A plan and the folder of its study; look() brings the batches up to date."""

    def __init__(
        self, plan: Plan, folder: Path, ended: Callable[[EndedExecution], None] | None = None
    ) -> None:
        self._folder, self._results = folder, folder.parent
        self._ended = ended or (lambda _: None)
        self._every_row = ended is not None
        self.batches = [BatchProgress(batch) for batch in plan.batches]
        groups: dict[object, list[BatchProgress]] = defaultdict(list)
        for one in self.batches:
            if (group := plan.turns_of(one.batch)) is not None:
                one.in_turns = groups[group]
                one.in_turns.append(one)
        self._queued = {name for name, one in plan.site.partitions.items() if one.scheduler != "local"}
        self._missing = {one.batch.batch: _executions(one.batch) for one in self.batches}
        self._status: list[StatusLine] = []
        self._unavailable: set[str] = set()
        self._failed: list[tuple[BatchProgress, Execution, int]] = []  # with the time of its run.json
        self._unaudited: deque[tuple[BatchProgress, Execution]] = deque()

    def look(self) -> None:
        self._forget_repeated()
        files = (self._results / "launches").glob(f"*/{STATUS_FILE}")
        self._status = [line for file in files for line in read_status(file)]
        self._unavailable = unavailable_names(self._results)
        for one in self.batches:
            self._look_at(one)
        self._look_beside()
        for _ in range(min(MOST_AUDITED, len(self._unaudited))):
            self._audit(*self._unaudited.popleft())

    @property
    def unread(self) -> int:
        """Runs that no look has audited yet."""
        return len(self._unaudited)

    def _look_at(self, one: BatchProgress) -> None:
        missing: list[Execution] = []
        for item in self._missing[one.batch.batch]:
            if is_finished(self._results, item[0].cell, item[1]):
                one.done += 1
                self._unaudited.append((one, item))
            else:
                missing.append(item)
        self._missing[one.batch.batch] = missing
        one.unavailable = sum(cell.cell in self._unavailable for cell, _ in missing)
        self._look_into_launches(one, missing)
        one.state, one.reason = self._state(one)

    def _look_beside(self) -> None:
        """The job of one batch measures those that wait for theirs in turns with it."""
        measuring = [one for one in self.batches if one.state == "running" or self._job_goes_on(one)]
        groups = {id(one.in_turns) for one in measuring}
        for one in self.batches:
            if one.state == "waiting" and one.left and id(one.in_turns) in groups:
                one.state = "running"

    def _job_goes_on(self, one: BatchProgress) -> bool:
        """Whether the job goes on after the batch: it completes the round of the batches in turns with it."""
        handover = Handover.of(self._folder, one.batch.batch)
        return handover.log.exists() and not (handover.receipt.exists() or handover.errors.exists())

    def _look_into_launches(self, one: BatchProgress, missing: Sequence[Execution]) -> None:
        """Executions of one launch get their run files when it ends; its status lists those that ended."""
        names = {f"{cell.cell}-{number:03d}": (cell, number) for cell, number in missing}
        lines = [line for line in self._status if line.name in names]
        if len(lines) > len(one.in_launch):
            new = lines[len(one.in_launch) if self._every_row else -1 :]
            for line in new:
                self._look_at_output(one, names[line.name])
        one.in_launch = lines

    def _look_at_output(self, one: BatchProgress, item: Execution) -> None:
        cell, number = item
        folder = run_folder(self._results, cell.cell, number)
        outputs = {role: folder / file for role, file in OUTPUT_FILES.items() if (folder / file).is_file()}
        rows = list(_readable(_printed_rows(cell, outputs)))
        one.rates_mib_s = _rates(rows)
        one.last_ended = max(one.last_ended, _last_written(outputs.values()))
        self._ended(EndedExecution(one.batch, cell, number, rows))

    def _forget_repeated(self) -> None:
        """A failed execution that runs once more is missing again."""
        repeated = [each for each in self._failed if self._written_ns(each[1]) != each[2]]
        self._failed = [each for each in self._failed if each not in repeated]
        for one, item, _ in repeated:
            one.done, one.failed = one.done - 1, one.failed - 1
            self._missing[one.batch.batch].append(item)

    def _written_ns(self, item: Execution) -> int:
        try:
            return (run_folder(self._results, item[0].cell, item[1]) / RUN_FILE).stat().st_mtime_ns
        except OSError:
            return 0

    def _state(self, one: BatchProgress) -> tuple[str, str]:
        handover = Handover.of(self._folder, one.batch.batch)
        if one.done == one.executions and (handover.receipt.exists() or one.failed == 0):
            return "finished", ""
        if handover.receipt.exists():
            reason = why_unavailable(self._results, one.batch.batch)
            return ("skipped", reason) if reason else ("waiting", "")
        if handover.errors.exists():
            again = one.batch.partition in self._queued and workflow_runs(self._folder.resolve())
            return "waiting" if again else "failed", "; ".join(handover.reasons())
        return ("running", "") if handover.log.exists() else ("waiting", "")

    def _audit(self, one: BatchProgress, item: Execution) -> None:
        cell, number = item
        try:
            document = read_run_file(self._results, cell.cell, number) or {}
        except WeirError:
            document = {}
        run = Run(run_folder(self._results, cell.cell, number), document)
        if document.get("status") != "done":
            one.failed += 1
            self._failed.append((one, item, self._written_ns(item)))
            if self._every_row:
                rows = list(_readable(collect_cell(cell, [run], self._results)))
                self._ended(EndedExecution(one.batch, cell, number, rows, run))
            return
        one.elapsed_s.append(float(document.get("elapsed_s") or 0.0))
        rows = list(_readable(collect_cell(cell, [run], self._results)))
        self._ended(EndedExecution(one.batch, cell, number, rows, run))
        verdicts = {row["verdict"] for row in rows}
        one.invalid += "INVALID" in verdicts
        one.degraded += "DEGRADED" in verdicts and "INVALID" not in verdicts
        ended = run.folder.stat().st_mtime
        if ended >= one.last_ended:
            one.last_ended = ended
            one.rates_mib_s = _rates(rows)


def _executions(batch: Batch) -> list[Execution]:
    return [(cell, run) for cell in batch.cells for run in range(cell.rounds)]


def _last_written(files: Iterable[Path]) -> float:
    """The latest change in seconds since 1970; a run that is tried again may just have been set aside."""
    latest = 0.0
    for file in files:
        with contextlib.suppress(OSError):
            latest = max(latest, file.stat().st_mtime)
    return latest


def _readable(rows: Iterator[Row]) -> Iterator[Row]:
    """A run whose output cannot be read counts as done here; `weir collect` reports it."""
    with contextlib.suppress(WeirError, OSError):
        yield from rows


def _printed_rows(cell: Cell, outputs: Mapping[str, Path]) -> Iterator[Row]:
    """Rows of an execution that has no run file yet."""
    tool = tool_of(cell)
    yield from checked(tool.parse(outputs), tool.name).rows


def _rates(rows: Iterable[Mapping[str, Any]]) -> dict[str, float]:
    return {str(row["access"]): float(row["bw_mib_s"]) for row in rows if row.get("bw_mib_s") is not None}
