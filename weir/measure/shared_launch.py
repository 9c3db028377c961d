"""Many executions in one launch, by `weir-io batch`: a launch costs more than most cells do.

While the launch runs, nothing is written but what weir-io itself writes between cells. What run.json will say
is laid down before, in a launch folder; when the launch is over, or when somebody comes back after weir was
killed, the status lines of weir-io turn it into run files: a kill loses at most the execution in flight.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from weir.base.files import write_atomically
from weir.base.storage_calls import is_in_haste
from weir.measure.clean_up.shared_memory import no_segment
from weir.measure.document import RunEnd, after, now
from weir.measure.execute import execute
from weir.measure.faults import EnvironmentFaultError
from weir.measure.machine.host import Held, held_between, held_so_far
from weir.measure.order import Execution
from weir.measure.own_launch import (
    LaunchContext,
    Prepared,
    environment_of,
    launch_arguments,
    prepare,
    raise_if_lost,
    stands_between,
)
from weir.measure.settle import LAUNCH_FILE, STATUS_FILE, read_status, settle
from weir.runs.ledger import end_run
from weir.tools import tools
from weir.tools.engine import shared_engine

Ended = Callable[[Execution, str, float], None]  # execution, how it ended, seconds


def engine_arguments(execution: Execution, context: LaunchContext) -> tuple[str, ...]:
    """How weir-io starts, if the cell can share a launch; empty if it needs one of its own, as the witness
    behind an added library does: it reports at the end of a process."""
    cell = execution.cell
    if stands_between(context) and not context.target.prefix:
        return ()
    return shared_engine(tools()[cell.tool], cell, context.stack.programs[cell.tool])


def measure_in_one_launch(
    executions: Sequence[Execution], context: LaunchContext, folder: Path, ended: Ended
) -> None:
    """One launch for these executions, all of the same engine; those that it could not reach have no run file
    afterwards.

    folder is the launch folder of the batch: one launch at a time.
    """
    folder.mkdir(parents=True, exist_ok=True)
    ready = prepare(executions, context)
    engine = engine_arguments(executions[0], context)
    write_atomically(folder / "list", "".join(_line(each, len(engine)) for each in ready))
    (folder / STATUS_FILE).write_text("", encoding="utf-8")
    known = {_name(each.execution): each.known for each in ready}
    write_atomically(folder / LAUNCH_FILE, json.dumps(known))
    command = [*launch_arguments(executions[0], context), *engine, "batch", "list", STATUS_FILE]
    faultless = False  # an interrupt or a target that hangs lets cells fail, too
    watch = _Watch(folder / STATUS_FILE, executions, ended, context.fault)
    try:
        outcome = execute(command, environment_of(executions[0], context), watch, context.token, folder)
        watch()  # the lines of the last moment
        stopped = watch.current
        if stopped is not None and watch.fault is None:
            raise_if_lost(outcome, context)
            watch.fault = context.fault()
        faultless = watch.fault is None
    finally:
        # What has run is on record before anything touches a target that may hang. To judge some hundred
        # runs takes longer than an interrupt may: collect judges them.
        judge = None if is_in_haste(sys.exception()) else context.judge
        settle(folder, context.results, faultless, watch.held, judge)
        context.remove([each.data_folder for each in ready])
    if watch.fault is not None:
        raise EnvironmentFaultError(watch.fault, hint="run again when it is gone: finished runs are kept")
    if stopped is not None:
        stderr = outcome.stderr.decode(errors="replace").strip()
        text = outcome.error or no_segment(stderr) or stderr or "the launch ended early"
        end = RunEnd(None, outcome.ended, now(), outcome.elapsed_s, text.splitlines()[0])
        prepared = ready[executions.index(stopped)]
        end_run(prepared.outputs, after(prepared.known, end, prepared.outputs), context.judge)
        ended(stopped, str(end.error), watch.elapsed_s())


class _Watch:
    """Follows the status file: reports each cell as it ends.

    Ends the launch when a cell takes too long, or when the environment has failed."""

    def __init__(
        self,
        status: Path,
        executions: Sequence[Execution],
        ended: Ended,
        look_for_fault: Callable[[], str | None],
    ) -> None:
        self._status, self._left, self._ended = status, list(executions), ended
        self._look_for_fault = look_for_fault
        self._seen = 0
        self._since_s = time.monotonic()
        self.fault: str | None = None
        self._counted = held_so_far()
        self.held: dict[str, Held] = {}  # by the name of a cell that has ended

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
        for line in lines:
            self._seen += 1
            self._since_s = time.monotonic()
            if line.exit_code != 0 and self.fault is None:
                self.fault = self._look_for_fault()
            how = "done" if line.exit_code == 0 else f"exit code {line.exit_code}"
            self._ended(self._left.pop(0), self.fault or how, line.elapsed_s)
        if self.fault is not None:
            return self.fault
        if self.current is not None and self.elapsed_s() > self.current.cell.timeout_s:
            return f"ended after its limit of {self.current.cell.timeout_s:g} s"
        return None


def _name(execution: Execution) -> str:
    return f"{execution.cell.cell}-{execution.run:03d}"


def _line(ready: Prepared, engine: int) -> str:
    fields: list[Any] = [
        _name(ready.execution),
        ready.execution.cell.ranks,
        ready.outputs,
        *ready.program[engine:],
    ]
    return "\t".join(map(str, fields)) + "\n"
