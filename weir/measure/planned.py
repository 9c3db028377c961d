"""A batch of a plan, with the target, stack and launcher that its names stand for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from weir.terms.model import Cell, Stack, Target

if TYPE_CHECKING:  # a guardian, one for each turn of a batch, starts sooner without the planner
    from weir.plan.model import Batch, Plan


@dataclass(frozen=True)
class PlannedBatch:
    """Cells of one shape, where they measure, what runs them, and where their runs go."""

    batch: str
    cells: Sequence[Cell]
    target: Target
    stack: Stack
    launcher: str
    results: Path  # results/<site>
    stop_for_slow_nodes: bool = False
    scheduler_options: Sequence[str] = ()
    any_kind: bool = False  # measure also where the target's kind is not that of its file system

    @property
    def launch_folder(self) -> Path:
        """The folder in which a killed launch leaves files for the next start."""
        return self.results / "launches" / self.batch

    @property
    def rounds(self) -> int:
        """Rounds of the plan; added ones come after them."""
        return max((cell.rounds for cell in self.cells), default=0)

    @property
    def executions(self) -> int:
        """Executions of the plan."""
        return sum(cell.rounds for cell in self.cells)

    @property
    def shape(self) -> tuple[int, int, str, str]:
        """The values that decide where ranks start; all cells of a batch have the same nodes and ranks."""
        return self.cells[0].nodes, self.cells[0].ppn, self.stack.name, self.launcher


def planned_batch(plan: Plan, batch: Batch, results: Path, any_kind: bool = False) -> PlannedBatch:
    """The batch with the objects of its plan."""
    site, partition = plan.site, plan.site.partitions[batch.partition]
    return PlannedBatch(
        batch=batch.batch,
        cells=batch.cells,
        target=site.targets[batch.target],
        stack=site.stacks[batch.stack],
        launcher=partition.launcher,
        results=results,
        stop_for_slow_nodes=partition.slow_nodes == "stop",
        scheduler_options=partition.scheduler_options,
        any_kind=any_kind,
    )
