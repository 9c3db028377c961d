"""Whether two programs of a stack agree on the cells that both measured, in one line for each tool."""

import re
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import inf, log1p
from pathlib import Path
from typing import Any

from weir.audit.judge import USABLE
from weir.base.units import counted, listed
from weir.collect.judged import collect_cell
from weir.collect.metrics import metric_named
from weir.collect.parsed_runs import finished_runs
from weir.decide.compare.pairs import pair_cells
from weir.decide.compare.sides import Campaign, Side
from weir.decide.compare.verdict import SAME, UNDECIDED, JudgedPair, judge_pairs
from weir.records.model import Cell, Row, Site, grouped, is_check

# A pair of rows has the same of these; rows of the second program take the name of the cell that they check.
_ALIKE = ("cell", "access", "item")
_IGNORED = ("site", "target", "stack", "tool", "program")
_MOST_NAMED = 2
_ZONE = re.compile(r"(Z|[+-]\d\d:\d\d)$")
_AGREES, _DIFFERS = "agrees", "differs"


@dataclass(frozen=True)
class Agreement:
    """The findings of the cross-check of a tool with a stack. Ratios: the second program over the first."""

    stack: str
    tool: str
    first: str  # program whose results count
    second: str
    margin: float
    cells: int
    agree: int
    differ: tuple[str, ...]  # cells, with their ratio
    undecided: tuple[str, ...]
    ratio: float | None = None  # median of all results
    low: float | None = None  # the least and the largest of them
    high: float | None = None

    @property
    def text(self) -> str:
        """The line that page, print and terminal show."""
        programs, within = f"{self.second} and {self.first}", f"agree within {self.margin:.3g} %"
        of_cells = f"of {counted(self.cells, 'cell')}"
        found = f"{programs} {within} on {self.agree} {of_cells}"
        if not self.agree and not self.differ:  # "agree on 0 of 4" reads as a difference
            found = f"undecided on {len(self.undecided)} {of_cells} whether {programs} {within}"
        if self.ratio is not None:
            found += f", ratio {self.ratio:.3f} ({self.low:.3f} to {self.high:.3f})"
        if self.differ:
            word = "differs" if len(self.differ) == 1 else "differ"
            found += f"; {len(self.differ)} {word}: {listed(self.differ, _MOST_NAMED)}"
        if self.undecided and (self.agree or self.differ):
            found += f"; {len(self.undecided)} undecided, with this many rounds and this noise"
        elif self.undecided:
            found += ", with this many rounds and this noise"
        return found

    def facts(self) -> dict[str, Any]:
        """The agreement as facts.json has it."""
        return {**asdict(self), "text": self.text}


def agreements(cells: Iterable[Cell], site: Site, results: Path) -> list[Agreement]:
    """One for each stack and tool that has cells beside; cells: those and the ones that they check."""
    by_name = {cell.cell: cell for cell in cells}
    groups = grouped(
        ((cell.stack, cell.tool, cell.by_cross_check), cell)
        for cell in by_name.values()
        if cell.checks in by_name and is_check(cell, by_name[cell.checks])
    )
    return [
        found
        for (stack, _, _), checks in groups.items()
        if (found := _agreement(checks, by_name, _margin(site, stack), results))
    ]


def _margin(site: Site, stack: str) -> float:
    check = site.stacks[stack].cross_check
    assert check is not None, "a plan with cells beside has a stack with a cross_check"
    return check.margin


def _agreement(
    checks: Sequence[Cell], by_name: Mapping[str, Cell], margin: float, results: Path
) -> Agreement | None:
    """None before a round of both is there."""
    both = [_rows(check, by_name[str(check.checks)], results) for check in checks]
    first, second = ([row for pair in both for row in pair[side]] for side in (0, 1))
    if not first or not second:
        return None
    sides = tuple(Side(name, (Campaign(name, tuple(rows)),)) for name, rows in (("A", first), ("B", second)))
    metric = metric_named("rate")
    pairs = pair_cells((sides[0], sides[1]), _ALIKE, metric, across=_IGNORED).pairs
    of_cells = grouped((one.pair.values["cell"], one) for one in judge_pairs(pairs, metric, margin))
    ratios = [one.estimate.ratio() for found in of_cells.values() for one in found if one.estimate]
    names = grouped(_answer(found, margin) for found in of_cells.values())
    return Agreement(
        checks[0].stack,
        checks[0].tool,
        _program(first),
        _program(second),
        100 * margin,
        len(checks),
        len(names.get(_AGREES, ())),
        tuple(names.get(_DIFFERS, ())),
        tuple(names.get(UNDECIDED, ())),
        *((statistics.median(ratios), min(ratios), max(ratios)) if ratios else ()),
    )


def _rows(check: Cell, own: Cell, results: Path) -> tuple[list[Row], list[Row]]:
    """Records of the rounds that both programs can use, of the cell and of the one that checks it. A result
    that has no such round keeps its records: it is undecided."""
    sides = [_records(cell, results) for cell in (own, check)]
    usable = [{(*_result(row), row["run"]) for row in rows if row["verdict"] in USABLE} for rows in sides]
    both = usable[0] & usable[1]
    results_of_both = {key[:-1] for key in both}
    first, second = (
        [row for row in rows if (*_result(row), row["run"]) in both or _result(row) not in results_of_both]
        for rows in sides
    )
    return first, [row | {"cell": own.cell} for row in second]


def _result(row: Row) -> tuple[object, object]:
    return row["access"], row.get("item")


def _records(cell: Cell, results: Path) -> list[Row]:
    """Records with the time by the clock of weir where the program prints none with a zone, as IOR does."""
    runs = finished_runs(results / "runs" / cell.cell)
    began = {run.number: run.facts["began"] for run in runs}
    rows = list(collect_cell(cell, runs, results))
    return [row if _ZONE.search(row["began"]) else row | {"began": began[row["run"]]} for row in rows]


def _program(rows: Sequence[Row]) -> str:
    return next((str(row["program"]) for row in rows if row.get("program")), "another program")


def _answer(found: Sequence[JudgedPair], margin: float) -> tuple[str, str]:
    """The answer for a cell, and a line about the result of it that is furthest off: it differs where one of
    its results does, and agrees where all do."""
    answers: dict[str, list[JudgedPair]] = {_DIFFERS: [], UNDECIDED: [], _AGREES: []}
    for one in found:
        off = one.estimate is not None and abs(one.estimate.log_ratio) > log1p(margin)
        answer = _DIFFERS if off and one.verdict != UNDECIDED else UNDECIDED
        answers[_AGREES if one.verdict == SAME else answer].append(one)
    answer, those = next((answer, those) for answer, those in answers.items() if those)
    return answer, _line(max(those, key=lambda one: abs(one.estimate.log_ratio) if one.estimate else inf))


def _line(worst: JudgedPair) -> str:
    name = f"{worst.pair.access} {worst.pair.label}"
    if worst.estimate is None:
        return f"{name} ({'; '.join(worst.notes) or 'no rounds'})"
    return f"{name} {worst.estimate}, n = {min(worst.estimate.rounds)}"
