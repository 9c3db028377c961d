"""plan.json with its cells as text: `weir collect` parses a cell only if something about it changed.

write_plan writes each cell on a line of its own, so that the lines are found without parsing them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from weir.base.files import from_json
from weir.base.read_back import WRONG_CONTENT
from weir.plan.files import built, damage_named, pieces, plan_from_data, read_plan, text_of_plan
from weir.plan.model import Plan
from weir.terms.model import Cell

_BATCH, _BATCH_CELLS, _CELL = ' {"batch": "', ', "cells": [', '  {"cell": "'
_ROUNDS = re.compile(r'"rounds": (\d{1,9})\b')
_AT_MOST = re.compile(r'"at_most": (\d{1,9})\b')
_NO_UNTIL = ', "until": null}'


@dataclass(frozen=True)
class PlanLines:
    """A plan whose batches hold no cells, and the lines of the cells of each batch."""

    plan: Plan
    of_batches: tuple[list[str], ...]

    @property
    def cells(self) -> list[str]:
        return [line for lines in self.of_batches for line in lines]

    def with_batches(self) -> Iterator[tuple[str, str]]:
        """The line of each cell, and the name of its batch."""
        for batch, lines in zip(self.plan.batches, self.of_batches, strict=True):
            for line in lines:
                yield line, batch.batch


def read_lines(path: Path) -> PlanLines:
    """The plan of a file, also of one that a formatter laid out in its own style."""
    with damage_named(path):
        found = _split(text_of_plan(path))
    return found or lines_of_plan(read_plan(path))


def lines_of_plan(plan: Plan) -> PlanLines:
    """The lines of a plan, as read_lines gives them for its file."""
    found = _split("".join(pieces(plan)))
    assert found is not None, "write_plan and read_lines differ in the layout"
    return found


def _split(text: str) -> PlanLines | None:
    """The parts of the text; None where the layout is not the one of write_plan, or the text is damaged
    outside of the cells."""
    rest: list[str] = []
    batches: list[list[str]] = []
    in_batch = False
    for line in text.split("\n"):
        if in_batch and line.startswith(_CELL):
            batches[-1].append(line)
            continue
        rest.append(line)
        in_batch = line.startswith(_BATCH) and line.endswith(_BATCH_CELLS)
        if in_batch:
            batches.append([])
    try:
        plan = plan_from_data(from_json("\n".join(rest)))
    except WRONG_CONTENT:
        return None
    if len(plan.batches) != len(batches) or any(batch.cells for batch in plan.batches):
        return None
    if not all(_separated(lines) for lines in batches):
        return None
    return PlanLines(plan, tuple([line.removesuffix(",") for line in lines] for lines in batches))


def _separated(lines: list[str]) -> bool:
    """A comma between two cells, and none after the last."""
    return all(line.endswith("},") for line in lines[:-1]) and (not lines or lines[-1].endswith("}"))


def cell_of_line(line: str, path: Path) -> Cell:
    """The cell; path is the plan's, for the error."""
    with damage_named(path):
        cell: Cell = built(Cell, from_json(line))
        return cell


def name_of_line(line: str, path: Path) -> str:
    """The identifier of the cell; path is the plan's, for the error."""
    name, end, _ = line.removeprefix(_CELL).partition('"')
    return cell_of_line(line, path).cell if not end or "\\" in name else name


def most_rounds(line: str) -> int:
    """The most runs that the cell may have; 1 where the line does not show it."""
    found = _ROUNDS.search(line)
    rounds = int(found[1]) if found else 1
    at_most = None if line.endswith(_NO_UNTIL) else _AT_MOST.search(line)
    return max(rounds, int(at_most[1])) if at_most else rounds
