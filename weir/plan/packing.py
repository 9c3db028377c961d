"""Packs cells into jobs: as many as end, with a margin, before the partition's limit ends the job."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from weir.plan.added import added_span
from weir.plan.expand import PlannedCell
from weir.terms.model import Cell, Partition

# The cost card guesses about an unknown machine: a job that ends early costs nothing, one that is cut costs
# another wait in the queue.
MARGIN = 2.0
OVERHEAD_S = 300.0  # two Pythons and ReFrame start on a file system that others use, too
_OVERHEAD_OF_LIMIT = 0.1  # no more than this part of a short limit


def overhead_s(partition: Partition) -> float:
    """The time of a job beside running programs."""
    return min(OVERHEAD_S, _OVERHEAD_OF_LIMIT * partition.time_limit_s or OVERHEAD_S)


def packed(items: Sequence[PlannedCell], partition: Partition) -> list[list[PlannedCell]]:
    """Jobs that are filled first-fit; an item that needs longer than the limit has a job of its own.

    Which job a cell gets is drawn by its id, not by its position in the plan: else small transfers would be
    measured on one day and large ones on another. Within a job the cells stand in the order of the plan.
    """
    if not partition.time_limit_s:
        return [list(items)]
    room_s = (partition.time_limit_s - overhead_s(partition)) / MARGIN
    left_s: list[float] = []
    job_of: dict[str, int] = {}
    needs_s: dict[str, float] = defaultdict(float)
    by_name = {item.cell.cell: item.cell for item in items}
    for item in items:
        needs_s[_own(item.cell, by_name)] += (
            item.span.expected_s * item.cell.rounds + added_span([item]).expected_s
        )
    for cell, need_s in sorted(needs_s.items()):
        job = next((job for job, left in enumerate(left_s) if need_s <= left), len(left_s))
        if job == len(left_s):
            left_s.append(room_s)
        left_s[job] -= need_s
        job_of[cell] = job
    return [[item for item in items if job_of[_own(item.cell, by_name)] == job] for job in range(len(left_s))]


def _own(cell: Cell, by_name: Mapping[str, Cell]) -> str:
    """A cell that checks another one is measured in the job of that one."""
    while cell.checks is not None:
        cell = by_name[cell.checks]
    return cell.cell
