"""weir collect: run files to records.csv; every planned access of every run gives a row, failed ones too."""

from __future__ import annotations

import argparse
import csv
import io
import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from weir.model import Cell, Row
from weir.plan.files import read_plan
from weir.plan.model import Plan
from weir.records.collect import collect_cell, finished_runs, site_folder
from weir.records.summary import describe, summarise
from weir.records.table import write_records, write_whole

NAME = "collect"
HELP = "turn the run files of a plan into records.csv, with a verdict on every row"
EXAMPLE = (
    "weir collect --plan results/local/plan.json --results results/local --out results/local/records.csv"
)
_EXCLUDED_COLUMNS = ("suite", "experiment", "reason", "cells")
_NOT_MEASURED = "planned, but no run of it has ended"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--plan", type=Path, required=True, metavar="FILE", help="plan.json of weir plan")
    parser.add_argument(
        "--results", type=Path, required=True, metavar="DIR", help="folder of the site, that holds runs/"
    )
    parser.add_argument(
        "--out", type=Path, required=True, metavar="FILE", help="records.csv; excluded.csv goes beside it"
    )
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")


def execute(args: argparse.Namespace) -> int:
    plan = read_plan(args.plan)
    rows: list[Row] = []
    not_measured: list[Cell] = []
    for cell in plan.cells:
        results = site_folder(args.results, cell.site)
        runs = finished_runs(results / "runs" / cell.cell)
        rows += collect_cell(cell, runs, results)
        if not runs:
            not_measured.append(cell)
    write_records(args.out, rows)
    write_whole(args.out.with_name("excluded.csv"), excluded_table(plan, not_measured))
    summary = summarise(rows, args.out) | {
        "cells_planned": len(plan.cells),
        "cells_without_run": len(not_measured),
    }
    print(json.dumps(summary, indent=1) if args.json else _text(summary))
    return 0


def excluded_table(plan: Plan, not_measured: Iterable[Cell]) -> str:
    """What the plan left out, and what it holds and nobody has measured."""
    lines: list[tuple[Any, ...]] = [
        (one.suite, one.experiment, one.reason, one.count) for one in plan.exclusions
    ]
    missing = Counter((cell.suite, cell.experiment) for cell in not_measured)
    lines += [(suite, experiment, _NOT_MEASURED, count) for (suite, experiment), count in missing.items()]
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(_EXCLUDED_COLUMNS)
    writer.writerows(lines)
    return buffer.getvalue()


def _text(summary: dict[str, Any]) -> str:
    missing = summary["cells_without_run"]
    more = (
        f"\n  {missing} of {summary['cells_planned']} planned cells have no finished run yet"
        if missing
        else ""
    )
    return describe(summary) + more
