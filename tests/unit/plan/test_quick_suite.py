"""quick: rates and not peaks, whatever the storage, in a few minutes."""

from __future__ import annotations

import pytest

from tests.checkout import shipped
from weir.plan import make_plan
from weir.terms.model import Cell

GIB = 2**30


@pytest.fixture(scope="module")
def cells() -> list[Cell]:
    plan = make_plan(shipped("local", ["quick"]))
    return [cell for cell in plan.cells if not plan.site.targets[cell.target].emulated]


def test_each_phase_lasts_until_its_stonewall(cells: list[Cell]) -> None:
    for cell in cells:
        assert cell.params["stonewall"] == {"disk": 1.0, "memory": 0.25}[cell.target]
        assert cell.params["wear_out"], "or a file would have holes"
        assert cell.params["read_again"], "a read would end with what was written"
        assert cell.params["sync"]
        assert cell.params["drop_caches"]


def test_only_a_storage_of_gigabytes_a_second_ends_a_write_before_it(cells: list[Cell]) -> None:
    for cell in cells:
        rate = cell.ranks * cell.params["block_bytes"] / cell.params["stonewall"]
        is_random = cell.params["order"] == "random"
        assert rate >= (1.5 if is_random and cell.target == "disk" else 4) * GIB, cell.label


def test_a_few_cells_in_six_rounds(cells: list[Cell]) -> None:
    assert {cell.rounds for cell in cells} == {6}
    assert len(cells) == 10
