"""Execute one cell by a launch of its own and leave its run folder: raw outputs and run.json."""

from __future__ import annotations

import os
import secrets
import shlex
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from weir.base.storage_calls import in_time
from weir.measure.clean_up.guardian import Guardian
from weir.measure.clean_up.workspace import Workspace, temporary_variables
from weir.measure.document import SUMMARY_FILE, RunEnd, after, before, now
from weir.measure.execute import Outcome, execute, time_limit
from weir.measure.faults import EnvironmentFaultError, fault
from weir.measure.machine.host import held_between, held_so_far, host_facts
from weir.measure.machine.images import images_of
from weir.measure.machine.stripes import stripe
from weir.measure.order import Execution
from weir.measure.settle import is_complete
from weir.runs.files import fresh_folder
from weir.runs.ledger import Judge, end_run
from weir.site.launchers import applied, launch_changes, launcher
from weir.site.schedulers import surrounding
from weir.terms.model import Stack, Target
from weir.tools import tools
from weir.tools.base import RunPaths
from weir.tools.engine import engine_of
from weir.witness.document import gather_witness, witness_variables

# A job that is cancelled ends step by step; the signal to this process comes so much after that to the ranks.
SIGNAL_LATE_S = 2.0


class LaunchLostError(Exception):
    """The batch system failed, not the program: nothing was measured, and the launch may be repeated."""


@dataclass(frozen=True)
class LaunchContext:
    """Where and with what the executions of a batch run."""

    target: Target
    stack: Stack
    launcher: str
    results: Path
    seed: int
    workspace: Workspace
    servers: Sequence[str] = ()  # addresses of those behind the mount
    server_memory_bytes: int | None = None  # None: no probe reports it
    slow_nodes: Sequence[Mapping[str, Any]] | None = None  # None: the nodes were not compared
    placement: Mapping[str, Any] | None = None  # None: no batch system gave the nodes
    neighbours: Sequence[str] = ()  # other measurements of the target that may run now
    token: str = field(default_factory=lambda: secrets.token_hex(8))  # carried by every process of a launch
    guardian: Guardian | None = None  # None: this process touches the target itself
    judge: Judge | None = None
    temporary: Path | None = None  # for the files of a launch; None: in TMPDIR

    def fault(self) -> str | None:
        """Why the environment lets no cell succeed any more."""
        return self.guardian.fault() if self.guardian else fault(self.workspace, self.results)

    def remove(self, folders: Sequence[Path]) -> None:
        """Delete the data of executions."""
        if self.guardian:
            self.guardian.remove(folders)
        else:
            for folder in folders:
                self.workspace.remove_run(folder)


@dataclass(frozen=True)
class Prepared:
    """An execution that could start now: its folders are there, its command is known."""

    execution: Execution
    outputs: Path
    data_folder: Path
    program: list[str]  # what follows the launcher
    known: dict[str, Any]  # the first half of run.json


@dataclass(frozen=True)
class _Place:
    """Of an execution on the target."""

    folder: Path
    real_folder: str
    stripes: int | None
    host: dict[str, Any]


def prepare(executions: Sequence[Execution], context: LaunchContext) -> list[Prepared]:
    places = in_time(lambda: [_place(each, context) for each in executions], context.target.path)
    return [_prepared(each, place, context) for each, place in zip(executions, places, strict=True)]


def _place(execution: Execution, context: LaunchContext) -> _Place:
    cell = execution.cell
    folder = context.workspace.run_folder(cell.cell, execution.run)
    stripes = stripe(folder, cell.params, context.target)
    host = host_facts(context.workspace.target_folder, context.servers)
    return _Place(folder, os.path.realpath(folder), stripes, host)


def _prepared(execution: Execution, place: _Place, context: LaunchContext) -> Prepared:
    cell, data_folder = execution.cell, place.folder
    outputs = fresh_folder(context.results, cell.cell, execution.run)
    paths = RunPaths(f"{context.target.prefix}{data_folder}/data", outputs)
    tool, program = tools()[cell.tool], context.stack.programs[cell.tool]
    command = tool.command(cell, context.target, program, paths)
    own = {**tool.environment(cell), **_witness(context, program, outputs, place)}
    variables = [f"{name}={value}" for name, value in own.items()]
    command = ["env", *variables, *command] if variables else command
    whole = [*launch_arguments(execution, context), *command]
    known = before(execution, context.target, context.seed, whole, variables_of(context))
    if images := images_of(program):
        known["images"] = images
    known |= {
        "stripe_count": place.stripes,
        "host": place.host
        | {
            "slow_nodes": context.slow_nodes,
            "placement": context.placement,
            "server_memory_bytes": context.server_memory_bytes,
            "neighbours": list(context.neighbours),
        },
    }
    return Prepared(execution, outputs, data_folder, command, known)


def _witness(
    context: LaunchContext, program: Sequence[str], outputs: Path, place: _Place
) -> Mapping[str, str]:
    """For programs that do not report it, and behind libraries that stand between weir-io and the system: it
    sees no further than they let it. A prefix names no files of the system."""
    if context.target.prefix or (engine_of(program) and not stands_between(context)):
        return {}
    preloaded = _variable("LD_PRELOAD", context)
    return witness_variables(outputs, place.folder, place.real_folder, preloaded)


def stands_between(context: LaunchContext) -> bool:
    """Libraries that stack, target or the environment of weir add to every program."""
    return any(_variable(name, context) for name in ("LD_PRELOAD", "LD_AUDIT"))


def _variable(name: str, context: LaunchContext) -> str:
    return variables_of(context).get(name, os.environ.get(name, ""))


def measure_one(execution: Execution, context: LaunchContext) -> dict[str, Any]:
    """Launch, wait, record; returns run.json. An interrupt leaves none, so it is done again next time."""
    (ready,) = prepare([execution], context)
    held = held_so_far()
    try:
        outcome = execute(
            ready.known["command"],
            environment_of(execution, context),
            time_limit(execution.cell.timeout_s),
            context.token,
            ready.outputs,
        )
        ready.known["host"] |= held_between(held, held_so_far())
        raise_if_lost(outcome, context)
        document = _record(ready, outcome, context)
    finally:
        context.remove([ready.data_folder])
    return document


def _record(ready: Prepared, outcome: Outcome, context: LaunchContext) -> dict[str, Any]:
    """Write the outputs and run.json, unless not the cell but the environment has failed."""
    engine = engine_of(context.stack.programs[ready.execution.cell.tool])
    lacks = bool(engine) and outcome.exit_code == 0 and not is_complete(ready.outputs)
    if (outcome.exit_code != 0 or lacks) and (reason := context.fault()):
        raise EnvironmentFaultError(reason, hint="run again when it is gone: finished runs are kept")
    (ready.outputs / "stdout.txt").write_bytes(outcome.stdout)
    (ready.outputs / "stderr.txt").write_bytes(outcome.stderr)
    gather_witness(ready.outputs)
    error = f"{SUMMARY_FILE} is missing or truncated: the program ended with exit code 0" if lacks else None
    end = RunEnd(outcome.exit_code, outcome.ended, now(), outcome.elapsed_s, error or outcome.error)
    document = after(ready.known, end, ready.outputs)
    end_run(ready.outputs, document, context.judge)
    return document


def raise_if_lost(outcome: Outcome, context: LaunchContext) -> None:
    """A launch that the batch system ended is not an execution of the cell, and leaves no run file."""
    if outcome.exit_code == 0:
        return
    stderr = outcome.stderr.decode(errors="replace")
    lost = launcher(context.launcher).lost(stderr)
    if lost is not None:
        raise LaunchLostError(lost)
    if not outcome.ended and surrounding(os.environ) is not None:
        time.sleep(SIGNAL_LATE_S)  # if the job is ended, this process is interrupted here


def launch_arguments(execution: Execution, context: LaunchContext) -> Sequence[str]:
    cell = execution.cell
    return launcher(context.launcher).command(
        cell.nodes, cell.ppn, context.stack.launcher_options, variables_of(context)
    )


def variables_of(context: LaunchContext) -> dict[str, str]:
    """What stack and target set for every program, and the servers to which connections are counted."""
    target = context.target
    servers = {
        "WEIR_SERVER_ADDRESSES": " ".join(context.servers),
        "WEIR_SERVER_PROBE": shlex.join(target.server_probe),
        "WEIR_DROP_SERVER_CACHES": shlex.join(target.drop_server_caches),
    }
    return {
        **context.stack.environment,
        **target.environment,
        **{key: value for key, value in servers.items() if value},
    }


def environment_of(execution: Execution, context: LaunchContext) -> Mapping[str, str]:
    return applied(
        os.environ,
        launch_changes(context.launcher),
        temporary_variables(context.launcher, execution.cell.nodes, context.temporary),
        variables_of(context),
    )
