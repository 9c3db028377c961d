"""facts.json: what a report says about a study beside its numbers; from plan and run files alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import weir
from weir.audit.explain import triggered
from weir.audit.judge import VERDICTS
from weir.model import Cell, Row
from weir.plan import Plan
from weir.records.collect import Run
from weir.tools import tools
from weir.tools.base import ROLES

_MACHINE_KEYS = ("node", "kernel", "system", "processor", "cores", "memory_bytes")


def archive_facts(about: Mapping[str, Any], rows: Sequence[Row]) -> dict[str, Any]:
    """Of records that others measured: what their sidecar tells readers, and the counts."""
    return {"about": dict(about), "tools": tool_facts()} | _counts(rows)


def tool_facts() -> dict[str, dict[str, str]]:
    """Every tool with its role, by which the analysis chooses records: it knows no tool by its name."""
    return {name: {"role": tool.role, "about": ROLES[tool.role]} for name, tool in sorted(tools().items())}


def study_facts(plan: Plan, runs: Sequence[Run], rows: Sequence[Row]) -> dict[str, Any]:
    """Null or an empty list where nothing is known; the reader prints that as unknown."""
    return {
        "weir_version": weir.__version__,
        "site": {
            "site": plan.site.name,
            "description": plan.site.description,
            "wire_gbit_s": plan.site.wire_gbit_s,
        },
        "scale": plan.scale,
        "tools": tool_facts(),
        "suites": [
            {"suite": facts.suite, "question": facts.question, "description": facts.description}
            for facts in plan.suites
        ],
        "machines": _distinct({key: run.facts["host"].get(key) for key in _MACHINE_KEYS} for run in runs),
        "slow_nodes": _slow_nodes(runs),
        "targets": _targets(plan, runs),
        "stacks": _stacks(plan, rows),
        "began": min((run.facts["began"] for run in runs), default=None),
        "ended": max((run.facts["ended"] for run in runs), default=None),
        "seeds": sorted({run.facts["seed"] for run in runs}),
        "cells": len(plan.cells),
        "executions": sum(cell.rounds for cell in plan.cells),
        "finished_executions": len(runs),
        "failed_executions": sum(run.facts["status"] != "done" for run in runs),
        "points": plan.cost.points,
        "excluded_points": plan.cost.excluded,
        # As loops over every combination and repetition would count them, and what is left of that.
        "factorial_executions": plan.cost.factorial,
        "valid_executions": plan.cost.valid,
        "reachable_executions": plan.cost.reachable,
        "out_of_reach": [
            {"suite": item.suite, "nodes": list(item.nodes), "ppn": list(item.ppn)}
            for item in plan.out_of_reach
        ],
        "notes": list(plan.notes),
        "layout": _layouts(plan.cells),
    } | _counts(rows)


def _counts(rows: Sequence[Row]) -> dict[str, Any]:
    verdicts = Counter(row["verdict"] for row in rows)
    return {
        "records": len(rows),
        "verdicts": {verdict: verdicts[verdict] for verdict in VERDICTS},
        "reasons": triggered(rows),
    }


def _slow_nodes(runs: Iterable[Run]) -> list[dict[str, str]]:
    """Nodes that stood out in any job, with how far they did at worst."""
    worst: dict[tuple[str, str], float] = {}
    for item in (item for run in runs for item in run.facts["host"].get("slow_nodes") or ()):
        key = (item["node"], item["kind"])
        worst[key] = max(worst.get(key, 0.0), item["time_s"] / item["median_s"])
    return [
        {"node": node, "finding": f"{kind} took {ratio:.1f} times the median of the nodes of its job"}
        for (node, kind), ratio in sorted(worst.items())
    ]


def _targets(plan: Plan, runs: Iterable[Run]) -> list[dict[str, Any]]:
    """Only those that the plan measures, with the file system that was found below them."""
    found: dict[str, Any] = {}
    for run in runs:
        found.setdefault(run.facts["cell"]["target"], run.facts["host"].get("file_system"))
    used = {batch.target for batch in plan.batches}
    return [
        {
            "target": target.name,
            "kind": target.kind,
            "description": target.description,
            "emulated": target.emulated,
            "file_system": (found.get(target.name) or {}).get("type"),
        }
        for target in plan.site.targets.values()
        if target.name in used
    ]


def _stacks(plan: Plan, rows: Sequence[Row]) -> list[dict[str, Any]]:
    used = {batch.stack for batch in plan.batches}
    return [
        {
            "stack": name,
            "description": stack.description,
            "programs": sorted(
                {
                    f"{row['program']} {row['tool_version']}"
                    for row in rows
                    if row["stack"] == name and row.get("program") and row.get("tool_version")
                }
            ),
        }
        for name, stack in plan.site.stacks.items()
        if name in used
    ]


def _layouts(cells: Iterable[Cell]) -> dict[str, list[int]]:
    """The numbers of nodes and of processes per node that the study spans."""
    held = list(cells)
    return {"nodes": sorted({cell.nodes for cell in held}), "ppn": sorted({cell.ppn for cell in held})}


def _distinct(facts: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Each different machine once, in the order of its name."""
    seen = {tuple(each.items()): dict(each) for each in facts}
    return sorted(seen.values(), key=lambda each: str(each.get("node")))
