"""Studies for the tests of the report: synthetic records, drawn and printed without Snakemake."""

import csv
import json
import os
import re
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from tests.programs import ran
from tests.unit.printed import text_of
from weir.audit.explain import triggered
from weir.collect.intervals import write_intervals

ROOT = Path(__file__).resolve().parents[2]
MIB = 2**20
Record = dict[str, Any]


def record(access: str = "write", bw_mib_s: float = 100.0, **columns: Any) -> Record:
    """One synthetic record: 16 MiB by one process. Nothing of it was measured."""
    row: Record = {
        "api": "POSIX", "access": access, "nn": 1, "ppn": 1, "xfer_bytes": MIB, "layout": "shared",
        "order": "sequential", "block_bytes": 16 * MIB, "stonewall_s": 0, "stripe_count": "", "iteration": 0,
        "moved_bytes": 16 * MIB, "open_s": 0.001, "close_s": 0.001, "suite": "synthetic", "cell": "c0ffee",
        "site": "nowhere", "target": "plain", "stack": "plain", "tool": "ior", "verdict": "VALID",
        "reasons": "", "evidence": "", "emulated": False, "experiment": "one", "label": "a cell",
        "sync": True, "requested_bytes": 16 * MIB, "program": "weir-io", "tool_version": "0.1.0",
    }  # fmt: skip
    row |= columns
    total_s = row["moved_bytes"] / MIB / bw_mib_s if row["moved_bytes"] != "" else ""
    times = {"total_s": total_s, "io_s": total_s - 0.002, "bw_mib_s": bw_mib_s} if total_s != "" else {}
    return row | {"total_s": "", "io_s": "", "bw_mib_s": "", **times, **columns}


def repeated(count: int = 4, **columns: Any) -> list[Record]:
    """Writes and reads of one cell."""
    return [
        record(access, speed + number, iteration=number, **columns)
        for access, speed in (("write", 100.0), ("read", 700.0))
        for number in range(count)
    ]


def invalid(row: Record) -> Record:
    numbers = dict.fromkeys(("moved_bytes", "open_s", "io_s", "close_s", "total_s", "bw_mib_s"), "")
    spoke = {"verdict": "INVALID", "reasons": "exit-code", "evidence": "exit code 1"}
    return row | numbers | spoke


def facts_of(rows: Iterable[Record], **changes: Any) -> dict[str, Any]:
    """As `weir collect` writes them."""
    held = list(rows)
    verdicts = [row["verdict"] for row in held]
    targets = {row["target"]: row["emulated"] for row in held}
    return {
        "weir_version": "0.1.0",
        "site": {"site": "nowhere", "description": "A machine that does not exist"},
        "suites": [
            {"suite": "synthetic", "scale": "full", "question": "Does it print?", "description": "A test"}
        ],
        "machines": [
            {
                "node": "n1",
                "kernel": "6",
                "system": "Linux",
                "processor": "P",
                "cores": 2,
                "memory_bytes": 2**34,
            }
        ],
        "slow_nodes": [],
        "targets": [
            {"target": name, "kind": "disk", "description": "", "emulated": emulated, "file_system": "ext4"}
            for name, emulated in targets.items()
        ],
        "stacks": [{"stack": "plain", "description": "One", "programs": ["weir-io 0.1.0"]}],
        "began": "2026-11-20T22:03:24+00:00",
        "ended": "2026-11-20T22:04:17+00:00",
        "seeds": [1, 2],
        "cells": 1,
        "executions": 2,
        "finished_executions": 2,
        "failed_executions": 0,
        "excluded_points": 0,
        "records": len(held),
        "verdicts": {verdict: verdicts.count(verdict) for verdict in ("VALID", "DEGRADED", "INVALID")},
        "reasons": triggered(held),
    } | changes


@dataclass(frozen=True)
class Printed:
    """What came out of the printer."""

    folder: Path
    log: str

    @property
    def pdf(self) -> Path:
        return self.folder / "report.pdf"

    @cached_property
    def pages(self) -> list[str]:
        return text_of(self.pdf).split("\f")[:-1]

    @property
    def arguments(self) -> str:
        """The text with single spaces, hyphens at ends of lines taken back."""
        return re.sub(r"\s+", " ", re.sub(r"-\n\s*", "", "\n".join(self.pages)))

    @property
    def warnings(self) -> list[str]:
        return [line for line in self.log.splitlines() if line.startswith("warning: ")]


def run(
    *arguments: str | Path, root: Path = ROOT, code: int | None = None
) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PATH": f"{ROOT / '.venv/bin'}:{os.environ['PATH']}", "LC_ALL": "C"}
    return ran(arguments, cwd=root, env=environment, timeout=300, code=code)


def write_study(
    folder: Path, rows: list[Record], facts: Mapping[str, Any], excluded: Iterable[Mapping[str, Any]] = ()
) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "records.csv").open("w", newline="") as file:
        table = csv.DictWriter(file, list(dict.fromkeys(key for row in [record(), *rows] for key in row)))
        table.writeheader()
        table.writerows(
            {key: str(value).lower() if isinstance(value, bool) else value for key, value in row.items()}
            for row in rows
        )
    with (folder / "excluded.csv").open("w", newline="") as file:
        lines = csv.DictWriter(file, ["suite", "experiment", "reason", "cells"])
        lines.writeheader()
        lines.writerows(excluded)
    (folder / "latencies.csv").write_text("cell,run,access,iteration,upper_us,count\n")
    write_intervals(folder / "records.csv")
    (folder / "facts.json").write_text(json.dumps(facts))


def draw(folder: Path, root: Path = ROOT) -> None:
    """Figures, tables, claims and numbers of a study, by one process."""
    published = "published=reference/published.csv"
    run("Rscript", "analysis/draw.R", "study", folder, "--with", published, root=root, code=0)


def print_study(folder: Path, report: str = "measurement", **how: Any) -> subprocess.CompletedProcess[str]:
    return run("reports/print.sh", f"reports/{report}/main.tex", folder, folder / "report.pdf", **how)


def printed(
    folder: Path,
    rows: list[Record],
    facts: Mapping[str, Any] | None = None,
    excluded: Iterable[Mapping[str, Any]] = (),
) -> Printed:
    """From records to paper."""
    write_study(folder, rows, facts or facts_of(rows), excluded)
    draw(folder)
    return Printed(folder, print_study(folder, code=0).stdout)
