"""A study as weir measures and collects it: plan, runs with their ledger, records and checksums."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import weir
from weir.base.errors import WeirError
from weir.base.files import from_json
from weir.collect.judged import JudgedRun, code_state
from weir.collect.parsed_runs import Run, sum_of_facts
from weir.collect.rounds import rounds_of
from weir.collect.table import lines_of, write_records
from weir.records.model import Row
from weir.runs.files import ROWS_FILE
from weir.runs.ledger import LEDGER, ROUNDS_FILE, end_run, keep_ledger
from weir.runs.manifest import TABLES, write_manifest


def measure(results: Path, rows: Iterable[Row], planned: int) -> None:
    """A run for each round in the rows, round by round, beside which each run.json is made."""
    of_run: dict[tuple[str, int], list[Row]] = defaultdict(list)
    for row in rows:
        of_run[row["cell"], row["run"]].append(row)
    for key, own in sorted(of_run.items(), key=lambda one: one[0][1]):
        measure_one(results, *key, planned, own)


def judged_as(rows: Iterable[Row], document: Mapping[str, Any]) -> str:
    """rows.json, as if the outputs gave these rows."""
    about = {"weir": weir.__version__, "code": code_state(), "run": sum_of_facts(document)}
    return json.dumps(about | vars(JudgedRun((lines_of(rows), "", ""), {}, {})))


def rows_as_judged(run: Run) -> list[Row]:
    """Of runs that are made and have no outputs: what they were judged stands for them."""
    if run.differing or not (run.folder / ROWS_FILE).is_file():
        raise WeirError("nothing was judged")
    (records, *_), file = from_json((run.folder / ROWS_FILE).read_bytes())["tables"], run.folder / ROWS_FILE
    return JudgedRun((records, "", ""), {}, {}).rows(file)


def measure_one(results: Path, cell: str, run: int, planned: int, rows: Iterable[Row] = ()) -> None:
    folder = results / "runs" / cell / f"{run:03d}"
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "run.json"
    known = json.loads(file.read_text()) if file.is_file() else {"cell": {"cell": cell}, "run": run}
    known["cell"]["rounds"] = planned
    known |= {"status": "done", "ended": f"2026-03-01T{run % 24:02d}:00:00+00:00"}
    (folder / ROWS_FILE).unlink(missing_ok=True)  # of the run that this one replaces
    end_run(folder, known, (lambda _, document: judged_as(rows, document)) if rows else None)


def collect(results: Path, name: str, rows: Iterable[Row], planned: int) -> Path:
    """What weir collect writes from the runs that are there now."""
    study = results / name
    study.mkdir(parents=True, exist_ok=True)
    rows = list(rows)
    kept = [row for row in rows if (results / f"runs/{row['cell']}/{row['run']:03d}/run.json").is_file()]
    write_records(study / "records.csv", kept)
    cells = [{"cell": cell, "rounds": planned} for cell in dict.fromkeys(row["cell"] for row in rows)]
    plan = study / "plan.json"
    plan.write_text(json.dumps({"batches": [{"batch": "b", "cells": cells}]}))
    for table in TABLES:
        (study / table).write_text("\n")
    held: dict[str, set[int]] = defaultdict(set)
    for row in kept:
        held[row["cell"]].add(row["run"])
    found = rounds_of(study, results, held, plan, {})
    (study / ROUNDS_FILE).write_text(json.dumps(found.data()))
    runs = [results / f"runs/{cell}/{run:03d}/run.json" for cell, runs in held.items() for run in runs]
    ledger = [keep_ledger(results, study, found.entries)] if (results / LEDGER).is_file() else []
    digest = write_manifest(study, "records.csv", [plan, study / ROUNDS_FILE, *ledger, *runs])
    (study / "facts.json").write_text(json.dumps({"digest": digest}))
    return study


def measured_study(results: Path, rows: Iterable[Row], planned: int, name: str = "study") -> Path:
    rows = list(rows)
    measure(results, rows, planned)
    return collect(results, name, rows, planned)
