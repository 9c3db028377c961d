"""The cost card in numbers: what batches, targets and the whole plan cost."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from weir.plan.added import most_executions
from weir.plan.config import Config
from weir.plan.cost import Span, launch_span, launches
from weir.plan.expand import MEANINGLESS, Expansion, PlannedCell
from weir.plan.model import Batch, Cost, TargetCost
from weir.terms.model import Footprint, Partition


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
    by_target: dict[str, list[PlannedCell]] = defaultdict(list)
    for item in planned:
        by_target[item.cell.target].append(item)
    targets = tuple(
        _target_cost(name, by_target[name], [batch for batch in batches if batch.target == name], config)
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
