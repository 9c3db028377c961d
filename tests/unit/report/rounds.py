"""Recorded rounds of a study: rows as the audit leaves them, without a program and without a clock."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.checkout import SITE, SUITE, TARGET, load, make_checkout
from weir.collect.parsed_runs import Run
from weir.collect.progress import EndedExecution
from weir.plan import Plan, make_plan
from weir.records.columns import columns
from weir.records.model import Cell, Row
from weir.report.live import LiveStudy

HOST = {"node": "n7", "nodes": "n[7-8]", "processor": "P", "cores": 4, "memory_bytes": 2**34}
RATES = {"write": (100.0, 104.0, 98.0), "read": (400.0, 380.0, 420.0)}  # MiB/s, by round


def small_plan(folder: Path) -> Plan:
    """Eight cells of two rounds: four for one process, four for two."""
    suite = SUITE.replace("rounds: 2", "rounds: 3").replace("iterations: 3", "iterations: 1")
    return make_plan(load(make_checkout(folder, {"mine": suite}, SITE, {"disk": TARGET})))


def row_of(cell: Cell, number: int, access: str, **changes: Any) -> Row:
    row: Row = dict.fromkeys(columns())
    params = cell.params
    return row | {
        "api": params["api"], "access": access, "layout": "shared", "order": "sequential",
        "xfer_bytes": params["xfer_bytes"], "nn": cell.nodes, "ppn": cell.ppn, "cell": cell.cell,
        "target": cell.target, "label": cell.label, "run": number, "iteration": number,
        "purpose": "bandwidth",
        "emulated": False, "sync": True, "bw_mib_s": RATES[access][number] * cell.ppn, "total_s": 1.0,
        "verdict": "VALID", "proof": "devices", "reasons": "", "evidence": "", "notes": "", "missing": "",
        "source": f"runs/{cell.cell}/{number:03d}/summary.json",
    } | changes  # fmt: skip


def run_of(cell: Cell, number: int, status: str = "done", error: str | None = None) -> Run:
    facts = {
        "run": number, "cell": {"cell": cell.cell, "target": cell.target}, "status": status, "error": error,
        "host": HOST, "seed": 3, "began": "2026-11-23T10:00:00+00:00", "ended": "2026-11-23T10:00:02+00:00",
    }  # fmt: skip
    return Run(Path(f"runs/{cell.cell}/{number:03d}"), facts)


def measure(live: LiveStudy, plan: Plan, rounds: Sequence[int]) -> None:
    """As StudyProgress tells of it."""
    for number in rounds:
        for batch, one in zip(plan.batches, live.progress.batches, strict=True):
            for cell in batch.cells:
                rows = [row_of(cell, number, access) for access in RATES]
                live.take(EndedExecution(batch, cell, number, rows, run_of(cell, number)))
                one.done += 1
                one.elapsed_s.append(2.0)
            one.state = "running" if one.left else "finished"
            one.rates_mib_s = {access: RATES[access][number] for access in RATES}
