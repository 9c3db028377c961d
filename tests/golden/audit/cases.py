"""Captured outputs and what the rules find in them."""

from pathlib import Path

from weir.collect.imported_files import Facts
from weir.collect.importing import import_files
from weir.collect.judged import collect_cell
from weir.collect.parsed_runs import read_run
from weir.plan.files import read_plan
from weir.records.model import Row

CASES = Path(__file__).parent / "cases"


def found_in(case: Path) -> list[str]:
    """A line for each record: access, iteration, verdict, reasons, notes."""
    return [_line(row) for row in _rows(case)]


def rules_in(case: Path) -> set[str]:
    """Ids of the rules with a finding, a note included."""
    found = set()
    for row in _rows(case):
        found |= {*_reasons(row), *_notes(row)}
    return found


def _rows(case: Path) -> list[Row]:
    """Of a run that weir made, as `weir collect` has them; else of a log, as `weir import` has them."""
    if not (case / "plan.json").is_file():
        return import_files([case / "log.txt"], Facts()).rows
    (batch,) = read_plan(case / "plan.json").batches
    (cell,) = batch.cells
    run = read_run(case / "run")
    return list(collect_cell(cell, [run], case))


def _line(row: Row) -> str:
    name = " ".join(filter(None, (row["access"], row.get("item"))))
    findings = [*_reasons(row), *(f"note {note}" for note in _notes(row))]
    return f"{name} {row['iteration']}: {row['verdict']} {', '.join(findings)}".rstrip()


def _reasons(row: Row) -> list[str]:
    return [name for name in (row["reasons"] or "").split(";") if name]


def _notes(row: Row) -> list[str]:
    return [part.partition(":")[0] for part in (row["notes"] or "").split("; ") if part]
