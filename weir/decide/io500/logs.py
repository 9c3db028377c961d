"""Reads from the IOR and mdtest logs of a result directory: size of the job, stonewalls, times of IOR."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from weir.base.errors import WeirError
from weir.decide.io500.result import PHASES, ReadBack
from weir.terms.model import Parsed, Row
from weir.tools import tools
from weir.tools.outputs import read_text

# Messages of IOR where it reads something else than was written.
_DIFFERS = re.compile(r"incorrect data|verifying the data", re.IGNORECASE)


@dataclass(frozen=True)
class Job:
    """The facts of the job; a field is None or absent where the logs do not contain it."""

    nodes: int | None
    tasks: int | None
    stonewall_s: Mapping[str, float]  # by phase; 0 is a run without a stonewall
    io_s: Mapping[str, float]  # of the phases of IOR: from the first transfer to the last one on all nodes
    refused: Mapping[Path, str]  # logs that cannot be read, with the reason
    best_of: Mapping[str, int]  # iterations of a phase of IOR, where there are several: IO500 takes the best
    read_back: Mapping[str, ReadBack]


def read_all(files: Iterable[Path]) -> tuple[dict[Path, str], dict[Path, str]]:
    """Texts; and the files that cannot be read, with the reason."""
    texts: dict[Path, str] = {}
    refused: dict[Path, str] = {}
    for file in files:
        try:
            texts[file] = read_text(file)
        except OSError as error:
            refused[file] = error.strerror or str(error)
        except WeirError as error:
            refused[file] = error.problems[0].message
    return texts, refused


def read_logs(folder: Path) -> Job:
    """Reads the logs of the phases, in the order in which they ran."""
    nodes: int | None = None
    tasks: int | None = None
    stonewall_s: dict[str, float] = {}
    io_s: dict[str, float] = {}
    refused: dict[Path, str] = {}
    best_of: dict[str, int] = {}
    read_back: dict[str, ReadBack] = {}
    for name in PHASES:
        tool = tools().get(name.partition("_")[0])
        if tool is None or not (name.endswith("_write") or PHASES[name] == "GiB/s"):
            continue
        texts, unreadable = read_all(sorted(folder.glob(f"{name.replace('_', '[-_]')}.txt")))
        refused |= unreadable
        for text in texts.values():
            for run in tool.parse_log(text):
                nodes = nodes or run.requested.get("nodes")
                tasks = tasks or run.requested.get("tasks")
                if run.requested.get("stonewall") is not None:
                    stonewall_s[name] = run.requested["stonewall"]
                if PHASES[name] == "GiB/s" and name.endswith("_read"):
                    read_back[name] = _read_back(run)
                if PHASES[name] == "GiB/s" and (timed := _timed(run.rows, name)):
                    io_s[name] = max(timed)[1]
                    best_of |= {name: len(timed)} if len(timed) > 1 else {}
    return Job(nodes, tasks, stonewall_s, io_s, refused, best_of, read_back)


def _timed(rows: Iterable[Row], name: str) -> list[tuple[float, float]]:
    """Bandwidth and time of each iteration of a phase."""
    access = name.rpartition("_")[2]
    numbers = [(row["bw_mib_s"], row["io_s"]) for row in rows if row["access"] == access]
    return [(rate, io_s) for rate, io_s in numbers if isinstance(rate, float) and isinstance(io_s, float)]


def _read_back(run: Parsed) -> ReadBack:
    """Tasks are shifted by nodes (-C), and what is read is compared (-R); IOR prints what differs."""
    requested = run.requested
    if requested.get("nodes") in (None, 1):
        return ReadBack(None, "the number of nodes is not printed, or is 1")
    if requested.get("reorder", "none") == "none":
        return ReadBack(None, "tasks may read what their own node wrote (no -C)")
    if not requested.get("verify_read"):
        return ReadBack(None, "what was read is not compared (no -R)")
    if errors := [one.text for one in run.messages if one.level == "error"]:
        return ReadBack(False if _DIFFERS.search(" ".join(errors)) else None, errors[0])
    return ReadBack(True, "read by another node (-C) and compared (-R)")
