"""What the IOR and mdtest logs of a result directory add: size of the job, requested stonewalls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from weir.io500.result import WRITE_PHASES
from weir.tools import tools


@dataclass(frozen=True)
class Job:
    """None or absent where the logs do not contain it."""

    nodes: int | None
    tasks: int | None
    stonewall_s: Mapping[str, float]  # by write phase; 0 is a run without a stonewall


def read_logs(folder: Path) -> Job:
    """From the logs of the write phases, in the order in which they ran."""
    nodes: int | None = None
    tasks: int | None = None
    stonewall_s: dict[str, float] = {}
    for name in WRITE_PHASES:
        tool = tools()[name.partition("_")[0]]
        for file in sorted(folder.glob(f"{name.replace('_', '[-_]')}.txt")):
            for run in tool.parse_log(file.read_text(encoding="utf-8", errors="replace")):
                nodes = nodes or run.requested.get("nodes")
                tasks = tasks or run.requested.get("tasks")
                if run.requested.get("stonewall") is not None:
                    stonewall_s[name] = run.requested["stonewall"]
    return Job(nodes, tasks, stonewall_s)
