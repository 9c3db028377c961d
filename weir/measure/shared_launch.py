"""Many executions in one launch, by `weir-io batch`: a launch costs more than most cells do.

While the launch runs, nothing is written but what weir-io itself writes between cells. What run.json will say
is laid down before, in a launch folder; when the launch is over, or when somebody comes back after weir was
killed, the status lines of weir-io turn it into run files: a kill loses at most the execution in flight.
"""

from __future__ import annotations

import json
import secrets
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from weir.measure.document import Ending, after, now
from weir.measure.execute import execute
from weir.measure.order import Execution
from weir.measure.own_launch import (
    LaunchContext,
    Prepared,
    environment_of,
    launch_words,
    prepare,
    raise_if_lost,
)
from weir.measure.runfiles import is_finished, run_folder, write_atomically, write_run_file
from weir.tools import tools
from weir.tools.engine import shared_engine

Ended = Callable[[Execution, str, float], None]  # execution, how it ended, seconds


@dataclass(frozen=True)
class StatusLine:
    """What weir-io says of a finished cell."""

    name: str
    exit_code: int
    elapsed_s: float


def engine_words(execution: Execution, context: LaunchContext) -> tuple[str, ...]:
    """How weir-io starts, if the cell can share a launch; none if it needs one of its own."""
    cell = execution.cell
    return shared_engine(tools()[cell.tool], cell, context.stack.programs[cell.tool])


def measure_in_one_launch(
    executions: Sequence[Execution], context: LaunchContext, folder: Path, ended: Ended
) -> None:
    """One launch for these executions, all of the same engine; those that it could not reach have no run file
    afterwards.

    folder is the launch folder of the batch: one launch at a time.
    """
    folder.mkdir(parents=True, exist_ok=True)
    ready = [prepare(execution, context) for execution in executions]
    engine = engine_words(executions[0], context)
    (folder / "list").write_text("".join(_line(each, len(engine)) for each in ready), encoding="utf-8")
    (folder / "status").write_text("", encoding="utf-8")
    known = {_name(each.execution): each.known for each in ready}
    write_atomically(folder / "launch.json", json.dumps(known))
    words = [*launch_words(executions[0], context), *engine, "batch", "list", "status"]
    watch = _Watch(folder / "status", executions, ended)
    try:
        outcome = execute(words, environment_of(context), watch, secrets.token_hex(8), folder)
    finally:
        watch()  # the lines of the last moment
        for each in ready:
            context.workspace.remove_run(each.data_folder)
        settle(folder, context.results)
    stopped = watch.current
    if stopped is not None:
        raise_if_lost(outcome, context)
        said = outcome.error or outcome.stderr.decode(errors="replace").strip() or "the launch ended early"
        ending = Ending(None, outcome.ended, now(), outcome.elapsed_s, said.splitlines()[0])
        prepared = ready[executions.index(stopped)]
        write_run_file(prepared.outputs, after(prepared.known, ending, prepared.outputs))
        ended(stopped, str(ending.error), watch.elapsed_s())


def settle(folder: Path, results: Path) -> None:
    """Write the run files of the cells that the status names, and remove the launch folder."""
    if not (folder / "launch.json").is_file():
        shutil.rmtree(folder, ignore_errors=True)
        return
    known = json.loads((folder / "launch.json").read_text(encoding="utf-8"))
    for line in read_status(folder / "status"):
        cell, _, run = line.name.rpartition("-")
        outputs = run_folder(results, cell, int(run))
        if line.name in known and not is_finished(results, cell, int(run)):
            ending = Ending(line.exit_code, False, _written_at(outputs), line.elapsed_s)
            write_run_file(outputs, after(known[line.name], ending, outputs))
    shutil.rmtree(folder)


def read_status(file: Path) -> list[StatusLine]:
    """Whole lines only: weir-io may be writing the next one."""
    try:
        text = file.read_text(encoding="utf-8")
    except OSError:
        return []
    lines = [line.split("\t") for line in text.split("\n")[:-1]]
    return [StatusLine(name, int(code), float(seconds)) for name, code, seconds in lines]


class _Watch:
    """Follows the status file: reports each cell as it ends, and ends the launch when one takes too long."""

    def __init__(self, status: Path, executions: Sequence[Execution], ended: Ended) -> None:
        self._status, self._left, self._ended = status, list(executions), ended
        self._seen = 0
        self._since = now()

    @property
    def current(self) -> Execution | None:
        return self._left[0] if self._left else None

    def elapsed_s(self) -> float:
        return (now() - self._since).total_seconds()

    def __call__(self) -> str | None:
        for line in read_status(self._status)[self._seen :]:
            self._seen += 1
            self._since = now()
            how = "done" if line.exit_code == 0 else f"exit code {line.exit_code}"
            self._ended(self._left.pop(0), how, line.elapsed_s)
        if self.current is not None and self.elapsed_s() > self.current.cell.timeout_s:
            return f"ended after its limit of {self.current.cell.timeout_s:g} s"
        return None


def _name(execution: Execution) -> str:
    return f"{execution.cell.cell}-{execution.run:03d}"


def _line(ready: Prepared, engine: int) -> str:
    words: list[Any] = [
        _name(ready.execution),
        ready.execution.cell.ranks,
        ready.outputs,
        *ready.program[engine:],
    ]
    return "\t".join(map(str, words)) + "\n"


def _written_at(outputs: Path) -> datetime:
    """When the cell ended: weir-io opens its stdout before and writes it at its end."""
    return datetime.fromtimestamp((outputs / "stdout.txt").stat().st_mtime, now().tzinfo)
