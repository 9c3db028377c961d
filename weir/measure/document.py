"""run.json in two halves: what is known before a program starts, and how it ended."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from weir.base.clock import wall
from weir.measure.clean_up.shared_memory import no_segment
from weir.measure.session import Execution
from weir.terms.model import Target
from weir.witness.document import WITNESS_FILE

SUMMARY_FILE = "summary.json"
OUTPUT_FILES = {
    "stdout": "stdout.txt",
    "stderr": "stderr.txt",
    "summary": SUMMARY_FILE,
    "witness": WITNESS_FILE,
}


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


def before(
    execution: Execution, target: Target, seed: int, command: Sequence[str], variables: Mapping[str, str]
) -> dict[str, Any]:
    """Everything that does not depend on what happens."""
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


def after(known: Mapping[str, Any], end: RunEnd, outputs: Path) -> dict[str, Any]:
    """The whole document; a failure without a reason gets the first line of the program's stderr, and that
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


def now() -> datetime:
    return wall()


def _first_complaint(file: Path) -> str:
    """Lack of shared memory; else the first line with text: launchers add their own paragraphs after it."""
    try:
        text = file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        text = ""
    if reason := no_segment(text):
        return reason
    lines = [line.strip() for line in text.splitlines() if line.strip(" -\t")]
    return lines[0] if lines else "no message on stderr"
