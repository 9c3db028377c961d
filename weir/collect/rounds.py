"""Follows rounds from plan to records: which were planned, which ended by the ledger, and which the records
hold, with the numbers that their runs give.

Whoever decides by records asks here first. A round that was planned or that ended, and is not in the records
as it ended, is a finding with its number: the records may be a choice.

SHA256SUMS has no secret, and can be written for an edited table. The ledger binds run.json, and run.json the
outputs. So each record is compared with what its run gives, by the weir that judges now, not by the one that
collected.
"""

import itertools
import os
import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from weir.audit.judge import VERDICTS
from weir.base.errors import WeirError
from weir.base.files import file_sha256, from_json
from weir.base.units import counted
from weir.collect.judged import rows_of_run
from weir.collect.parsed_runs import Run
from weir.plan.files import damage_named, text_of_plan
from weir.records.columns import columns_of_role
from weir.records.model import Row, grouped
from weir.runs.files import RUN_FILE, read_run_file, run_folder
from weir.runs.ledger import DONE, LEDGER, NOTHING_BEFORE, Entry, Ledger, ledger_of, read_ledger
from weir.runs.manifest import MANIFEST, read_manifest

PLAN_FILE = "plan.json"
MISSING, DELETED, REPEATED, REPLACED, EDITED = "missing", "deleted", "repeated", "replaced", "edited"
REPLAYED, UNRECORDED, OLDER, BROKEN, CLOCK = "replayed", "unrecorded", "older", "broken", "clock"
REMARKS = (REPEATED, OLDER, CLOCK)  # kinds of findings that decide nothing by themselves
_MOST_NAMED = 1000  # rounds of a cell that are missing; of more, which damaged numbers give, their count
SET_BACK_S = 600.0  # runs that end beside each other, on nodes whose clocks differ, are nearer


@dataclass(frozen=True)
class Discrepancy:
    """cell: None concerns the whole study; run: None concerns the whole cell."""

    kind: str
    text: str
    cell: str | None = None
    run: int | None = None

    def __str__(self) -> str:
        where = f"{self.cell or ''}{'' if self.run is None else f' round {self.run}'}".strip()
        return f"{self.kind}: {where + ': ' if where else ''}{self.text}"


@dataclass(frozen=True)
class Rounds:
    """The rounds of a study. lacks: what cannot be checked; looks: how often each cell may have been judged
    by now."""

    findings: tuple[Discrepancy, ...] = ()
    lacks: tuple[str, ...] = ()
    looks: Mapping[str, int] = field(default_factory=dict)
    planned: Mapping[str, int] = field(default_factory=dict)  # rounds of each cell in the plan
    entries: int = 0  # lines of the ledger, of all studies of the directory
    foreign: int = 0  # of them of cells that are not of this study
    head: str = NOTHING_BEFORE

    def of_cells(self, cells: Iterable[str]) -> list[Discrepancy]:
        """Findings about these cells, and those about the whole study."""
        chosen = set(cells)
        return [one for one in self.findings if one.cell is None or one.cell in chosen]

    def data(self) -> dict[str, Any]:
        """The contents of ROUNDS_FILE."""
        return {
            "ledger": {"lines": self.entries, "head": self.head},
            "findings": [vars(one) for one in self.findings],
            "lacks": list(self.lacks),
        }


def rounds_of_rows(study: Path, rows: Iterable[Row]) -> Rounds:
    """The rounds by the records in the folder of a study, results/<site>/<study>."""
    held: dict[str, set[int]] = defaultdict(set)
    for cell, run in _by_run(rows):
        held[cell].add(run)
    sums = read_manifest(study)[1] if (study / MANIFEST).is_file() else {}
    ledger, changed = ledger_of(study, sums)
    results = study.resolve().parent
    found = _rounds(_Recorded(study, results, sums, ledger), held, study / PLAN_FILE)
    if sums:
        edited = _not_as_collected(study, sums)
        broken = [Discrepancy(BROKEN, changed)] if changed else []
        return replace(found, findings=(*found.findings, *edited, *broken))
    return replace(found, lacks=(*found.lacks, f"{MANIFEST} is missing: edits are not known"))


def rounds_of(
    study: Path, results: Path, held: Mapping[str, set[int]], plan: Path, sums: Mapping[str, str]
) -> Rounds:
    """held: the runs of each cell in the records; sums: SHA-256 of files by their paths from the study."""
    return _rounds(_Recorded(study, results, sums, read_ledger(results / LEDGER)), held, plan)


def _rounds(recorded: "_Recorded", held: Mapping[str, set[int]], plan: Path) -> Rounds:
    ledger = recorded.ledger
    planned = _planned(plan) if plan.is_file() else {}
    lacks = [] if planned else [f"{plan.name} is missing: how many rounds were planned is not known"]
    lacks += [] if ledger else [f"{LEDGER} is missing: deleted and repeated rounds are not known"]
    cells = {*planned, *held}
    found = list(recorded.findings(ledger, cells, held)) if ledger else []
    deleted = {(one.cell, run) for one in found if one.kind == DELETED for run in (one.run, None)}
    missing = (one for one in _not_as_planned(planned, held) if (one.cell, one.run) not in deleted)
    found = [*missing, *found]
    lengths: dict[str, set[int]] = defaultdict(set)
    for entry in ledger.entries if ledger else ():
        lengths[entry.cell].add(entry.planned)
    looks = {cell: _looks(lengths[cell], planned.get(cell), runs) for cell, runs in held.items()}
    entries, head = (len(ledger.heads) - 1, ledger.head) if ledger else (0, NOTHING_BEFORE)
    foreign = sum(one.cell not in cells for one in ledger.entries) if ledger else 0
    return Rounds(tuple(found), tuple(lacks), looks, planned, entries, foreign, head)


def _planned(plan: Path) -> dict[str, int]:
    """Rounds of each cell."""
    with damage_named(plan):
        batches = from_json(text_of_plan(plan))["batches"]
        return {cell["cell"]: int(cell["rounds"]) for batch in batches for cell in batch["cells"]}


def _not_as_planned(planned: Mapping[str, int], held: Mapping[str, set[int]]) -> Iterator[Discrepancy]:
    """A cell without any run is listed by excluded.csv; here it is one finding, not one for each round."""
    for cell, rounds in planned.items():
        runs = held.get(cell, set())
        if not runs:
            yield Discrepancy(MISSING, f"no record of {rounds} planned rounds", cell)
            continue
        last = max(rounds, max(runs) + 1)
        for run in itertools.islice((run for run in range(last) if run not in runs), _MOST_NAMED):
            yield Discrepancy(MISSING, f"no record; {rounds} rounds were planned", cell, run)
        if (more := last - len(runs) - _MOST_NAMED) > 0:
            yield Discrepancy(MISSING, f"no record of {more:,} more rounds; {rounds} were planned", cell)


def _not_as_collected(study: Path, sums: Mapping[str, str]) -> Iterator[Discrepancy]:
    """Findings about tables that differ from their checksums."""
    for name, checksum in sums.items():
        if "/" not in name and (study / name).is_file() and file_sha256(study / name) != checksum:
            yield Discrepancy(EDITED, f"{name} is not as it was collected")


@dataclass(frozen=True)
class _Recorded:
    """The records of a study against the ledger of its directory."""

    study: Path
    results: Path
    sums: Mapping[str, str]
    ledger: Ledger | None

    def findings(
        self, ledger: Ledger, cells: set[str], held: Mapping[str, set[int]]
    ) -> Iterator[Discrepancy]:
        if ledger.broken:
            yield Discrepancy(BROKEN, f"{LEDGER}: {ledger.broken}")
        yield from _set_back(ledger, cells)
        known = entries_by_run(ledger)
        for (cell, run), entries in known.items():
            if cell in cells:
                yield from self._of_round(entries, run in held.get(cell, ()))
        recorded = {cell for cell, _ in known}
        by_sum = {entry.sha256: entry for entry in ledger.entries}
        for cell, runs in held.items():
            for run in sorted(runs):
                if (cell, run) not in known:
                    yield self._without_entry(cell, run, by_sum, cell in recorded)

    def _sum_of(self, cell: str, run: int) -> str | None:
        """The checksum of run.json as it was collected; of a run that was not collected, as it is now."""
        file = run_folder(self.results, cell, run) / RUN_FILE
        name = os.path.relpath(file, self.study)
        return self.sums.get(name) or (file_sha256(file) if file.is_file() else None)

    def _of_round(self, entries: Sequence[Entry], is_held: bool) -> Iterator[Discrepancy]:
        last = entries[-1]
        found = self._sum_of(last.cell, last.run)
        if found is None:
            text = f"it ended as '{last.status}' (line {last.line} of {LEDGER}), and its run.json is gone"
            yield Discrepancy(DELETED, text, last.cell, last.run)
        elif found != last.sha256:
            text = f"run.json is not that of line {last.line} of {LEDGER}"
            yield Discrepancy(EDITED, text, last.cell, last.run)
        elif not is_held:
            yield Discrepancy(DELETED, "it ended, and the records do not hold it", last.cell, last.run)
        lines = ", ".join(str(one.line) for one in entries)
        if any(one.status == DONE for one in entries[:-1]):
            text = f"it ended {len(entries)} times (lines {lines} of {LEDGER}); the last one counts"
            yield Discrepancy(REPLACED, text, last.cell, last.run)
        elif len(entries) > 1:
            text = f"it failed {len(entries) - 1} times before (lines {lines} of {LEDGER})"
            yield Discrepancy(REPEATED, text, last.cell, last.run)

    def _without_entry(
        self, cell: str, run: int, by_sum: Mapping[str, Entry], cell_is_recorded: bool
    ) -> Discrepancy:
        twin = by_sum.get(self._sum_of(cell, run) or "")
        if twin:
            text = f"its run.json is that of {twin.cell} round {twin.run} (line {twin.line} of {LEDGER})"
            return Discrepancy(REPLAYED, text, cell, run)
        if cell_is_recorded:
            return Discrepancy(UNRECORDED, f"{LEDGER} has no line of it, but of other rounds", cell, run)
        return Discrepancy(OLDER, f"it was measured before {LEDGER} was begun, or elsewhere", cell, run)


def _set_back(ledger: Ledger, cells: set[str]) -> Iterator[Discrepancy]:
    """Lines are written in the order in which runs end: dates of a campaign can be met by the clock."""
    for before, entry in itertools.pairwise(ledger.entries):
        if entry.cell in cells and before.ended_s - entry.ended_s > SET_BACK_S:
            times = f"{entry.ended} (line {entry.line} of {LEDGER}), after a run that ended {before.ended}"
            yield Discrepancy(CLOCK, f"it ended {times}: a clock was set back", entry.cell, entry.run)


def _looks(lengths: set[int], planned: int | None, runs: set[int]) -> int:
    """The number of looks: how often more rounds were planned after a look was possible, and how many were
    added without a plan. lengths: the rounds of a cell in each plan by which it was measured. A plan that is
    measured to its end may be judged, and a longer one made by what was seen. A plan that was not may have
    ended where what was seen was good: each of its runs was a look."""
    if planned is None and not lengths:
        return 1
    longest: int = max({*lengths, *(() if planned is None else (planned,))})
    stopped = len(runs) if len(runs) < longest else 0
    return max(len(lengths), 1) + max(len(runs) - longest, stopped)


# The names of suite and experiment in the identity differ where two suites share a cell; a contract that
# selects by experiment takes that of the run (evidence.py).
_IDENTITY = (
    *("site", "stack", "tool", "purpose", "cell", "run", "iteration", "target", "emulated", "program"),
    *("tool_version", "began"),
)
_RANDOM = random.SystemRandom()  # nobody may know before which runs are drawn
_HINT = "records.csv was edited, or another weir collected it: collect it again by weir collect"


def edited_values(results: Path, rows: Sequence[Row], most: int) -> list[Discrepancy]:
    """Findings about so many runs, drawn at random, whose records have other numbers than their outputs give.
    A run that cannot be judged has other findings, or none: whoever compares may have kept no outputs."""
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
            found.append(Discrepancy(EDITED, differs, cell, number))
    return sorted(found, key=lambda one: (str(one.cell), one.run or 0))


def not_as_measured(
    results: Path, rows: Sequence[Row], runs: Mapping[tuple[str, int], Mapping[str, Any]]
) -> Iterator[Discrepancy]:
    """One finding for each run, or cell; runs without sums bind nothing, and have none."""
    held = _by_run(rows)
    without = Counter(row["cell"] for row in rows if row.get("run") is None)
    for cell, count in without.items() if held else ():
        yield Discrepancy(EDITED, f"{counted(count, 'record')} without a run ({_HINT})", cell)
    for (cell, number), facts in runs.items():
        run = Run(run_folder(results, cell, number), facts)
        if run.differing is None:
            continue
        try:
            differs = _difference(held[cell, number], rows_of_run(run))
        except (WeirError, KeyError, TypeError, ValueError) as error:
            differs = f"its run.json cannot be judged: {str(error).splitlines()[0]}"
        if differs:
            yield Discrepancy(EDITED, differs, cell, number)


def entries_by_run(ledger: Ledger) -> dict[tuple[str, int], list[Entry]]:
    """The lines of the ledger about each run, by its cell and number."""
    return grouped(((entry.cell, entry.run), entry) for entry in ledger.entries)


def _by_run(rows: Iterable[Row]) -> dict[tuple[str, int], list[Row]]:
    return grouped(((row["cell"], row["run"]), row) for row in rows if row.get("run") is not None)


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
