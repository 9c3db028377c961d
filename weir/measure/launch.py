"""One launch: of one execution by its own program, or of many by `weir-io batch`, as a launch costs more than
most cells do.

While it runs, nothing is written but what weir-io itself writes between cells. What the run files of a shared
launch will say is laid down before, in a launch folder: a kill loses at most the execution in flight.
"""

import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from weir.base.files import json_of, text_of, write_atomically
from weir.base.processes import wall
from weir.base.storage_calls import is_in_haste
from weir.measure.clean_up.directories import EnvironmentFaultError
from weir.measure.clean_up.shared_memory import no_segment
from weir.measure.command import Prepared, Turn, prepare
from weir.measure.execute import CommandResult, Watch, execute
from weir.measure.machine.host import Held, held_between, held_so_far
from weir.measure.session import Execution
from weir.runs.ledger import end_run
from weir.site.launchers import launcher
from weir.site.schedulers import surrounding
from weir.tools.engine import engine_of
from weir.witness.document import WITNESS_FILE, gather_witness

SUMMARY_FILE = "summary.json"
OUTPUT_FILES = {
    "stdout": "stdout.txt",
    "stderr": "stderr.txt",
    "summary": SUMMARY_FILE,
    "witness": WITNESS_FILE,
}
STATUS_FILE, LAUNCH_FILE = "status", "launch.json"  # of a shared launch, in its folder
_LONGEST_S = 1e9  # more than any cell takes, and less than a date can be away
TRUNCATED = f"{SUMMARY_FILE} is missing or truncated: the program ended with exit code 0"
# A job that is cancelled ends step by step; the signal to this process comes so much after that to the ranks.
SIGNAL_LATE_S = 2.0
LAUNCH_ENDS_S = 60.0  # time for a launcher that hangs when its ranks are done


class LaunchLostError(Exception):
    """The batch system failed, not the program: nothing was measured, and the launch may be repeated."""


@dataclass(frozen=True)
class RunEnd:
    """The end of an execution. exit_code is None if it could not be started or its launch ended before it."""

    exit_code: int | None
    timed_out: bool
    ended_at: datetime
    elapsed_s: float
    error: str | None = None

    @property
    def status(self) -> str:
        if self.timed_out:
            return "timeout"
        return "done" if self.exit_code == 0 and self.error is None else "failed"


@dataclass(frozen=True)
class EndedRun:
    """An execution that has run."""

    ready: Prepared
    end: RunEnd
    held: Held  # what held back the processes of the node meanwhile
    elapsed_s: float | None = None  # to be told; None: its end has been told


def run_launch(left: Sequence[Execution], turn: Turn) -> None:
    """Start the first executions together by weir-io, or the first one by its own program; wait, and record
    each that has run: the session takes them.

    When the machine or the batch system failed, or an interrupt came, no execution is recorded as failed."""
    engine, ready = prepare(left, turn)
    way = SharedEngine(ready, engine, turn) if engine else OwnProgram(ready[0], turn)
    fault: str | None = None
    is_faultless = False  # an interrupt or a target that hangs lets cells fail, too
    try:
        outcome = execute(way.command, turn.start.environment, way.limit, turn.token, way.folder)
        fault = way.end(outcome)
        if fault is None and way.may_be_lost:
            _raise_if_lost(outcome, turn)
        if fault is None and way.has_failed:
            fault = turn.guardian.fault()
        is_faultless = fault is None
    finally:
        # A run is on record before anything touches a target that may hang.
        for each in way.ended(is_faultless):
            _record(each, turn)
        way.forget()
        turn.guardian.remove([each.data_folder for each in ready])
    if fault is not None:
        raise EnvironmentFaultError(fault)


def _record(ended: EndedRun, turn: Turn) -> None:
    """Records the end of a run. After an interrupt it is not judged, since judging some hundred runs takes
    longer than an interrupt may: then collect judges them."""
    ready = ended.ready
    known = ready.known | {"host": {**ready.known["host"], **ended.held}}
    document = after(known, ended.end, ready.outputs)
    end_run(ready.outputs, document, None if is_in_haste(sys.exception()) else turn.batch.session.judge)
    one = turn.batch.take(ready.execution, document)
    if ended.elapsed_s is not None:
        progress, title = turn.batch.session.progress, turn.planned.batch
        progress.step(title, ready.execution, one.error or one.status, ended.elapsed_s)


def after(known: Mapping[str, Any], end: RunEnd, outputs: Path) -> dict[str, Any]:
    """The whole run.json; a failure without a reason gets the first line of the program's stderr, and that
    the kernel killed a process of this node, also where a control group has too little memory."""
    error = end.error
    if error is None and end.status != "done":
        error = f"exit code {end.exit_code}: {_first_complaint(outputs / OUTPUT_FILES['stderr'])}"
        if known.get("host", {}).get("memory_kills"):
            error += "; for want of memory the kernel killed a process of this node (oom-kill in its log)"
    return {
        **known,
        "status": end.status,
        "exit_code": end.exit_code,
        "timed_out": end.timed_out,
        "began": (end.ended_at - timedelta(seconds=end.elapsed_s)).isoformat(),
        "ended": end.ended_at.isoformat(),
        "elapsed_s": end.elapsed_s,
        "error": error,
        "outputs": {role: name for role, name in OUTPUT_FILES.items() if (outputs / name).is_file()},
    }


def _first_complaint(file: Path) -> str:
    """Lack of shared memory; else the first line with text: launchers add their own paragraphs after it."""
    text = text_of(file)
    if reason := no_segment(text):
        return reason
    lines = [line.strip() for line in text.splitlines() if line.strip(" -\t")]
    return lines[0] if lines else "no message on stderr"


def _raise_if_lost(outcome: CommandResult, turn: Turn) -> None:
    """A launch that the batch system ended is not an execution of the cell, and leaves no run file."""
    if outcome.exit_code == 0:
        return
    lost = launcher(turn.planned.launcher).lost(outcome.stderr.decode(errors="replace"))
    if lost is not None:
        raise LaunchLostError(lost)
    if not outcome.ended and surrounding(os.environ) is not None:
        time.sleep(SIGNAL_LATE_S)  # if the job is ended, this process is interrupted here


class OwnProgram:
    """The program of one execution, which ends with its launch."""

    def __init__(self, ready: Prepared, turn: Turn) -> None:
        self.command: list[str] = ready.known["command"]
        self.folder = ready.outputs
        self.limit: float | Watch = ready.execution.cell.timeout_s
        self.has_failed = False
        self._ready, self._turn = ready, turn
        self._held = held_so_far()
        self._ended: tuple[EndedRun, CommandResult] | None = None

    def end(self, outcome: CommandResult) -> None:
        """The launch is over; nothing was looked at meanwhile."""
        held = held_between(self._held, held_so_far())
        engine = engine_of(self._turn.planned.stack.program_of(self._ready.execution.cell))
        lacks = bool(engine) and outcome.exit_code == 0 and not is_complete(self.folder)
        self.has_failed = outcome.exit_code != 0 or lacks
        error = TRUNCATED if lacks else outcome.error
        end = RunEnd(outcome.exit_code, outcome.ended, wall(), outcome.elapsed_s, error)
        self._ended = EndedRun(self._ready, end, held, outcome.elapsed_s), outcome

    @property
    def may_be_lost(self) -> bool:
        """A launcher that the batch system left fails as a program does."""
        return self.has_failed

    def ended(self, is_faultless: bool) -> Iterator[EndedRun]:
        if self._ended is None or (self.has_failed and not is_faultless):
            return
        ended, outcome = self._ended
        (self.folder / OUTPUT_FILES["stdout"]).write_bytes(outcome.stdout)
        (self.folder / OUTPUT_FILES["stderr"]).write_bytes(outcome.stderr)
        gather_witness(self.folder)
        yield ended

    def forget(self) -> None:
        """Nothing was laid down."""


class SharedEngine:
    """Many executions in one start of weir-io, which reports each that has ended in its status file."""

    def __init__(self, ready: Sequence[Prepared], engine: Sequence[str], turn: Turn) -> None:
        self.folder = turn.planned.launch_folder
        self.command = [*turn.start.command, *engine, "batch", "list", STATUS_FILE]
        self._ready = {_name(each.execution): each for each in ready}
        self._outcome: CommandResult | None = None
        lines = "".join(_line(each, len(engine)) for each in ready)
        known = json.dumps({name: each.known for name, each in self._ready.items()})
        executions = [each.execution for each in ready]
        self.folder.mkdir(parents=True, exist_ok=True)
        write_atomically(self.folder / "list", lines)
        (self.folder / STATUS_FILE).write_text("", encoding="utf-8")
        write_atomically(self.folder / LAUNCH_FILE, known)
        self._report = turn.batch.session.progress.report
        tell = partial(turn.batch.session.progress.step, turn.planned.batch)
        self.watch = StatusWatch(self.folder / STATUS_FILE, executions, tell, turn.guardian.fault)
        self.limit: float | Watch = self.watch

    @property
    def may_be_lost(self) -> bool:
        """One did not come to its end: it was stopped by its time limit or with the launch."""
        return self.watch.current is not None

    @property
    def has_failed(self) -> bool:
        return self.may_be_lost or any(end.status != "done" for _, end in self._ends)

    def end(self, outcome: CommandResult) -> str | None:
        """The launch is over; a fault of the machine that was found meanwhile."""
        self._outcome = outcome
        if outcome.ended and self.watch.current is None:
            self._report(f"weir: {outcome.error}: it was ended, its cells have run")
        self.watch()  # the lines of the last moment
        return self.watch.fault

    def ended(self, is_faultless: bool) -> Iterator[EndedRun]:
        for name, end in self._ends:
            if is_faultless or end.status == "done":
                yield EndedRun(self._ready[name], end, self.watch.held.get(name, {}))
        if is_faultless and self._outcome and (stopped := self.watch.current):
            end = _stopped_end(self._outcome)
            yield EndedRun(self._ready[_name(stopped)], end, {}, self.watch.elapsed_s())

    @cached_property
    def _ends(self) -> list[tuple[str, RunEnd]]:
        """The executions that ran to their ends, by name, as the last lines of the launch tell them."""
        found = []
        for line in read_status(self.folder / STATUS_FILE):
            ready = self._ready.get(line.name)
            if ready and (end := end_of(line, ready.outputs, self.watch.ended.get(line.name))):
                found.append((line.name, end))
        return found

    def forget(self) -> None:
        """All that was laid down has become run files."""
        shutil.rmtree(self.folder)


def _stopped_end(outcome: CommandResult) -> RunEnd:
    stderr = outcome.stderr.decode(errors="replace").strip()
    text = outcome.error or no_segment(stderr) or stderr or "the launch ended early"
    return RunEnd(None, outcome.ended, wall(), outcome.elapsed_s, text.splitlines()[0])


@dataclass(frozen=True)
class StatusLine:
    """The line of weir-io about a finished cell."""

    name: str
    exit_code: int
    elapsed_s: float


def read_status(file: Path) -> list[StatusLine]:
    """Whole lines only: weir-io may be writing the next one."""
    found = []
    for line in text_of(file).split("\n")[:-1]:
        try:
            name, code, seconds = line.split("\t")
            one = StatusLine(name, int(code), float(seconds))
        except ValueError:
            continue
        if 0 <= one.elapsed_s < _LONGEST_S:  # not in a damaged file
            found.append(one)
    return found


def end_of(line: StatusLine, outputs: Path, ended: datetime | None = None) -> RunEnd | None:
    """The end of the cell; None if the folder of its outputs is gone: then it is measured again.

    ended: when weir saw the line. Of a killed weir only the time is left at which weir-io, which opens its
    stdout before, wrote to that for the last time, by a clock that may have been set meanwhile.
    """
    try:
        written_s = (outputs / "stdout.txt").stat().st_mtime
    except FileNotFoundError:
        return None
    error = TRUNCATED if line.exit_code == 0 and not is_complete(outputs) else None
    at = ended or datetime.fromtimestamp(written_s, UTC)
    return RunEnd(line.exit_code, False, at, line.elapsed_s, error)


def is_complete(outputs: Path) -> bool:
    """Whether the document of weir-io is there to its end."""
    return isinstance(json_of(outputs / SUMMARY_FILE), dict)


class StatusWatch:
    """Follows the status file: reports each cell as it ends.

    Ends the launch when a cell takes too long, or when the environment has failed."""

    def __init__(
        self,
        status: Path,
        executions: Sequence[Execution],
        tell: Callable[[Execution, str, float], None],
        look_for_fault: Callable[[], str | None],
    ) -> None:
        self._status, self._left, self._tell = status, list(executions), tell
        self._look_for_fault = look_for_fault
        self._seen = 0
        self._since_s = time.monotonic()
        self.fault: str | None = None
        self._counted = held_so_far()
        self.held: dict[str, Held] = {}  # by the name of a cell that has ended
        self.ended: dict[str, datetime] = {}  # likewise, in their order

    @property
    def current(self) -> Execution | None:
        return self._left[0] if self._left else None

    def elapsed_s(self) -> float:
        return time.monotonic() - self._since_s

    def __call__(self) -> str | None:
        lines = read_status(self._status)[self._seen :]
        if lines:
            # Cells that ended since the last look share what was counted since then.
            before, self._counted = self._counted, held_so_far()
            self.held |= {line.name: held_between(before, self._counted) for line in lines}
            self._note_ends(lines)
        for line in lines:
            self._seen += 1
            self._since_s = time.monotonic()
            if line.exit_code != 0 and self.fault is None:
                self.fault = self._look_for_fault()
            how = "done" if line.exit_code == 0 else f"exit code {line.exit_code}"
            self._tell(self._left.pop(0), self.fault or how, line.elapsed_s)
        if self.fault is not None:
            return self.fault
        if self.current is None and self.elapsed_s() > LAUNCH_ENDS_S:
            return f"the launch did not end within {LAUNCH_ENDS_S:g} s after its last cell"
        if self.current is not None and self.elapsed_s() > self.current.cell.timeout_s:
            return f"ended after its limit of {self.current.cell.timeout_s:g} s"
        return None

    def _note_ends(self, lines: Sequence[StatusLine]) -> None:
        """The last of them has just ended, and each one before the next one began."""
        at, found = wall(), []
        for line in reversed(lines):
            found.append((line.name, at))
            at -= timedelta(seconds=line.elapsed_s)
        earliest = max(self.ended.values(), default=at)
        self.ended |= {name: max(at, earliest) for name, at in reversed(found)}


def _name(execution: Execution) -> str:
    return f"{execution.cell.cell}-{execution.run:03d}"


def _line(ready: Prepared, engine: int) -> str:
    fields: list[object] = [
        _name(ready.execution),
        ready.execution.cell.ranks,
        ready.outputs,
        *ready.program[engine:],
    ]
    return "\t".join(map(str, fields)) + "\n"
