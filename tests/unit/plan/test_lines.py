"""plan.json read by lines gives the same plan as parsed whole, in any layout, and the same errors."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.checkout import SUITE, load, make_checkout
from weir.base.errors import WeirError
from weir.plan import Plan, make_plan, plan_data, read_plan, write_plan
from weir.plan.files import cell_of_line, most_rounds, name_of_line, read_lines
from weir.records.model import Until


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    """Some cells have rounds until an interval is narrow, and a parameter named like that."""
    made = make_plan(load(make_checkout(tmp_path / "checkout", {"mine": SUITE})))
    batch = made.batches[0]
    first, second, *others = batch.cells
    odd = replace(first, until=Until(0.05, 30, 600.0), label='disk "until": {é}')
    named = replace(second, params={**second.params, "z": {"until": None}})
    return replace(made, batches=(replace(batch, cells=(odd, named, *others)), *made.batches[1:]))


def indented(data: object) -> str:
    return json.dumps(data, indent=2)


def compact(data: object) -> str:
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False)


@pytest.mark.parametrize("layout", [None, indented, compact])
def test_lines_hold_the_plan(tmp_path: Path, plan: Plan, layout: Callable[[object], str] | None) -> None:
    file = tmp_path / "plan.json"
    write_plan(plan, file)
    if layout:
        file.write_text(layout(plan_data(plan)), encoding="utf-8")
    lines = read_lines(file)
    cells = [cell_of_line(line, file) for line in lines.cells]
    assert tuple(cells) == plan.cells
    assert [name_of_line(line, file) for line in lines.cells] == [cell.cell for cell in plan.cells]
    assert [most_rounds(line) for line in lines.cells] == [cell.most_rounds for cell in plan.cells]
    assert most_rounds(lines.cells[0]) == 30
    assert lines.plan == replace(plan, batches=tuple(replace(one, cells=()) for one in plan.batches))
    assert [batch for _, batch in lines.with_batches()] == [
        batch.batch for batch in plan.batches for _ in batch.cells
    ]


DAMAGE: dict[str, Callable[[str], str]] = {
    "truncated": lambda text: text[: len(text) // 2],
    "no comma between cells": lambda text: text.replace('},\n  {"cell"', '}\n  {"cell"', 1),
    "a comma after the last cell": lambda text: text.replace("}\n ]}", "},\n ]}", 1),
    "another schema": lambda text: text.replace('"schema": 1', '"schema": 0'),
    "an unknown key": lambda text: text.replace('"scale":', '"scales":', 1),
    "not JSON": lambda text: text.replace('"batches"', "batches"),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_damage_is_the_same_error_as_of_the_whole_plan(
    tmp_path: Path, plan: Plan, damage: Callable[[str], str]
) -> None:
    file = tmp_path / "plan.json"
    write_plan(plan, file)
    damaged = damage(file.read_text())
    assert damaged != file.read_text()
    file.write_text(damaged)
    with pytest.raises(WeirError, match="is not a valid plan") as whole:
        read_plan(file)
    with pytest.raises(WeirError) as by_lines:
        read_lines(file)
    assert (str(by_lines.value), by_lines.value.exit_code) == (str(whole.value), 2)


@pytest.mark.parametrize("line", ['  {"cell": "}', '  {"cell": "a", "label": }', '  {"cell": "a"}'])
def test_a_damaged_cell_names_the_plan(tmp_path: Path, line: str) -> None:
    with pytest.raises(WeirError, match=r"plan\.json: is not a valid plan"):
        cell_of_line(line, tmp_path / "plan.json")


def test_a_name_with_escaped_characters_is_decoded(tmp_path: Path, plan: Plan) -> None:
    batch = plan.batches[0]
    cells = (replace(batch.cells[0], cell='a"é\\'), *batch.cells[1:])
    write_plan(replace(plan, batches=(replace(batch, cells=cells),)), tmp_path / "plan.json")
    line = read_lines(tmp_path / "plan.json").cells[0]
    assert name_of_line(line, tmp_path / "plan.json") == 'a"é\\'
