"""The objects of a plan."""

from collections.abc import Mapping
from dataclasses import dataclass

from weir.records.model import Cell, Site


@dataclass(frozen=True)
class Batch:
    """The cells that share one allocation, in the order of the plan."""

    batch: str  # readable and stable, such as disk-debian-1x2, or disk-debian-1x2-part2
    partition: str
    nodes: int
    ppn: int
    stack: str
    target: str
    cells: tuple[Cell, ...]
    estimated_s: float  # all executions, one after the other
    launches: int = 0
    low_s: float = 0.0  # the time will lie between these
    high_s: float = 0.0
    added_s: float = 0.0  # rounds that are added until medians are known: at most, as expected
    moved_bytes: int = 0  # written and read by the planned rounds
    inodes: int = 0  # files and directories of the largest cell

    @property
    def place(self) -> str:
        """The common part of the batch and its other parts; the labels of its cells begin with it."""
        return f"{self.target}-{self.stack}-{self.nodes}x{self.ppn}"

    @property
    def executions(self) -> int:
        return sum(cell.rounds for cell in self.cells)


@dataclass(frozen=True)
class Exclusion:
    """Points that are not measured, counted by their reason."""

    suite: str
    experiment: str
    cause: str  # rule, nodes, ppn, interface, program, tool, space, target
    reason: str
    count: int


@dataclass(frozen=True)
class Shared:
    """A cell that several experiments request; it is measured once."""

    cell: str
    suite: str
    experiment: str


@dataclass(frozen=True)
class TargetCost:
    """The cost of the plan on one target."""

    target: str
    cells: int
    executions: int
    written_bytes: int
    read_bytes: int
    peak_bytes: int
    space_bytes: int  # the target's limit; 0: none is set
    peak_inodes: int
    estimated_s: float
    low_s: float
    high_s: float


@dataclass(frozen=True)
class Cost:
    """The cost card in numbers."""

    points: int  # all combinations, before anything is excluded
    factorial: int  # executions of the full factorial: all combinations and repetitions
    valid: int  # those of them that no rule excludes, available at the site or not
    reachable: int  # available ones; a duplicate cell counts once per experiment
    excluded: int
    shared: int
    cells: int
    executions: int
    launches: int  # of the launcher: executions share them where weir-io runs them
    measurements: int  # executions x iterations
    written_bytes: int
    read_bytes: int
    peak_bytes: int
    peak_inodes: int
    estimated_s: float
    low_s: float
    high_s: float
    low_node_hours: float
    high_node_hours: float
    most_executions: int  # with the rounds that may be added
    targets: tuple[TargetCost, ...]


@dataclass(frozen=True)
class UnreachableCounts:
    """Numbers of nodes and of processes per node that a suite asks for and the site does not have."""

    suite: str
    nodes: tuple[int, ...]
    ppn: tuple[int, ...]


@dataclass(frozen=True)
class SuiteFacts:
    """A suite as a reader of the plan needs it."""

    suite: str
    question: str
    description: str
    scale: str
    experiments: Mapping[str, str]  # name to question
    tags: tuple[str, ...] = ()  # by which a centre's CI chooses: smoke, daily, full
    claims: tuple[str, ...] = ()  # publications whose claims the report decides


@dataclass(frozen=True)
class Plan:
    """All that measuring needs to know; nothing to its right reads config/."""

    site: Site
    scale: str
    scale_requested: bool  # if not, it is the site's own
    suites: tuple[SuiteFacts, ...]
    batches: tuple[Batch, ...]
    exclusions: tuple[Exclusion, ...]
    unreachable: tuple[UnreachableCounts, ...]
    notes: tuple[str, ...]  # what else a reader must know of what was not planned
    shared: tuple[Shared, ...]
    cost: Cost

    @property
    def cells(self) -> tuple[Cell, ...]:
        return tuple(cell for batch in self.batches for cell in batch.cells)

    def in_turns(self, batch: Batch) -> list[Batch]:
        """The others whose rounds one job can measure in turns with those of this batch."""
        group = self.turns_of(batch)
        if group is None:
            return []
        return [each for each in self.batches if self.turns_of(each) == group and each != batch]

    def turns_of(self, batch: Batch) -> tuple[str, bool] | None:
        """The same for batches whose rounds one job can measure in turns: on one machine, without queue or
        limit of time, and all of them on real or on emulated storage. None for a batch by itself."""
        partition = self.site.partitions[batch.partition]
        if partition.scheduler != "local" or partition.time_limit_s:
            return None
        return batch.partition, self.site.targets[batch.target].emulated

    def batch(self, name: str) -> Batch:
        """The batch of that name; KeyError if there is none."""
        for batch in self.batches:
            if batch.batch == name:
                return batch
        raise KeyError(name)


# Between the end of the last program and that of the allocation: files are removed, run.json is written.
CLEAN_UP_S = 30.0


def fits(timeout_s: float, now: float, end: float | None) -> bool:
    """Whether a program may start now: even at its time limit it must end before the allocation does."""
    return end is None or now + timeout_s + CLEAN_UP_S <= end
