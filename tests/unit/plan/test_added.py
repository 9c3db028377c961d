"""`until` in a suite: what the plan and its card say of rounds that may be added."""

from pathlib import Path

import pytest

from tests.checkout import SITE, SUITE, load, make_checkout
from weir.base.errors import ConfigError
from weir.plan import Plan, make_plan, plan_data, plan_from_data
from weir.plan.allocation import time_s
from weir.plan.card import cost_card
from weir.records.model import Until

ROUNDS = "{rounds: 2, iterations: 3}"


def plan_of(folder: Path, repetitions: str, more: str = "") -> Plan:
    suite = SUITE.replace(ROUNDS, repetitions) + more
    return make_plan(load(make_checkout(folder, {"mine": suite}, SITE)))


def test_a_cell_has_what_its_suite_requests_and_its_identity_stays(tmp_path: Path) -> None:
    plan = plan_of(tmp_path / "a", "{rounds: 2, iterations: 3, until: 5 %, at_most: 12}")
    assert {cell.until for cell in plan.cells} == {Until(0.05, 12)}
    assert [cell.cell for cell in plan.cells] == [cell.cell for cell in plan_of(tmp_path / "b", ROUNDS).cells]
    assert plan_from_data(plan_data(plan)) == plan


def test_batches_share_the_budget_of_their_experiment(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, "{rounds: 2, iterations: 3, until: 5 %, at_most: 12, budget: 4 s}")
    assert len(plan.batches) == 2
    assert sum(cell.until.share for cell in plan.cells if cell.until) == pytest.approx(1)
    assert sum(batch.added_s for batch in plan.batches) == pytest.approx(4)


def test_the_card_and_the_allocation_have_room_for_added_rounds(tmp_path: Path) -> None:
    plain = plan_of(tmp_path / "a", ROUNDS)
    free = plan_of(tmp_path / "b", "{rounds: 2, iterations: 3, until: 2.5 %, at_most: 12}")
    assert (free.cost.executions, free.cost.most_executions) == (16, 96)
    assert free.cost.low_s == plain.cost.low_s
    assert free.cost.high_s > 4 * plain.cost.high_s
    partition = plain.site.partitions["node"]
    assert time_s(free.batches[0], partition) > time_s(plain.batches[0], partition)
    line = "added rounds  up to 96 executions, until ±2.5 % of the median, 12 rounds"
    assert line in cost_card(free)
    assert "added" not in cost_card(plain)


def test_an_experiment_that_shares_a_cell_keeps_the_stricter_request(tmp_path: Path) -> None:
    other = SUITE.partition("experiments:\n")[2].replace("sizes", "again")
    other = other.replace(ROUNDS, "{rounds: 3, iterations: 3, until: 2 %, at_most: 9}")
    plan = plan_of(tmp_path, "{rounds: 2, iterations: 3, until: 5 %, at_most: 12, budget: 4 s}", other)
    assert {(cell.rounds, cell.until) for cell in plan.cells} == {(3, Until(0.02, 12))}


@pytest.mark.parametrize(
    ("repetitions", "message"),
    [
        ("{rounds: 9, until: 5 %, at_most: 8}", "at_most is 8, rounds is 9"),
        ("{rounds: 2, until: 5}", "5 is not a percentage above zero"),
        ("{rounds: 2, until: 0 %}", "'0 %' is not a percentage above zero"),
        ("{rounds: 2, at_most: 8}", "until"),
        ("{rounds: 2, until: 5 %, budget: 30}", "30 has no unit"),
    ],
)
def test_mistakes_are_told(tmp_path: Path, repetitions: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        plan_of(tmp_path, repetitions)
    assert message in str(caught.value)
