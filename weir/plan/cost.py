"""The cost of cells, from their footprints and from the site's files about its targets; the cost of earlier
batches of a site, expected and actual, which the cost card uses.

The plan stays a function of its configuration: batches, time limits and requested allocations do not depend
on earlier measurements.
"""

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import fmean

from weir.base.files import from_json, text_of
from weir.plan.model import Batch, Plan
from weir.records.model import Footprint, Partition, Target

MIB = 2**20
# Executions that weir-io runs in one launch: more save nothing, and their folders have to be made before it.
LAUNCH_EXECUTIONS = 200
_OWN_INODES = 3  # the workspace, its marker, the lock
# After the stonewall come the transfers under way, the wear-out and the synchronisation.
_AFTER_STONEWALL = 1.5
# What is expected of a target is what large transfers get: caches are faster, small ones slower.
_FASTER, _SLOWER = 2.0, 4.0
_OPERATION_S = 200e-6  # seconds of one operation at the worst, on top of its bytes
# A limit is there to end what hangs, not what is slow: far above the expectation, and never below a minute.
_TIMEOUT_FACTOR = 20.0
_TIMEOUT_MINIMUM_S = 60.0
# And little of a job: what might not end before its job does is not started.
_TIMEOUT_OF_JOB = 0.25


@dataclass(frozen=True)
class Span:
    """Wall time: what is expected, and between what it will lie."""

    low_s: float = 0.0
    expected_s: float = 0.0
    high_s: float = 0.0

    def __add__(self, other: "Span") -> "Span":
        return Span(self.low_s + other.low_s, self.expected_s + other.expected_s, self.high_s + other.high_s)

    def __mul__(self, count: int) -> "Span":
        return Span(self.low_s * count, self.expected_s * count, self.high_s * count)


# An execution that shares a launch: folders, a document, files to open, and libraries that meet for it.
_SHARED = Span(0.02, 0.1, 0.4)


def execution_span(
    footprint: Footprint, target: Target, partition: Partition, ranks: int, shared: bool
) -> Span:
    """One execution: its launch unless it shares one, and its bytes at the target's expected bandwidth."""
    start = _SHARED if shared else launch_span(partition)
    accesses = [(footprint.written_bytes, target.write_mib_s), (footprint.read_bytes, target.read_mib_s)]
    bytes_s = [moved / MIB / expected_mib_s for moved, expected_mib_s in accesses]
    operations_s = footprint.operations / ranks * _OPERATION_S
    slowest_s = [each * _SLOWER + operations_s / len(bytes_s) for each in bytes_s]
    if footprint.stonewall_s:
        most_s = footprint.stonewall_s * _AFTER_STONEWALL
        bytes_s = [min(each, most_s) for each in bytes_s]
        slowest_s = [min(each, most_s * _SLOWER) for each in slowest_s]
    return start + Span(sum(bytes_s) / _FASTER, sum(bytes_s), sum(slowest_s))


def inodes_needed(footprint: Footprint, executions: int = LAUNCH_EXECUTIONS) -> int:
    """Files and directories at a time: of one execution, of all that may share its launch their directories,
    made at its start, and of weir itself. Plan and preflight compare it with the same limit."""
    return footprint.inodes + min(executions, LAUNCH_EXECUTIONS) + _OWN_INODES


def stopped(footprint: Footprint, target: Target) -> Footprint:
    """The footprint with the bytes that a stonewall leaves, on a target that is faster than expected."""
    if not footprint.stonewall_s:
        return footprint
    most_s = footprint.stonewall_s * _AFTER_STONEWALL * _FASTER
    written_bytes = min(footprint.written_bytes, round(most_s * target.write_mib_s * MIB))
    read_bytes = min(footprint.read_bytes, round(most_s * target.read_mib_s * MIB))
    return replace(footprint, written_bytes=written_bytes, read_bytes=read_bytes)


def launch_span(partition: Partition) -> Span:
    """One start of the launcher."""
    return Span(partition.launch_s / _FASTER, partition.launch_s, partition.launch_s * _FASTER)


def launches(shared: int, alone: int) -> int:
    """Launches of a batch: in its random order, an execution that needs its own ends the launch before it."""
    return alone + -(-shared // LAUNCH_EXECUTIONS) + min(alone, max(shared - 1, 0))


def timeout_s(span: Span, partition: Partition) -> float:
    """Hard limit of an execution whose suite names none, in whole seconds; a job has room for several."""
    wanted_s = max(_TIMEOUT_MINIMUM_S, _TIMEOUT_FACTOR * span.expected_s)
    if partition.time_limit_s:
        most_s = max(_TIMEOUT_MINIMUM_S, span.high_s, _TIMEOUT_OF_JOB * partition.time_limit_s)
        wanted_s = min(wanted_s, most_s)
    return float(round(wanted_s))


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
    found = []
    for line in text_of(results / COSTS_FILE).splitlines():
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
