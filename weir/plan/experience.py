"""Cost of earlier batches of a site, expected and actual; the cost card uses it.

The plan stays a function of its configuration: batches, time limits and requested allocations do not depend
on earlier measurements.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean

from weir.base.files import from_json
from weir.plan.model import Batch, Plan

COSTS_FILE = "costs.jsonl"  # it lies in results/<site>
_LATEST = 20  # batches of one kind
_FEW = 5  # fewest ratios that show their spread
_VARIES = 2.0


@dataclass(frozen=True)
class BatchCosts:
    """One session of a batch: what was expected of the executions that it ran, and what they took."""

    at: str
    batch: str
    target: str
    stack: str
    nodes: int
    ppn: int
    executions: int
    failed: int
    expected_s: float
    actual_s: float
    expected_bytes: int
    actual_bytes: int
    expected_inodes: int
    actual_inodes: int

    @property
    def ratio(self) -> float:
        return self.actual_s / self.expected_s


@dataclass(frozen=True)
class Learned:
    """The time of a plan, estimated from earlier batches."""

    low_s: float
    high_s: float
    batches: int  # of the plan that have such experience
    sessions: tuple[BatchCosts, ...]


def append_costs(results: Path, costs: BatchCosts) -> None:
    """One line, written at once: several batches may end at a time."""
    with (results / COSTS_FILE).open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(asdict(costs)) + "\n")


def read_costs(results: Path) -> list[BatchCosts]:
    """Sessions without failures, oldest first. A damaged line is skipped: nothing depends on it."""
    try:
        lines = (results / COSTS_FILE).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
    found = []
    for line in lines:
        try:
            costs = BatchCosts(**from_json(line))
            if not costs.failed and costs.expected_s > 0 and costs.actual_s > 0:
                found.append(costs)
        except (ValueError, TypeError):
            continue
    return found


def learned(plan: Plan, costs: Iterable[BatchCosts]) -> Learned | None:
    """The expectation from earlier batches; None where nothing like the plan was measured. A batch without
    experience keeps its expected range."""
    known = list(costs)
    low_s = high_s = 0.0
    used: dict[BatchCosts, None] = {}
    batches = 0
    for batch in plan.batches:
        alike = _alike(batch, known)
        least, most = _range_of_ratios(alike)
        low_s += batch.estimated_s * least if alike else batch.low_s
        high_s += (batch.estimated_s + batch.added_s) * most if alike else batch.high_s
        batches += bool(alike)
        used |= dict.fromkeys(alike)
    return Learned(low_s, high_s, batches, tuple(used)) if used else None


def _alike(batch: Batch, known: Sequence[BatchCosts]) -> list[BatchCosts]:
    """The same geometry on the same target with the same stack, else the same target."""
    own = [each for each in known if each.target == batch.target]
    kind = (batch.stack, batch.nodes, batch.ppn)
    same = [each for each in own if (each.stack, each.nodes, each.ppn) == kind]
    return (same or own)[-_LATEST:]


def _range_of_ratios(sessions: Sequence[BatchCosts]) -> tuple[float, float]:
    """The least and the most; of few, a factor around their mean."""
    ratios = [each.ratio for each in sessions]
    if len(ratios) >= _FEW or not ratios:
        return min(ratios, default=1.0), max(ratios, default=1.0)
    middle = math.exp(fmean(math.log(ratio) for ratio in ratios))
    return min(*ratios, middle / _VARIES), max(*ratios, middle * _VARIES)
