"""Rounds that may be added to the planned ones: their maximum cost."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from weir.plan.cost import Span
from weir.plan.expand import PlannedCell
from weir.terms.model import Until


def with_shares(planned: Sequence[PlannedCell]) -> list[PlannedCell]:
    """Each cell with the part of its experiment's budget that it brings to its batch.

    Batches are measured apart, and all of them together spend no more than the budget."""
    wanted_s: dict[tuple[str, str], float] = defaultdict(float)
    for item in planned:
        wanted_s[item.cell.suite, item.cell.experiment] += _most(item).expected_s
    shared = []
    for item in planned:
        cell, until = item.cell, item.cell.until
        if until is not None and until.budget_s is not None:
            whole_s = wanted_s[cell.suite, cell.experiment]
            share = _most(item).expected_s / whole_s if whole_s else 0.0
            item = replace(item, cell=replace(cell, until=replace(until, share=share)))
        shared.append(item)
    return shared


def added_span(items: Iterable[PlannedCell]) -> Span:
    """The span of the cost of added rounds: from none, if the planned rounds are enough, to the maximum, if
    the budget allows it."""
    total = Span()
    for item in items:
        most, part = _most(item), part_within_budget(item)
        total += Span(0.0, most.expected_s * part, most.high_s * part)
    return total


def part_within_budget(item: PlannedCell) -> float:
    """The expected part of a cell's maximum of added rounds that its share of the budget covers."""
    until, most_s = item.cell.until, _most(item).expected_s
    if until is None or until.budget_s is None or most_s == 0:
        return 1.0
    return min(1.0, until.budget_s * until.share / most_s)


def most_executions(items: Iterable[PlannedCell]) -> int:
    """The planned rounds and all that the budgets may add."""
    return sum(
        item.cell.rounds + round((item.cell.most_rounds - item.cell.rounds) * part_within_budget(item))
        for item in items
    )


def until_words(until: Until | None) -> str:
    """The request by which a batch is measured further; the share of the budget is not part of it."""
    if until is None:
        return ""
    return f" until {until.half_width:g}, {until.at_most} rounds, {until.budget_s} s"


def stricter(first: Until | None, other: Until | None) -> Until | None:
    """The stricter condition for a cell of two experiments: the narrower interval, the more rounds, the
    longer time."""
    if first is None or other is None:
        return first or other
    unlimited = first.budget_s is None or other.budget_s is None
    return Until(
        min(first.half_width, other.half_width),
        max(first.at_most, other.at_most),
        None if unlimited else max(first.budget_s or 0.0, other.budget_s or 0.0),
    )


def _most(item: PlannedCell) -> Span:
    return item.span * (item.cell.most_rounds - item.cell.rounds)
