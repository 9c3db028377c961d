"""Execute one cell once and leave its run folder: raw outputs and run.json."""

from __future__ import annotations

import dataclasses
import os
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from weir.launch import applied, launcher
from weir.measure.execute import Outcome, execute
from weir.measure.host import host_facts
from weir.measure.order import Execution
from weir.measure.runfiles import fresh_folder, write_run_file
from weir.measure.workspace import Workspace
from weir.model import Stack, Target
from weir.tools import tools
from weir.tools.base import RunPaths

SUMMARY_FILE = "summary.json"


@dataclass(frozen=True)
class SingleRun:
    """What one execution needs besides the workspace."""

    execution: Execution
    target: Target
    stack: Stack
    launcher: str
    results: Path
    seed: int


@dataclass(frozen=True)
class RunEnd:
    """How it ended, for the progress line and the batch's counts."""

    status: str
    elapsed_s: float
    error: str | None


def measure_one(single: SingleRun, workspace: Workspace) -> RunEnd:
    """Launch, wait, record. An interrupt leaves no run.json, so the execution is done again next time."""
    cell = single.execution.cell
    outputs = fresh_folder(single.results, cell.cell, single.execution.run)
    data_folder = workspace.run_folder(cell.cell, single.execution.run)
    try:
        words, variables = _command(single, RunPaths(f"{single.target.prefix}{data_folder}/data", outputs))
        environment = applied(os.environ, launcher(single.launcher).environment(os.environ), variables)
        host = host_facts(workspace.target_folder)
        began = datetime.now(UTC)
        outcome = execute(words, environment, cell.timeout_s, secrets.token_hex(8), outputs)
    finally:
        workspace.remove_run(data_folder)
    (outputs / "stdout.txt").write_bytes(outcome.stdout)
    (outputs / "stderr.txt").write_bytes(outcome.stderr)
    status, error = _judge(outcome)
    document = _document(single, words, variables, outcome, began, status, error)
    document["host"] = host
    document["outputs"] = _roles(outputs)
    write_run_file(outputs, document)
    return RunEnd(status, outcome.elapsed_s, error)


def _command(single: SingleRun, paths: RunPaths) -> tuple[list[str], dict[str, str]]:
    """The whole command line, and the variables that stack and target set for it."""
    cell, stack, target = single.execution.cell, single.stack, single.target
    variables = {**stack.environment, **target.environment}
    start = launcher(single.launcher).command(cell.nodes, cell.ppn, stack.launcher_options, variables)
    program = tools()[cell.tool].command(cell, target, stack.programs[cell.tool], paths)
    return [*start, *program], variables


def _judge(outcome: Outcome) -> tuple[str, str | None]:
    if outcome.timed_out:
        return "timeout", outcome.error
    if outcome.exit_code == 0:
        return "done", None
    return "failed", outcome.error or _last_words(outcome)


def _last_words(outcome: Outcome) -> str:
    """The first line of the program's complaint: launchers add their own paragraphs after it."""
    lines = [
        line.strip() for line in outcome.stderr.decode(errors="replace").splitlines() if line.strip(" -\t")
    ]
    complaint = lines[0] if lines else "without a word on stderr"
    return f"exit code {outcome.exit_code}: {complaint}"


def _roles(outputs: Path) -> dict[str, str]:
    roles = {"stdout": "stdout.txt", "stderr": "stderr.txt", "summary": SUMMARY_FILE}
    return {role: name for role, name in roles.items() if (outputs / name).is_file()}


def _document(
    single: SingleRun,
    words: list[str],
    variables: dict[str, str],
    outcome: Outcome,
    began: datetime,
    status: str,
    error: str | None,
) -> dict[str, Any]:
    cell = dataclasses.asdict(single.execution.cell)
    return {
        "schema": 1,
        "cell": cell,
        "run": single.execution.run,
        "status": status,
        "command": words,
        "environment": variables,
        "exit_code": outcome.exit_code,
        "timed_out": outcome.timed_out,
        "began": began.isoformat(),
        "ended": datetime.now(UTC).isoformat(),
        "elapsed_s": outcome.elapsed_s,
        "seed": single.seed,
        "position": single.execution.position,
        "target_facts": {
            "path": single.target.path,
            "kind": single.target.kind,
            "prefix": single.target.prefix,
            "emulated": single.target.emulated,
        },
        "error": error,
    }
