"""Prepares a launch: folders, commands and environment of its executions, known before a program runs."""

import dataclasses
import itertools
import os
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from weir.base.errors import WeirError
from weir.base.files import file_sha256
from weir.base.processes import run_to_end
from weir.base.storage_calls import ANSWER_S, in_time
from weir.measure.clean_up.directories import Workspace
from weir.measure.clean_up.prepared_target import Guardian
from weir.measure.machine.host import host_facts
from weir.measure.session import Execution, PlannedBatch, SessionBatch
from weir.records.model import Target
from weir.runs.files import fresh_folder
from weir.site.launchers import Start, start_of
from weir.tools import tools
from weir.tools.base import RunPaths
from weir.tools.engine import engine_of, shared_engine
from weir.witness.document import witness_variables

_MAGIC, _MAGIC_AT = b"SIF_MAGIC", 32  # of a container image


@dataclass(frozen=True)
class Turn:
    """A batch on its target, which is prepared and claimed until the turn ends."""

    batch: SessionBatch
    guardian: Guardian
    token: str  # carried by every process of a launch
    temporary: Path | None = None  # for the files of a launch; None: in TMPDIR
    servers: Sequence[str] = ()  # addresses of those behind the mount
    facts: Mapping[str, Any] = field(default_factory=dict)  # of the nodes and servers, for each run.json

    @property
    def planned(self) -> PlannedBatch:
        return self.batch.planned

    @cached_property
    def variables(self) -> dict[str, str]:
        """The variables that stack and target set for every program, and the servers to which connections are
        counted."""
        stack, target = self.planned.stack, self.planned.target
        servers = {
            "WEIR_SERVER_ADDRESSES": " ".join(self.servers),
            "WEIR_SERVER_PROBE": shlex.join(target.server_probe),
            "WEIR_DROP_SERVER_CACHES": shlex.join(target.drop_server_caches),
        }
        return {
            **stack.environment,
            **target.environment,
            **{key: value for key, value in servers.items() if value},
        }

    @cached_property
    def start(self) -> Start:
        """The same for all launches: all cells of a batch have the same nodes and ranks."""
        planned, cell = self.planned, self.planned.cells[0]
        options = planned.stack.launcher_options
        return start_of(planned.launcher, cell.nodes, cell.ppn, options, self.variables, self.temporary)

    @property
    def has_added_libraries(self) -> bool:
        """Stack, target or the environment of weir add libraries to every program."""
        return bool(self.inherited("LD_PRELOAD") or self.inherited("LD_AUDIT"))

    def inherited(self, name: str) -> str:
        return self.variables.get(name, os.environ.get(name, ""))

    def engine(self, execution: Execution) -> tuple[str, ...]:
        """The command of weir-io, if the cell can share a launch. It is empty if the cell needs a launch of
        its own, as the witness behind an added library does: it reports at the end of a process."""
        if self.has_added_libraries and not self.planned.target.prefix:
            return ()
        cell = execution.cell
        return shared_engine(tools()[cell.tool], cell, self.planned.stack.program_of(cell))


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
    """The data of an execution on the target."""

    folder: Path
    real_folder: str
    stripes: int | None


def prepare(left: Sequence[Execution], turn: Turn) -> tuple[tuple[str, ...], list[Prepared]]:
    """The next launch: the command of weir-io, and the first executions as far as it runs them all together;
    without it, the first one alone. Makes their folders; the facts of the node are those of this moment."""
    engine = turn.engine(left[0])
    together = (
        list(itertools.takewhile(lambda each: turn.engine(each) == engine, left)) if engine else left[:1]
    )
    limit_s = ANSWER_S + len(together) * (STRIPE_S if turn.planned.target.get_stripes else 0)
    places, host = in_time(lambda: _on_target(together, turn), turn.planned.target.path, limit_s)
    return engine, [_prepared(each, place, host, turn) for each, place in zip(together, places, strict=True)]


def _on_target(executions: Sequence[Execution], turn: Turn) -> tuple[list[_Place], dict[str, Any]]:
    planned = turn.planned
    workspace = Workspace(Path(planned.target.path), planned.results, planned.batch)
    places = []
    for each in executions:
        folder = workspace.run_folder(each.cell.cell, each.run)
        places.append(
            _Place(folder, os.path.realpath(folder), stripe(folder, each.cell.params, planned.target))
        )
    return places, host_facts(workspace.target_folder, turn.servers)


def _prepared(execution: Execution, place: _Place, host: Mapping[str, Any], turn: Turn) -> Prepared:
    cell, target = execution.cell, turn.planned.target
    outputs = fresh_folder(turn.planned.results, cell.cell, execution.run)
    paths = RunPaths(f"{target.prefix}{place.folder}/data", outputs)
    tool, program = tools()[cell.tool], turn.planned.stack.program_of(cell)
    command = tool.command(cell, target, program, paths)
    own = {**tool.environment(cell), **_witness(turn, program, outputs, place)}
    variables = [f"{name}={value}" for name, value in own.items()]
    command = ["env", *variables, *command] if variables else command
    whole = [*turn.start.command, *command]
    known = before(execution, target, turn.batch.session.seed, whole, turn.variables)
    if images := images_of(program):
        known["images"] = images
    known |= {"stripe_count": place.stripes, "host": {**host, **turn.facts}}
    return Prepared(execution, outputs, place.folder, command, known)


def before(
    execution: Execution, target: Target, seed: int, command: Sequence[str], variables: Mapping[str, str]
) -> dict[str, Any]:
    """The first half of run.json: all that does not depend on what happens."""
    return {
        "schema": 1,
        "cell": dataclasses.asdict(execution.cell),
        "run": execution.run,
        "command": list(command),
        "environment": dict(variables),
        "seed": seed,
        "position": execution.position,
        "target_facts": {
            "path": target.path,
            "kind": target.kind,
            "prefix": target.prefix,
            "emulated": target.emulated,
            "sent_per_byte": target.sent_per_byte,
        },
    }


def _witness(turn: Turn, program: Sequence[str], outputs: Path, place: _Place) -> Mapping[str, str]:
    """The variables of the witness, for programs that do not report their calls, and behind libraries that
    stand between weir-io and the system: it sees no further than they let it. A prefix names no files of the
    system."""
    if turn.planned.target.prefix or (engine_of(program) and not turn.has_added_libraries):
        return {}
    return witness_variables(outputs, place.folder, place.real_folder, turn.inherited("LD_PRELOAD"))


def images_of(program: Sequence[str]) -> dict[str, str]:
    """SHA-256 of each image (SIF) among the arguments of a program; a directory, a sandbox, has none."""
    return {word: digest for word in program[1:] if (digest := _digest(Path(word)))}


def _digest(file: Path) -> str | None:
    try:
        state = file.stat()
        return _digest_of(file, state.st_size, state.st_mtime_ns) if file.is_file() else None
    except (OSError, ValueError):
        return None


@cache
def _digest_of(file: Path, size: int, changed_ns: int) -> str | None:
    """Read once, before the first run of a batch: an image has hundreds of megabytes."""
    with file.open("rb") as stream:
        is_image = stream.read(_MAGIC_AT + len(_MAGIC)).endswith(_MAGIC)
    return file_sha256(file) if is_image else None


STRIPE_S = 1.0  # time for the commands that set and tell the stripes of a folder

# lfs getstripe prints a bare number, or a layout with this line.
_COUNT = re.compile(r"^\s*(?:\S*stripe_count:\s*)?(-?\d+)\b", re.MULTILINE)


def stripe(folder: Path, params: Mapping[str, Any], target: Target) -> int | None:
    """Give the folder the stripes that a cell requests; how many its files get, None if nothing tells."""
    values = {name: str(params.get(name) or "") for name in ("pool", "osts")}
    values |= {"count": str(params.get("stripe_count", 0)), "folder": str(folder)}
    if values["osts"]:
        _call(target.set_osts, values, target)
    elif values["pool"]:
        _call(target.set_pool, values, target)
    elif params.get("stripe_count"):
        _call(target.set_stripes, values, target)
    if not target.get_stripes:
        return None
    found = _COUNT.search(_call(target.get_stripes, values, target))
    return int(found[1]) if found else None


def _call(command: Sequence[str], values: Mapping[str, str], target: Target) -> str:
    filled = [_filled(word, values) for word in command]
    environment = {**os.environ, **target.environment}
    try:
        done = run_to_end(filled, environment)
    except OSError as error:
        complaint = f"`{filled[0]}`: {error.strerror}"
    else:
        if done.returncode == 0:
            return done.stdout
        complaint = (
            f"`{' '.join(filled)}` ended with {done.returncode}: {(done.stderr or done.stdout).strip()}"
        )
    hint = "correct `stripes` in the target's file, or say max_stripe_count: 0"
    raise WeirError(f"target {target.name}: {complaint}", hint=hint)


def _filled(word: str, values: Mapping[str, str]) -> str:
    for name, text in values.items():
        word = word.replace(f"{{{name}}}", text)
    return word
