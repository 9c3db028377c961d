"""Studies that hold every condition of a contract, written as files, and edits that violate one."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.checkout import ROOT
from tests.unit.recorded import collect, measure
from weir.collect.table import read_records, write_records
from weir.decide.accept.contract import Contract, Line, read_contract
from weir.plan.config.parameters import cell_default, cell_key
from weir.records.columns import columns, repeated_parameters
from weir.records.model import Row
from weir.tools import tools

CONTRACTS = ROOT / "config" / "contracts"
CONTRACT = "mistral-2015"
OPEN = "5000"
PLANNED = 6  # rounds_at_least of mistral-2015, and three
MEMORY = 64 * 2**30
Edit = Callable[[dict[str, Any]], None]


def contract_of(name: str) -> Contract:
    """With every open promise filled."""
    path = CONTRACTS / f"{name}.yaml"
    given = [
        f"{line.name}={OPEN} MiB/s" if line.promise.metric == "bandwidth" else f"{line.name}={OPEN}"
        for line in read_contract(path).lines
        if line.promise and line.promise.bound is None
    ]
    return read_contract(path, given)


def verified_study(folder: Path) -> Path:
    """All conditions hold, every run has its line, and the promises are reached."""
    study = write_study(folder, cells_of(contract_of(CONTRACT), {}))
    measure_again(study)
    return again(study)


def rows_of(study: Path) -> list[Row]:
    return read_records(study / "records.csv")


def measure_again(study: Path) -> None:
    """Each run of the records ends, and has a line in the ledger."""
    measure(study.parent, rows_of(study), PLANNED)


def again(study: Path) -> Path:
    """weir collect, after the runs or the records were changed."""
    return collect(study.parent, study.name, rows_of(study), PLANNED)


def run_of(study: Path, run: int = 3, cell: str = "c00") -> Path:
    return study.parent / "runs" / cell / f"{run:03d}"


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
        "cell": name, "tool": line.tool, "nodes": nodes, "ppn": ppn, "params": {**parameters, **chosen},
        "values": {}, "rounds": line.conditions.get("rounds_at_least", 1) + 3,
        "iterations": line.conditions.get("iterations_at_least", 1), "verdict": "VALID", "target": "scratch",
        "moved_bytes": 2 * MEMORY * nodes, "total_s": 400.0, "ops": 1 << 20, "program": "IOR",
        "version": "3.3.0", "emulated": False, "command": ["ior", "-M", "80%", "-e", "-g"],
        "memory_bytes": MEMORY, "spread": 0.01, "drop": (),
    }  # fmt: skip


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
    host = {"processor": "a processor", "kernel": "6.1", "system": "Linux"}
    host |= {"memory_bytes": cell["memory_bytes"]}
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
    row = parameters | {
        "access": access, "nn": cell["nodes"], "ppn": cell["ppn"], "iteration": iteration, "run": run,
        "cell": cell["cell"], "label": cell["cell"], "site": "lab", "target": cell["target"],
        "stack": "debian", "tool": cell["tool"], "suite": "s", "verdict": cell["verdict"],
        "emulated": cell["emulated"], "evidence": "", "notes": "", "checked": "",
        "reasons": "read-from-cache" if cell["verdict"] == "DEGRADED" else "",
        "missing": "stored" if cell["verdict"] == "UNPROVEN" else "",
        "moved_bytes": cell["moved_bytes"], "total_s": cell["total_s"],
        "ops": cell["ops"] if metadata else None, "bw_mib_s": None if metadata else value,
        "ops_s": value if metadata else None, "program": cell["program"], "tool_version": cell["version"],
        "began": f"2026-03-01T{run:02d}:00:00+00:00",
    }  # fmt: skip
    return {name: value for name, value in row.items() if name in columns()}
