"""The records of a study against its runs: SHA256SUMS has no secret, and can be written for an edited table.

The ledger binds run.json, and run.json the outputs. So each record is compared with what its run gives, by
the weir that judges now, not by the one that collected.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from weir.audit.judge import VERDICTS
from weir.base.errors import WeirError
from weir.base.units import counted
from weir.records.collect import Run
from weir.records.judged import rows_of_run
from weir.records.rounds import EDITED, Finding
from weir.runs.files import read_run_file, run_folder
from weir.terms.columns import columns_of_role
from weir.terms.model import Row

# The names of suite and experiment in the identity differ where two suites share a cell; a contract that
# selects by experiment takes that of the run (evidence.py).
_IDENTITY = (
    *("site", "stack", "tool", "purpose", "cell", "run", "iteration", "target", "emulated", "program"),
    *("tool_version", "began"),
)
_RANDOM = random.SystemRandom()  # nobody may know before which runs are drawn
_HINT = "records.csv was edited, or another weir collected it: collect it again by weir collect"


def edited_values(results: Path, rows: Sequence[Row], most: int) -> list[Finding]:
    """Findings about so many runs, drawn at random, whose records have other numbers than their outputs give.
    A run that cannot be judged has other findings, or none: whoever compares may have kept no outputs.

    What cannot be judged has other findings, or none: who compares may have kept no outputs."""
    held = _by_run(rows)
    found = []
    for (cell, number), own in _RANDOM.sample(sorted(held.items(), key=str), min(most, len(held))):
        try:
            facts = read_run_file(results, cell, number)
            run = Run(run_folder(results, cell, number), facts or {})
            if facts is None or run.differing != ():
                continue
            differs = _other_values(own, rows_of_run(run))
        except (WeirError, KeyError, TypeError, ValueError, OSError):
            continue
        if differs:
            found.append(Finding(EDITED, differs, cell, number))
    return sorted(found, key=lambda one: (str(one.cell), one.run or 0))


def not_as_measured(
    results: Path, rows: Sequence[Row], runs: Mapping[tuple[str, int], Mapping[str, Any]]
) -> Iterator[Finding]:
    """One finding for each run, or cell; runs without sums bind nothing, and have none."""
    held = _by_run(rows)
    without = Counter(row["cell"] for row in rows if row.get("run") is None)
    for cell, count in without.items() if held else ():
        yield Finding(EDITED, f"{counted(count, 'record')} without a run ({_HINT})", cell)
    for (cell, number), facts in runs.items():
        run = Run(run_folder(results, cell, number), facts)
        if run.differing is None:
            continue
        try:
            differs = _difference(held[cell, number], rows_of_run(run))
        except (WeirError, KeyError, TypeError, ValueError) as error:
            differs = f"its run.json cannot be judged: {str(error).splitlines()[0]}"
        if differs:
            yield Finding(EDITED, differs, cell, number)


def _by_run(rows: Sequence[Row]) -> Mapping[tuple[str, int], list[Row]]:
    held: dict[tuple[str, int], list[Row]] = defaultdict(list)
    for row in rows:
        if row.get("run") is not None:
            held[row["cell"], row["run"]].append(row)
    return held


def _difference(recorded: Sequence[Row], given: Sequence[Row]) -> str | None:
    if len(recorded) != len(given):
        return f"{counted(len(recorded), 'record')}, and its run gives {len(given)} ({_HINT})"
    names = (*_IDENTITY, *columns_of_role("parameter"), *columns_of_role("measure"))
    for one, other in zip(sorted(recorded, key=_place), sorted(given, key=_place), strict=True):
        if differs := _first_other(one, other, names):
            return differs
        if VERDICTS.index(one["verdict"]) < VERDICTS.index(other["verdict"]):
            reasons = other["reasons"] or f"missing {other['missing']}"
            return f"it is {one['verdict']} in the records, its run gives {other['verdict']}: {reasons}"
    return None


def _other_values(recorded: Sequence[Row], given: Sequence[Row]) -> str | None:
    if len(recorded) > len(given):
        return f"{counted(len(recorded), 'record')}, and its run gives {len(given)} ({_HINT})"
    by_place = {_place(row): row for row in given}
    pairs = ((row, by_place.get(_place(row))) for row in recorded)
    names = columns_of_role("measure")
    return next((text for one, other in pairs if other and (text := _first_other(one, other, names))), None)


def _first_other(one: Row, other: Row, names: Sequence[str]) -> str | None:
    for name in names:
        if one.get(name) != other.get(name):
            return f"{name} is {one.get(name)} in the records, its run gives {other.get(name)} ({_HINT})"
    return None


def _place(row: Row) -> tuple[str, ...]:
    return tuple(str(row.get(name)) for name in ("access", "item", "iteration"))
