"""weir collect: run files to records.csv; every planned access of every run gives a row, failed ones too."""

import argparse
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from weir.base.errors import WeirError
from weir.base.files import Hashed, as_json, whole_bytes
from weir.base.options import Parser
from weir.base.units import few
from weir.collect.intervals import write_intervals
from weir.collect.judged import Work, collected, copies, parts_of
from weir.collect.parsed_runs import site_folder
from weir.collect.rounds import MISSING, OLDER, PLAN_FILE, Rounds, rounds_of
from weir.collect.study_facts import Planned, study_facts
from weir.collect.table import (
    COLUMNS,
    COUNTERS_FILE,
    LATENCIES_FILE,
    ExcludedLine,
    write_excluded,
    write_whole,
)
from weir.collect.tally import Tally, describe
from weir.decide.compare.cross_check import Agreement, agreements
from weir.measure.handover import MEASURED_PLAN
from weir.plan.files import PlanLines, cell_of_line, name_of_line, read_lines
from weir.plan.model import Plan
from weir.records.columns import columns
from weir.records.model import Cell
from weir.runs.files import RUN_FILE, unavailable_names, why_unavailable
from weir.runs.ledger import ROUNDS_FILE, keep_ledger
from weir.runs.manifest import write_manifest

NAME = "collect"
GROUP = "measure"
HELP = "turn the run files of a plan into records.csv, with a verdict on every row"
EXAMPLE = (
    "weir collect --plan results/local/plan.json --results results/local --out results/local/records.csv"
)
# Missing rounds are counted above; rounds of an earlier version of weir are no news at every collection.
_KNOWN_OTHERWISE = (MISSING, OLDER)
_MOST_ROUNDS = 10
_NOT_BESIDE = '"checks": null'  # in the line of a cell that checks no other one
_NOT_MEASURED = "planned, but no run of it has ended"


def add_arguments(parser: Parser) -> None:
    parser.path("--plan", "FILE", "plan.json of weir plan", required=True)
    parser.path("--results", "DIR", "directory of the site, with runs/; default: the parent of the plan's")
    parser.path(
        "--out",
        "FILE",
        "records.csv; excluded.csv, latencies.csv, intervals.csv, client-counters.csv and facts.json go "
        "beside it",
        required=True,
    )
    parser.flag(
        "--judge-again", "parse and judge every run from its outputs, whatever it was judged when it ended"
    )
    parser.flag("--json", "print the summary as JSON")


def execute(args: argparse.Namespace) -> int:
    lines = read_lines(args.plan)
    where = args.results or args.plan.resolve().parent.parent
    args.out.parent.mkdir(parents=True, exist_ok=True)
    work = Work(
        args.plan, parts_of(lines.cells), site_folder(where, lines.plan.site.name), again=args.judge_again
    )
    done = _write_tables(args.out, work, lines.plan)
    if args.plan.resolve() == args.out.resolve().with_name(MEASURED_PLAN):
        write_whole(args.out.with_name(PLAN_FILE), args.plan.read_text(encoding="utf-8"))
        args.plan = args.out.with_name(PLAN_FILE)
    if copied := copies(done.marks):
        done = _write_tables(args.out, replace(work, copies=copied), lines.plan)
    write_intervals(args.out)
    without = excluded_lines(lines, done.measured, args.plan, where)
    write_excluded(args.out.with_name("excluded.csv"), without)
    results = site_folder(where, lines.plan.site.name)
    rounds = rounds_of(args.out.parent, results, done.runs, args.plan, done.sums)
    kept = [args.plan, *_write_rounds(args.out.parent, results, rounds)]
    digest = write_manifest(args.out.parent, args.out.name, kept, done.sums)
    checked = _agreements(lines, args.plan, results)
    facts = study_facts(lines.plan, done.planned, done.tally) | {
        "cross_check": [one.facts() for one in checked],
        "digest": digest,
        "excluded_points": sum(cells for *_, cells in without),  # also what is unavailable here
    }
    write_whole(args.out.with_name("facts.json"), as_json(facts) + "\n")
    summary = {"out": str(args.out), **done.tally.summary()} | {
        "cells_planned": done.planned.cells,
        "cells_without_run": done.planned.cells - len(done.measured),
        "rounds": [str(one) for one in rounds.findings if one.kind not in _KNOWN_OTHERWISE],
        "cross_check": [one.text for one in checked],
    }
    print(as_json(summary) if args.json else _text(summary))
    return 0


def _agreements(lines: PlanLines, plan_file: Path, results: Path) -> list[Agreement]:
    """None where a package for statistics is missing: the tables do not need it."""
    try:
        return agreements(_compared_cells(lines, plan_file), lines.plan.site, results)
    except ModuleNotFoundError as error:
        print(f"weir: the programs of the cross-check were not compared: {error}", file=sys.stderr)
        return []


def _compared_cells(lines: PlanLines, plan_file: Path) -> list[Cell]:
    """Cells that two programs measure, by either."""
    beside = [cell_of_line(line, plan_file) for line in lines.cells if _NOT_BESIDE not in line]
    checked = {cell.checks for cell in beside} - {None}
    own = (line for line in lines.cells if checked and name_of_line(line, plan_file) in checked)
    return [*(cell_of_line(line, plan_file) for line in own), *beside]


def _write_rounds(study: Path, results: Path, rounds: Rounds) -> Iterator[Path]:
    """Writes the findings about rounds, and the ledger up to the line that was read: with both, a copy of the
    folder is whole."""
    write_whole(study / ROUNDS_FILE, as_json(rounds.data()) + "\n")
    yield study / ROUNDS_FILE
    if rounds.entries:
        yield keep_ledger(results, study, rounds.entries)


@dataclass
class _Done:
    """The counts that are known when the tables are written."""

    planned: Planned = field(default_factory=Planned)
    tally: Tally = field(default_factory=Tally)
    runs: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))  # of each cell
    marks: dict[str, Mapping[str, str]] = field(default_factory=dict)  # by run: what no other run can have
    sums: dict[str, str] = field(default_factory=dict)  # SHA-256 of the tables and of every run.json

    @property
    def measured(self) -> Collection[str]:
        """Cells with a run."""
        return self.runs.keys()


def _write_tables(out: Path, work: Work, plan: Plan) -> _Done:
    """The tables, part after part: none is in memory as a whole."""
    done = _Done()
    runs = os.path.relpath(work.results / "runs", out.parent)
    names = (out.name, LATENCIES_FILE, COUNTERS_FILE)
    with ExitStack() as stack:
        tables = [Hashed(stack.enter_context(whole_bytes(out.with_name(name)))) for name in names]
        for table, header in zip(tables, (columns(), columns("latency"), COLUMNS), strict=True):
            table.write(f"{','.join(header)}\n".encode())
        for part in collected(work):
            for table, text in zip(tables, part.tables, strict=True):
                table.write(text)
            done.planned.add(part.planned)
            done.tally.add(part.tally)
            done.sums |= {f"{runs}/{key}/{RUN_FILE}": checksum for key, checksum in part.sums.items()}
            done.marks |= part.marks
            for key in part.sums:
                cell, _, run = key.partition("/")
                done.runs[cell].add(int(run))
        if not done.tally.runs:
            raise _nothing_measured(plan, done.planned.cells, work.results)
    done.sums |= {name: table.sha256() for name, table in zip(names, tables, strict=True)}
    return done


def _nothing_measured(plan: Plan, cells: int, where: Path) -> WeirError:
    """An empty table would replace what may have been measured."""
    known = [why_unavailable(site_folder(where, plan.site.name), batch.batch) for batch in plan.batches]
    return WeirError(
        "; ".join([f"none of the {cells} planned cells has a finished run", *filter(None, known)]),
        file=where,
        hint="measure first, by weir run, or name the folder that holds runs/ by --results",
    )


def excluded_lines(
    lines: PlanLines, measured: Collection[str], plan_file: Path, results: Path
) -> list[ExcludedLine]:
    """Lines for what the plan excludes, and for what is planned but not measured, with the reason if it is
    known."""
    site = site_folder(results, lines.plan.site.name)
    known = {batch.batch: why_unavailable(site, batch.batch) for batch in lines.plan.batches}
    noted = unavailable_names(site)
    missing: Counter[tuple[str, str, str]] = Counter()
    for line, batch in lines.with_batches():
        if name_of_line(line, plan_file) not in measured:
            cell = cell_of_line(line, plan_file)
            reason = known[batch] or (why_unavailable(site, cell.cell) if cell.cell in noted else None)
            missing[cell.suite, cell.experiment, reason or _NOT_MEASURED] += 1
    return [(one.suite, one.experiment, one.reason, one.count) for one in lines.plan.exclusions] + [
        (*key, count) for key, count in missing.items()
    ]


def _text(summary: dict[str, Any]) -> str:
    missing = summary["cells_without_run"]
    more = (
        f"\n  {missing} of {summary['cells_planned']} planned cells have no finished run yet"
        if missing
        else ""
    )
    found = few(summary["rounds"], _MOST_ROUNDS, f"and {{}} more findings in {ROUNDS_FILE}")
    return describe(summary) + more + "".join(f"\n  {one}" for one in [*found, *summary["cross_check"]])
