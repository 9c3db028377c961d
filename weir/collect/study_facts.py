"""facts.json: what a report contains about a study beside its numbers; from plan and run files alone."""

import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import weir
from weir.audit.judge import VERDICTS
from weir.base.errors import WeirError
from weir.base.files import read_shaped
from weir.collect.tally import MACHINE_KEYS, Tally
from weir.measure.machine.mount_settings import shown
from weir.plan import Plan
from weir.records.model import Cell, Row, grouped

LOCK = "envs/pip/requirements.txt"
_OF_A_REPOSITORY = re.compile("GIT_(?!CONFIG_)")  # which may name the checkout as a safe.directory


@cache
def commit_of(root: Path) -> str | None:
    """The commit of the code, with a mark if files differ from it; None outside of a checkout of weir."""
    if not (root / ".git").exists():  # a study in somebody's repository has that one's commits
        return None
    arguments = ["git", "-C", str(root), "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
    if not shutil.which("git"):
        return None
    # GIT_DIR, GIT_INDEX_FILE and the like are of the repository of a hook, or of somebody's dotfiles.
    environment = {name: value for name, value in os.environ.items() if not _OF_A_REPOSITORY.match(name)}
    done = subprocess.run(arguments, env=environment, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else None


def lock_of(root: Path) -> str | None:
    """A digest of the locked Python packages; None for an installed wheel."""
    try:
        return hashlib.sha256((root / LOCK).read_bytes()).hexdigest()[:12]
    except OSError:
        return None


@dataclass
class Planned:
    """Counts of cells, measured or not."""

    cells: int = 0
    executions: int = 0
    repetitions: list[dict[str, Any]] = field(default_factory=list)
    nodes: set[int] = field(default_factory=set)
    ppn: set[int] = field(default_factory=set)

    @classmethod
    def of_cells(cls, cells: Sequence[Cell]) -> "Planned":
        # The requests on the interval to which rounds are added.
        repetitions = [
            {"cell": one.cell, "rounds": one.rounds, "half_width": until.half_width, "at_most": until.at_most}
            for one in cells
            if (until := one.until)
        ]
        executions = sum(cell.rounds for cell in cells)
        nodes, ppn = {cell.nodes for cell in cells}, {cell.ppn for cell in cells}
        return cls(len(cells), executions, repetitions, nodes, ppn)

    def add(self, counts: Mapping[str, Any]) -> None:
        """The counts of some more cells, by their names."""
        self.cells += counts["cells"]
        self.executions += counts["executions"]
        self.repetitions += counts["repetitions"]
        self.nodes.update(counts["nodes"])
        self.ppn.update(counts["ppn"])


_TEXT, _COUNT = (str, int, float), (int, float)
# Keys of facts.json that commands read; archived records have few of them.
_SHAPE = {
    "digest?": str,
    "records?": int,
    "verdicts?": {"*": int},
    "read?": {"files": int, "read": int, "refused": int},
    "weir_version?": str,
    "lock?": str,
    "began?": str,
    "ended?": str,
    "seeds?": [int],
    "cells?": int,
    "finished_executions?": int,
    "site?": {"site?": str, "description?": str},
    "about?": {"*": (*_TEXT, bool, list, dict, type(None))},
    "machines?": [
        {"node?": str, "memory_bytes?": _COUNT, "cores?": _COUNT, "processor?": str, "power?": str}
    ],
    "targets?": [{"target": str, "kind?": str, "file_system?": str, "device?": str, "mount_options?": str}],
    "cross_check?": [{"text": str}],
    "stacks?": [{"stack": str, "description?": str, "programs?": [str]}],
}
_OF_A_SUITE = ("suite", "scale", "question", "description", "experiments", "claims")
_ROOT = Path(weir.__file__).resolve().parents[1]


def read_study_facts(path: Path, hint: str = "collect the study again: weir collect") -> dict[str, Any]:
    """facts.json of a study; FileNotFoundError if there is none."""
    return read_shaped(path, _SHAPE, hint)


def archive_facts(about: Mapping[str, Any], rows: Sequence[Row], read: Mapping[str, int]) -> dict[str, Any]:
    """The facts of records that others measured: the texts of their sidecar, and the counts of records and of
    the files that were read."""
    return {"about": dict(about), "read": dict(read)} | _counts(Tally.of_rows(rows))


def files_read(records: Path) -> dict[str, int] | None:
    """The counts of the files that these records were imported from; None for records of a study."""
    try:
        found: dict[str, int] | None = read_study_facts(records.with_name("facts.json")).get("read")
    except (FileNotFoundError, WeirError):
        return None
    return found


def study_facts(plan: Plan, planned: Planned, tally: Tally) -> dict[str, Any]:
    """The cells are counted in planned, those of the plan are not read. Null or an empty list where nothing
    is known; the reader prints that as unknown."""
    return {
        "weir_version": weir.__version__,
        "commit": commit_of(_ROOT),
        "lock": lock_of(_ROOT),
        "site": {
            "site": plan.site.name,
            "description": plan.site.description,
            "wire_gbit_s": plan.site.wire_gbit_s,
        },
        "suites": [{name: getattr(facts, name) for name in _OF_A_SUITE} for facts in plan.suites],
        "machines": _machines(tally),
        "slow_nodes": _slow_nodes(tally),
        "targets": _targets(plan, tally),
        "stacks": _stacks(plan, tally),
        "began": tally.began,
        "ended": tally.ended,
        "seeds": sorted(tally.seeds),
        "cells": planned.cells,
        "executions": planned.executions,
        "finished_executions": tally.runs,
        "failed_executions": tally.failed_runs,
        "points": plan.cost.points,
        # Executions that loops over every combination and repetition would count, and what is left of them.
        "factorial_executions": plan.cost.factorial,
        "valid_executions": plan.cost.valid,
        "reachable_executions": plan.cost.reachable,
        "unreachable": [vars(item) for item in plan.unreachable],
        "notes": list(plan.notes),
        "repetitions": planned.repetitions,
        # The numbers of nodes and of processes per node of all cells.
        "layout": {"nodes": sorted(planned.nodes), "ppn": sorted(planned.ppn)},
    } | _counts(tally)


def _counts(tally: Tally) -> dict[str, Any]:
    return {
        "records": tally.records,
        "verdicts": {verdict: tally.verdicts[verdict] for verdict in VERDICTS},
        "reasons": tally.triggered(),
    }


def _slow_nodes(tally: Tally) -> list[dict[str, str]]:
    """Nodes that stood out in any job, with how far they did at worst."""
    return [
        {"node": node, "finding": f"{kind} took {ratio:.1f} times the median of the nodes of its job"}
        for (node, kind), ratio in sorted(tally.slow_nodes.items())
    ]


def _targets(plan: Plan, tally: Tally) -> list[dict[str, Any]]:
    """The targets that the plan measures, with the file system that was found below them."""
    used = {batch.target for batch in plan.batches}
    # Real storage first.
    ordered = sorted(plan.site.targets.values(), key=lambda target: target.emulated)
    return [
        {
            "target": target.name,
            **{name: getattr(target, name) for name in ("kind", "description", "emulated", "path")},
            **_file_system(tally.file_systems.get(target.name) or {}),
            "peak_mib_s": dict(target.peak_mib_s) or None,
        }
        for target in ordered
        if target.name in used
    ]


def _file_system(found: Mapping[str, Any]) -> dict[str, Any]:
    """The file system below the target, as the runs found it."""
    return {
        "file_system": found.get("type"),
        "device": found.get("device"),
        "mount_options": _options(found),
        "links_mbit_s": found.get("links_mbit_s"),
        "server_memory_bytes": found.get("server_memory_bytes"),
    }


def _options(found: Mapping[str, Any]) -> str | None:
    """The options of the mount, and of the client of a network file system."""
    parts = [found.get("options"), shown(found.get("settings") or {})]
    return ",".join(filter(None, parts)) or None


def _stacks(plan: Plan, tally: Tally) -> list[dict[str, Any]]:
    used = {batch.stack for batch in plan.batches}
    return [
        {
            "stack": name,
            "description": stack.description,
            "programs": sorted(program for one, program in tally.programs if one == name),
        }
        for name, stack in plan.site.stacks.items()
        if name in used
    ]


def _machines(tally: Tally) -> list[dict[str, Any]]:
    """Each different machine once, in the order of its name; each power of its processors."""
    powers = grouped((tuple(same), power) for *same, power in tally.machines)
    machines = [
        dict(zip(MACHINE_KEYS, (*same, "; then ".join(filter(None, found)) or None), strict=True))
        for same, found in powers.items()
    ]
    return sorted(machines, key=lambda each: str(each["node"]))
