"""weir collect: run files to records.csv; every planned access of every run gives a row, failed ones too."""

from __future__ import annotations

import argparse
import json
import os
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from weir.columns import columns
from weir.errors import WeirError
from weir.files import whole_bytes
from weir.integrity.manifest import write_manifest
from weir.model import Cell
from weir.plan.files import read_plan
from weir.plan.model import Plan
from weir.records.client_counters import COLUMNS, COUNTERS_FILE
from weir.records.collect import site_folder
from weir.records.excluded import ExcludedLine, write_excluded
from weir.records.latencies import LATENCIES_FILE
from weir.records.run_cache import CACHE_FILE, write_head
from weir.records.study import Work, blocks_of, collected
from weir.records.study_facts import study_facts
from weir.records.summary import describe
from weir.records.table import write_whole
from weir.records.tally import Tally
from weir.runfiles import RUN_FILE, why_unavailable

NAME = "collect"
HELP = "turn the run files of a plan into records.csv, with a verdict on every row"
EXAMPLE = (
    "weir collect --plan results/local/plan.json --results results/local --out results/local/records.csv"
)
_NOT_MEASURED = "planned, but no run of it has ended"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--plan", type=Path, required=True, metavar="FILE", help="plan.json of weir plan")
    parser.add_argument(
        "--results",
        type=Path,
        metavar="DIR",
        help="directory of the site, with runs/; default: the parent of the plan's",
    )
    parser.add_argument(
        "--out",
        type=Path,
        required=True,
        metavar="FILE",
        help="records.csv; excluded.csv, latencies.csv, client-counters.csv and facts.json go beside it",
    )
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")


def execute(args: argparse.Namespace) -> int:
    plan = read_plan(args.plan)
    where = args.results or args.plan.resolve().parent.parent
    args.out.parent.mkdir(parents=True, exist_ok=True)
    not_measured: list[Cell] = []
    sums: dict[str, str] = {}
    tally = _write_tables(args.out, plan, where, not_measured, sums)
    write_excluded(args.out.with_name("excluded.csv"), excluded_lines(plan, not_measured, where))
    tables = [args.plan, args.out.with_name(COUNTERS_FILE)]
    digest = write_manifest(args.out.parent, args.out.name, tables, sums)
    facts = study_facts(plan, tally) | {"digest": digest}
    write_whole(args.out.with_name("facts.json"), json.dumps(facts, indent=1) + "\n")
    summary = {"out": str(args.out), **tally.summary()} | {
        "cells_planned": len(plan.cells),
        "cells_without_run": len(not_measured),
    }
    print(json.dumps(summary, indent=1) if args.json else _text(summary))
    return 0


def _write_tables(
    out: Path, plan: Plan, where: Path, not_measured: list[Cell], sums: dict[str, str]
) -> Tally:
    """The tables and the cache, block after block: no table is in memory as a whole. Fills the list of the
    cells without a run, and the SHA-256 of every run.json."""
    tally, results, cells = Tally(), site_folder(where, plan.site.name), plan.cells
    runs = os.path.relpath(results / "runs", out.parent)
    with (
        whole_bytes(out) as records,
        whole_bytes(out.with_name(LATENCIES_FILE)) as latencies,
        whole_bytes(out.with_name(COUNTERS_FILE)) as counters,
        whole_bytes(out.with_name(CACHE_FILE)) as kept,
    ):
        tables = (records, latencies, counters)
        for table, names in zip(tables, (columns(), columns("latency"), COLUMNS), strict=True):
            table.write(f"{','.join(names)}\n".encode())
        write_head(kept)
        measured: set[str] = set()
        for block, content in collected(Work(blocks_of(cells), results, out.with_name(CACHE_FILE))):
            for table, lines in zip(tables, content.tables, strict=True):
                table.write(lines)
            tally.add(content.tally)
            sums |= {f"{runs}/{key}/{RUN_FILE}": checksum for key, checksum in content.sums.items()}
            measured |= {key.partition("/")[0] for key in content.sums}
            block.write(kept)
        if not tally.runs:
            raise _nothing_measured(plan, where)
    not_measured += [cell for cell in cells if cell.cell not in measured]
    return tally


def _nothing_measured(plan: Plan, where: Path) -> WeirError:
    """An empty table would replace what may have been measured."""
    known = [why_unavailable(site_folder(where, plan.site.name), batch.batch) for batch in plan.batches]
    return WeirError(
        "; ".join([f"none of the {len(plan.cells)} planned cells has a finished run", *filter(None, known)]),
        file=str(where),
        hint="measure first, by weir run, or name the folder that holds runs/ by --results",
    )


def excluded_lines(plan: Plan, not_measured: Iterable[Cell], results: Path) -> list[ExcludedLine]:
    """What the plan excludes, and what is planned but not measured, with the reason if it is known."""
    site = site_folder(results, plan.site.name)
    known = {batch.batch: why_unavailable(site, batch.batch) for batch in plan.batches}
    reasons = {cell.cell: known[batch.batch] for batch in plan.batches for cell in batch.cells}
    missing = Counter(
        (cell.suite, cell.experiment, reasons[cell.cell] or _NOT_MEASURED) for cell in not_measured
    )
    return [(one.suite, one.experiment, one.reason, one.count) for one in plan.exclusions] + [
        (*key, count) for key, count in missing.items()
    ]


def _text(summary: dict[str, Any]) -> str:
    missing = summary["cells_without_run"]
    more = (
        f"\n  {missing} of {summary['cells_planned']} planned cells have no finished run yet"
        if missing
        else ""
    )
    return describe(summary) + more
