"""Studies that hold every condition of a contract, written as files, and edits that violate one."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from weir.decide.accept.contract import Contract, Line
from weir.plan.config.parameters import cell_default, cell_key
from weir.records.table import write_records
from weir.terms.columns import columns, repeated_parameters
from weir.terms.model import Row
from weir.tools import tools

MEMORY = 64 * 2**30
Edit = Callable[[dict[str, Any]], None]


def cells_of(contract: Contract, values: Mapping[str, float]) -> list[dict[str, Any]]:
    """A cell for each line, shared where lines differ in their access only."""
    cells: dict[str, dict[str, Any]] = {}
    for line in contract.lines:
        key = json.dumps([line.tool, line.select, line.conditions["fixed"], line.conditions.get("nodes")])
        cell = cells.setdefault(key, _cell(line, f"c{len(cells):02d}"))
        accesses = line.conditions.get("same_run", line.access)
        for access in (*line.access, *accesses):
            cell["values"].setdefault(access, 1000.0)
        bound = line.promise.bound if line.promise else None
        value = values.get(line.name, (bound or 1000.0) * 1.2)
        for access in line.access:
            cell["values"][access] = value / len(line.access)
    return list(cells.values())


def _cell(line: Line, name: str) -> dict[str, Any]:
    parameters = {
        cell_key(key, parameter): cell_default(parameter)
        for key, parameter in tools()[line.tool].parameters.items()
    }
    chosen = {**line.select, **line.conditions["fixed"]}
    nodes = chosen.pop("nodes", None) or max(line.conditions.get("nodes", {}).values(), default=1)
    ppn = chosen.pop("ppn", None) or max(line.conditions.get("ppn", {}).values(), default=4)
    return {
        "cell": name,
        "tool": line.tool,
        "nodes": nodes,
        "ppn": ppn,
        "params": {**parameters, **chosen},
        "values": {},
        "rounds": line.conditions.get("rounds_at_least", 1) + 3,
        "iterations": line.conditions.get("iterations_at_least", 1),
        "verdict": "VALID",
        "target": "scratch",
        "moved_bytes": 2 * MEMORY * nodes,
        "total_s": 400.0,
        "ops": 1 << 20,
        "program": "IOR",
        "version": "3.3.0",
        "emulated": False,
        "command": ["ior", "-M", "80%", "-e", "-g"],
        "memory_bytes": MEMORY,
        "spread": 0.01,
        "drop": (),
    }


def write_study(folder: Path, cells: list[dict[str, Any]]) -> Path:
    """results/lab/<study> with its records, and the runs beside it."""
    study = folder / "results" / "lab" / "study"
    rows: list[Row] = []
    for cell in cells:
        for run in range(cell["rounds"]):
            at = folder / "results" / "lab" / "runs" / cell["cell"] / f"{run:03d}"
            at.mkdir(parents=True, exist_ok=True)
            (at / "run.json").write_text(json.dumps(_run(cell, run)) + "\n")
            rows += [
                _row(cell, run, access, iteration)
                for access in cell["values"]
                if access not in cell["drop"]
                for iteration in range(cell["iterations"])
            ]
    study.mkdir(parents=True, exist_ok=True)
    write_records(study / "records.csv", rows)
    return study


def _run(cell: Mapping[str, Any], run: int) -> dict[str, Any]:
    known = {"cell": cell["cell"], "tool": cell["tool"], "params": cell["params"]}
    host = {
        "memory_bytes": cell["memory_bytes"],
        "processor": "a processor",
        "kernel": "6.1",
        "system": "Linux",
    }
    return {"schema": 1, "cell": known, "run": run, "command": cell["command"], "host": host}


def _row(cell: Mapping[str, Any], run: int, access: str, iteration: int) -> Row:
    wave = cell["spread"] * (1 if run % 2 else -1)
    value = cell["values"][access] * (1 + wave)
    metadata = cell["tool"] == "mdtest"
    parameters = {
        column: cell["params"][name]
        for column, name in repeated_parameters().items()
        if name in cell["params"]
    }
    row = {
        **parameters,
        "access": access,
        "nn": cell["nodes"],
        "ppn": cell["ppn"],
        "iteration": iteration,
        "run": run,
        "cell": cell["cell"],
        "label": cell["cell"],
        "site": "lab",
        "target": cell["target"],
        "stack": "debian",
        "tool": cell["tool"],
        "suite": "s",
        "verdict": cell["verdict"],
        "emulated": cell["emulated"],
        "reasons": "read-from-cache" if cell["verdict"] == "DEGRADED" else "",
        "evidence": "",
        "notes": "",
        "checked": "",
        "missing": "stored" if cell["verdict"] == "UNPROVEN" else "",
        "moved_bytes": cell["moved_bytes"],
        "total_s": cell["total_s"],
        "ops": cell["ops"] if metadata else None,
        "bw_mib_s": None if metadata else value,
        "ops_s": value if metadata else None,
        "program": cell["program"],
        "tool_version": cell["version"],
        "began": f"2026-03-01T{run:02d}:00:00+00:00",
    }
    return {name: value for name, value in row.items() if name in columns()}
