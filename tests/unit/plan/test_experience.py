"""What batches took is kept beside what was expected, and the next cost card uses it."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.checkout import SUITE, load, make_checkout
from weir.plan import Plan, make_plan
from weir.plan.card import cost_card
from weir.plan.cost import COSTS_FILE, BatchCosts, append_costs, learned, read_costs

COSTS = BatchCosts("2026-01-01", "b", "disk", "plain", 1, 2, 8, 0, 10.0, 20.0, 1000, 900, 4, 4)


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    return make_plan(load(make_checkout(tmp_path, {"mine": SUITE})))


def test_sessions_are_kept_and_damaged_lines_skipped(tmp_path: Path) -> None:
    assert read_costs(tmp_path) == []
    append_costs(tmp_path, COSTS)
    with (tmp_path / COSTS_FILE).open("a") as stream:
        stream.write('{"at": "2026"\n[]\n{"at": 1}\n')
    append_costs(tmp_path, replace(COSTS, failed=1))
    append_costs(tmp_path, replace(COSTS, actual_s=30.0))
    assert [each.actual_s for each in read_costs(tmp_path)] == [20.0, 30.0]


def test_the_next_card_states_the_learned_time(plan: Plan) -> None:
    sessions = [replace(COSTS, actual_s=10.0 * ratio) for ratio in (0.8, 0.9, 1.0, 1.1, 1.2)]
    found = learned(plan, sessions)
    assert found is not None
    expected_s = plan.cost.estimated_s
    assert (found.low_s, found.high_s) == pytest.approx((0.8 * expected_s, 1.2 * expected_s))
    assert found.high_s - found.low_s < plan.cost.high_s - plan.cost.low_s
    card = cost_card(plan, sessions)
    assert "learned time  15 s to 22 s (2 of 2 batches, from 5 earlier ones)" in card
    assert "earlier cost  0.8 to 1.2 of the expected time, 0.90 of the bytes, 1.00 of the files" in card
    assert "learned" not in cost_card(plan)


def test_the_same_geometry_counts_before_the_same_target(plan: Plan) -> None:
    other = replace(COSTS, ppn=1, actual_s=100.0)
    found = learned(plan, [COSTS, other])
    assert found is not None
    assert found.sessions == (other, COSTS)
    batches = {(batch.nodes, batch.ppn): batch.estimated_s for batch in plan.batches}
    # Of one session alone nobody knows how far others vary.
    assert found.high_s == pytest.approx(batches[1, 1] * 20 + batches[1, 2] * 4)


def test_what_was_measured_changes_no_plan_and_other_targets_teach_nothing(plan: Plan) -> None:
    assert learned(plan, [replace(COSTS, target="tape")]) is None
    assert learned(plan, []) is None
