"""weir collect: run files to records.csv; every planned access of every run gives a row, failed ones too."""

from __future__ import annotations

import argparse
import csv
import io
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from weir.model import Cell, Row
from weir.plan import read_plan
from weir.records.collect import Run, collect_cell, finished_runs, site_folder
from weir.records.facts import study_facts
from weir.records.table import write_records, write_whole

NAME = "collect"
HELP = "turn the run files of a plan into records.csv, with a verdict on every row"
EXAMPLE = "weir collect --plan build/plan.json --results results/local --out results/local/records.csv"
_EXCLUDED_COLUMNS = ("suite", "experiment", "reason", "cells")
_NOT_MEASURED = "planned, but no run of it has ended"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--plan", type=Path, required=True, help="plan.json of weir plan")
    parser.add_argument(
        "--results",
        type=Path,
        help="folder of the site, that holds runs/; left out: the one above the plan's",
    )
    parser.add_argument(
        "--out", type=Path, required=True, help="table to write; excluded.csv and facts.json go beside it"
    )
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")


def execute(args: argparse.Namespace) -> int:
    plan = read_plan(args.plan)
    cells = plan.cells
    rows: list[Row] = []
    all_runs: list[Run] = []
    not_measured: list[Cell] = []
    for cell in cells:
        results = site_folder(args.results or args.plan.resolve().parent.parent, cell.site)
        runs = finished_runs(results / "runs" / cell.cell)
        rows += collect_cell(cell, runs, results)
        all_runs += runs
        if not runs:
            not_measured.append(cell)
    planned = [(one.suite, one.experiment, one.reason, one.count) for one in plan.exclusions]
    excluded = [*planned, *_not_measured(not_measured)]
    write_records(args.out, rows)
    write_whole(args.out.with_name("excluded.csv"), _excluded_table(excluded))
    facts = study_facts(plan, all_runs, rows)
    write_whole(args.out.with_name("facts.json"), json.dumps(facts, indent=1) + "\n")
    summary = summarise(cells, not_measured, rows, args.out)
    print(json.dumps(summary, indent=1) if args.json else describe(summary))
    return 0


def summarise(
    cells: Sequence[Cell], not_measured: Sequence[Cell], rows: Sequence[Row], out: Path
) -> dict[str, Any]:
    verdicts = Counter(row["verdict"] for row in rows)
    reasons = Counter(reason for row in rows for reason in row["reasons"].split(";") if reason)
    return {
        "records": len(rows),
        "cells": len(cells),
        "cells_without_run": len(not_measured),
        "verdicts": {verdict: verdicts[verdict] for verdict in ("VALID", "DEGRADED", "INVALID")},
        "reasons": dict(reasons.most_common()),
        "out": str(out),
    }


def describe(summary: dict[str, Any]) -> str:
    """For people: one line of counts, then the reasons."""
    counts = ", ".join(f"{count} {verdict}" for verdict, count in summary["verdicts"].items())
    lines = [f"{summary['out']}: {summary['records']} records of {summary['cells']} cells: {counts}"]
    lines += [f"  {count:6d} x {reason}" for reason, count in summary["reasons"].items()]
    if summary["cells_without_run"]:
        lines.append(f"  {summary['cells_without_run']} cells have no finished run yet")
    return "\n".join(lines)


def _not_measured(cells: Iterable[Cell]) -> Iterable[tuple[Any, ...]]:
    counts = Counter((cell.suite, cell.experiment) for cell in cells)
    return [(suite, experiment, _NOT_MEASURED, count) for (suite, experiment), count in counts.items()]


def _excluded_table(lines: Iterable[tuple[Any, ...]]) -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(_EXCLUDED_COLUMNS)
    writer.writerows(lines)
    return buffer.getvalue()
