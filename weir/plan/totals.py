"""The cost card in numbers: what batches, targets and the whole plan cost, and the rounds that may be added
at most.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from weir.plan.config import Config
from weir.plan.cost import Span, launch_span, launches
from weir.plan.expand import MEANINGLESS, Expansion, PlannedCell
from weir.plan.model import Batch, Cost, TargetCost
from weir.records.model import Footprint, Partition, Until, grouped


def with_shares(planned: Sequence[PlannedCell]) -> list[PlannedCell]:
    """Each cell with the part of its experiment's budget that it brings to its batch.

    Batches are measured apart, and all of them together spend no more than the budget."""
    wanted_s: dict[tuple[str, str], float] = defaultdict(float)
    for item in planned:
        wanted_s[item.cell.suite, item.cell.experiment] += _most_added(item).expected_s
    shared = []
    for item in planned:
        cell, until = item.cell, item.cell.until
        if until is not None and until.budget_s is not None:
            whole_s = wanted_s[cell.suite, cell.experiment]
            share = _most_added(item).expected_s / whole_s if whole_s else 0.0
            item = replace(item, cell=replace(cell, until=replace(until, share=share)))
        shared.append(item)
    return shared


def added_span(items: Iterable[PlannedCell]) -> Span:
    """The span of the cost of added rounds: from none, if the planned rounds are enough, to the maximum, if
    the budget allows it."""
    total = Span()
    for item in items:
        most, part = _most_added(item), part_within_budget(item)
        total += Span(0.0, most.expected_s * part, most.high_s * part)
    return total


def part_within_budget(item: PlannedCell) -> float:
    """The expected part of a cell's maximum of added rounds that its share of the budget covers."""
    until, most_s = item.cell.until, _most_added(item).expected_s
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


def _most_added(item: PlannedCell) -> Span:
    return item.span * (item.cell.most_rounds - item.cell.rounds)


def batch_cost(items: Iterable[PlannedCell], partition: Partition) -> tuple[Span, int]:
    """Time of all executions one after the other, and the launches that they take."""
    span, shared, alone = Span(), 0, 0
    for item in items:
        span += item.span * item.cell.rounds
        shared += item.cell.rounds if item.shared else 0
        alone += 0 if item.shared else item.cell.rounds
    count = launches(shared, alone)
    return span + launch_span(partition) * (count - alone), count


def moved_bytes(footprint: Footprint) -> int:
    return footprint.written_bytes + footprint.read_bytes


def plan_cost(
    planned: Sequence[PlannedCell],
    checks: int,
    expansions: Sequence[Expansion],
    shared: int,
    batches: Sequence[Batch],
    config: Config,
) -> Cost:
    by_target = grouped((item.cell.target, item) for item in planned)
    targets = tuple(
        _target_cost(
            name, by_target.get(name, []), [batch for batch in batches if batch.target == name], config
        )
        for name in config.targets
        if name in by_target
    )
    points = sum(item.points for item in expansions)
    return Cost(
        points=points,
        factorial=sum(item.points * item.experiment.rounds for item in expansions),
        valid=sum((item.points - _invalid(item)) * item.experiment.rounds for item in expansions),
        reachable=sum(len(item.cells) * item.experiment.rounds for item in expansions),
        excluded=points - (len(planned) - checks) - shared,
        shared=shared,
        cells=len(planned),
        executions=sum(item.executions for item in targets),
        launches=sum(batch.launches for batch in batches),
        measurements=sum(item.cell.rounds * item.cell.iterations for item in planned),
        written_bytes=sum(item.written_bytes for item in targets),
        read_bytes=sum(item.read_bytes for item in targets),
        peak_bytes=max((item.peak_bytes for item in targets), default=0),
        peak_inodes=max((item.peak_inodes for item in targets), default=0),
        estimated_s=sum(batch.estimated_s for batch in batches),
        low_s=sum(batch.low_s for batch in batches),
        high_s=sum(batch.high_s for batch in batches),
        low_node_hours=sum(batch.low_s * batch.nodes for batch in batches) / 3600,
        high_node_hours=sum(batch.high_s * batch.nodes for batch in batches) / 3600,
        most_executions=most_executions(planned),
        targets=targets,
    )


def _invalid(expansion: Expansion) -> int:
    return sum(count for (cause, _), count in expansion.excluded.items() if cause in MEANINGLESS)


def _target_cost(
    name: str, planned: Sequence[PlannedCell], batches: Sequence[Batch], config: Config
) -> TargetCost:
    return TargetCost(
        target=name,
        cells=len(planned),
        executions=sum(item.cell.rounds for item in planned),
        written_bytes=sum(item.footprint.written_bytes * item.cell.rounds for item in planned),
        read_bytes=sum(item.footprint.read_bytes * item.cell.rounds for item in planned),
        peak_bytes=max(item.footprint.peak_bytes for item in planned),
        space_bytes=config.site.targets[name].space_bytes,
        peak_inodes=max(item.footprint.inodes for item in planned),
        estimated_s=sum(batch.estimated_s for batch in batches),
        low_s=sum(batch.low_s for batch in batches),
        high_s=sum(batch.high_s for batch in batches),
    )
