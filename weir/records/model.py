"""The terms of the project as types; nothing here reads files or starts processes."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

# Record columns (config/schemas/record.schema.yaml) and, under "observed", what only the audit reads.
Row = dict[str, Any]
Key = TypeVar("Key")
Value = TypeVar("Value")

CROSS_CHECK = "cross-check"  # purpose of records that no figure, table, claim or contract uses


def tasks_of(row: Row) -> int | None:
    """MPI tasks of a record: those that its output tells, because nodes may have different numbers of them,
    else as many on each node; None where neither is known."""
    tasks, nodes, ppn = (row.get(name) for name in ("tasks", "nn", "ppn"))
    return int(tasks) if tasks else int(nodes * ppn) if nodes and ppn else None


def grouped(pairs: Iterable[tuple[Key, Value]]) -> dict[Key, list[Value]]:
    """The values of each key: records of a cell, iterations of a run. Both keep their order."""
    found: dict[Key, list[Value]] = defaultdict(list)
    for key, value in pairs:
        found[key].append(value)
    return dict(found)


@dataclass(frozen=True)
class Target:
    """One place to store bytes, as its YAML file describes it."""

    name: str
    kind: str
    path: str
    description: str = ""
    mount: str = ""  # must be a mount point before anything is written
    prefix: str = ""  # put before the path in the tool's -o, such as ime://
    emulated: bool = False
    optional: bool = False  # if it cannot be used, its cells are skipped and the study continues
    apis: tuple[str, ...] = ()  # empty: every interface can reach it
    stacks: tuple[str, ...] = ()  # empty: every stack can
    max_stripe_count: int = 0  # 0: the file system has no stripes
    set_stripes: tuple[str, ...] = ()  # command with {count} and {folder}, run on the folder of a run
    set_pool: tuple[str, ...] = ()  # the same with {pool}, too; empty: pools cannot be requested
    set_osts: tuple[str, ...] = ()  # with {osts} and {folder}
    get_stripes: tuple[str, ...] = ()  # and the one that prints the count
    space_bytes: int = 0  # 0: only the file system limits it
    inodes: int = 0  # files and directories at a time; 0: only the file system limits it
    sent_per_byte: float = 1.0  # bytes that a client sends its servers for each byte of a file
    server_addresses: tuple[str, ...] = ()  # beside those that the mount names
    server_probe: tuple[str, ...] = ()  # command that prints the bytes of the servers' devices
    drop_server_caches: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    prepare: tuple[tuple[str, ...], ...] = ()  # commands, each a list of arguments, run before a batch
    cleanup: tuple[tuple[str, ...], ...] = ()  # and after it, whatever happened
    write_mib_s: float = 500.0  # what the cost card assumes
    read_mib_s: float = 1000.0
    peak_mib_s: Mapping[str, float] = field(default_factory=dict)  # declared, by access


@dataclass(frozen=True)
class CrossCheck:
    """Other programs of a stack: each measures a few cells of its tool beside the stack's own one, and those
    that the own one cannot measure."""

    programs: Mapping[str, tuple[str, ...]]
    cells: int = 4  # of each tool
    margin: float = 0.03  # ratios within it agree


@dataclass(frozen=True)
class Stack:
    """A software environment that can run tools; programs maps a tool to the command that starts it."""

    name: str
    programs: Mapping[str, tuple[str, ...]]
    description: str = ""
    launcher_options: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    cross_check: CrossCheck | None = None

    @property
    def commands(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Tool and command of every program, those of the cross-check last."""
        others = self.cross_check.programs if self.cross_check else {}
        return (*self.programs.items(), *others.items())

    def program(self, tool: str, by_cross_check: bool = False) -> tuple[str, ...]:
        """The command of a tool; empty where the stack has none."""
        others = self.cross_check.programs if self.cross_check else {}
        return (others if by_cross_check else self.programs).get(tool, ())

    def program_of(self, cell: "Cell") -> tuple[str, ...]:
        """The command of the program that measures the cell."""
        return self.program(cell.tool, cell.by_cross_check)


@dataclass(frozen=True)
class Partition:
    """Nodes of a site that are alike, and how a program is started on them."""

    name: str
    nodes: int
    cores_per_node: int
    max_ppn: int
    launcher: str  # a file of weir/site/launchers
    scheduler: str  # a file of weir/site/schedulers
    stacks: tuple[str, ...]
    description: str = ""
    time_limit_s: float = 0.0  # 0: none
    scheduler_options: tuple[str, ...] = ()  # account, partition, QOS: one word each
    launch_s: float = 1.0  # what the cost card assumes for starting a program
    slow_nodes: str = "report"  # or stop: what to do when a node of a job stands out


@dataclass(frozen=True)
class Site:
    """A cluster or laptop, everything in its files resolved: {root} and {user} are gone."""

    name: str
    description: str
    hosts: tuple[str, ...]  # regular expressions of the host names that belong to it
    partitions: Mapping[str, Partition]
    stacks: Mapping[str, Stack]
    targets: Mapping[str, Target]
    scale: str = "full"  # default scale of the site
    wire_gbit_s: float | None = None  # what the network carries to or from one node


@dataclass(frozen=True)
class Until:
    """Rounds are added to a cell until the interval of its median is this narrow, or something runs out."""

    half_width: float  # of the interval, as a part of the median
    at_most: int  # rounds, those of the plan included
    budget_s: float | None = None  # of all added rounds of the experiment
    share: float = 1.0  # of the budget, that this cell brings to its batch


@dataclass(frozen=True)
class Cell:
    """One point of an experiment on one target with one stack (config/schemas/cell.schema.yaml)."""

    cell: str
    label: str
    suite: str
    experiment: str
    tool: str
    site: str
    target: str
    stack: str
    partition: str
    nodes: int
    ppn: int
    rounds: int
    iterations: int
    timeout_s: float
    params: Mapping[str, Any]
    by_cross_check: bool = False  # measured by the program of the stack's cross_check
    checks: str | None = None  # the cell beside which this one is measured, for a cross-check
    until: Until | None = None

    @property
    def most_rounds(self) -> int:
        return max(self.rounds, self.until.at_most) if self.until else self.rounds

    @property
    def ranks(self) -> int:
        return self.nodes * self.ppn

    @property
    def point(self) -> str:
        """The label without its first term, the target: enough among cells of one batch."""
        return self.label.partition(" ")[2]


@dataclass(frozen=True)
class Footprint:
    """The load of one execution of a cell on the storage."""

    written_bytes: int
    read_bytes: int
    peak_bytes: int
    inodes: int
    operations: int
    stonewall_s: float = 0.0  # each access is stopped after this time; 0: when all bytes are moved


@dataclass(frozen=True)
class Message:
    """A line of a tool's output that matters to the audit: level is warning or error."""

    level: str
    text: str
    row: int | None = None  # index of the row it belongs to, if one can be told


@dataclass(frozen=True)
class Parsed:
    """The contents of a tool's output, before any judgement."""

    rows: tuple[Row, ...]
    requested: Mapping[str, Any]  # according to the output itself, in the tool's parameter names
    messages: tuple[Message, ...]
    program: str  # weir-io, IOR, ...
    tool_version: str
    complete: bool  # the output has its end; false for a killed or crashed program


@dataclass(frozen=True)
class Finding:
    """A finding of an audit rule about one record."""

    rule: str
    verdict: str  # NOTE, DEGRADED or INVALID
    evidence: str  # the numbers, as text


def is_check(cell: Cell, checked: Cell) -> bool:
    """Whether the cell is compared with the one beside which it is measured; one of the same program is not:
    the cell of the other program is compared with it."""
    return cell.by_cross_check != checked.by_cross_check


def root_of(cell: Cell, by_name: Mapping[str, Cell]) -> Cell:
    """The cell of the suite beside which this one is measured; mostly the cell itself."""
    while cell.checks:
        cell = by_name[cell.checks]
    return cell
