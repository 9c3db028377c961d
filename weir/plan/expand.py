"""Expands an experiment to its cells: all valid points of the space within reach."""

import hashlib
import itertools
import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from weir.base.errors import ConfigError, Problem, unique
from weir.base.units import HintedError, about_size, counted
from weir.plan.config import Config
from weir.plan.config.expression import Expression, ExpressionError
from weir.plan.config.parameters import cell_default, cell_key, computed_value
from weir.plan.config.suite import Experiment
from weir.plan.config.suites import TARGET_FIELDS
from weir.plan.config.yaml_file import Keys
from weir.plan.cost import Span, execution_span, inodes_needed, stopped, timeout_s
from weir.records.model import Cell, Footprint, Partition, Site, Stack, Target
from weir.tools.base import Tool
from weir.tools.engine import EngineTool, shared_engine


@dataclass(frozen=True)
class Location:
    """A target with a stack."""

    target: Target
    stack: Stack
    identity: Mapping[str, Any]  # the part of a cell's identity that is the location's
    cross_identity: Mapping[str, Any]  # the same for the program of the stack's cross_check
    names: Mapping[str, Any]  # what formulas and rules know of the location


@dataclass(frozen=True)
class Unreachable:
    """Why a geometry cannot run at a location."""

    cause: str
    reason: str


def locations(experiment: Experiment, config: Config) -> Iterator[Location]:
    """The chosen targets and stacks that the experiment wants."""
    for target in (config.site.targets[name] for name in config.targets):
        if experiment.targets and target.name not in experiment.targets:
            continue
        if experiment.kinds and target.kind not in experiment.kinds:
            continue
        for stack in (config.site.stacks[name] for name in config.stacks):
            if not experiment.stacks or stack.name in experiment.stacks:
                yield _location(target, stack, experiment.tool.name, config)


def _location(target: Target, stack: Stack, tool: str, config: Config) -> Location:
    written = config.identities.stacks[stack.name]
    identity, cross_identity = (
        {
            "site": config.site.name,
            "target": [target.name, config.identities.targets[target.name]],
            "stack": [stack.name, {**written, "programs": programs.get(tool)}],
        }
        for programs in (written["programs"], config.identities.cross_checks[stack.name])
    )
    names = {f"target.{key}": getattr(target, key) for key in TARGET_FIELDS}
    names |= {"target": target.name, "stack": stack.name}
    return Location(target, stack, identity, cross_identity, names)


def partition_for(location: Location, tool: str, nodes: int, ppn: int, site: Site) -> Partition | Unreachable:
    """The first partition that can run it, else why none can."""
    reached_by = location.target.stacks
    if reached_by and location.stack.name not in reached_by:
        which = f"the stack{'s' * (len(reached_by) > 1)} {' and '.join(reached_by)}"
        return Unreachable("stack", f"target {location.target.name} is reached by {which} only")
    if tool not in location.stack.programs:
        return Unreachable("program", f"stack {location.stack.name} has no program for the tool {tool}")
    fitting = [item for item in site.partitions.values() if location.stack.name in item.stacks]
    for partition in fitting:
        if nodes <= partition.nodes and ppn <= partition.max_ppn:
            return partition
    most = max(item.nodes for item in fitting)
    if nodes > most:
        return Unreachable("nodes", f"needs more than the {counted(most, 'node')} of site {site.name}")
    most = max(item.max_ppn for item in fitting if nodes <= item.nodes)
    processes = f"{counted(most, 'process')} per node"
    return Unreachable("ppn", f"needs more than the {processes} that site {site.name} allows (max_ppn)")


# Causes of points that are not valid combinations anywhere; the others are out of reach of a site.
MEANINGLESS = ("rule", "interface", "tool")
# More problems than this are one problem that repeats.
_MOST_PROBLEMS = 20
# Limit of a plan: 100,000 cells take minutes and 300 MiB.
MOST_POINTS = 400_000


@dataclass(frozen=True)
class PlannedCell:
    """A cell with its cost."""

    cell: Cell
    footprint: Footprint
    span: Span  # of one execution, without a launch that it shares
    shared: bool


@dataclass
class Expansion:
    """Cells and exclusions from an experiment's points."""

    experiment: Experiment
    cells: list[PlannedCell] = field(default_factory=list)
    points: int = 0
    excluded: Counter[tuple[str, str]] = field(default_factory=Counter)  # (cause, reason)
    instead: Counter[tuple[str, str]] = field(default_factory=Counter)  # (stack, what its own program cannot)
    beyond: dict[str, set[int]] = field(default_factory=lambda: {"nodes": set(), "ppn": set()})


@dataclass(frozen=True)
class _Point:
    """One combination of a location, a geometry and a value of each axis (by their numbers)."""

    location: Location
    nodes: int
    ppn: int
    indices: tuple[int, ...]


def points_of(experiment: Experiment, config: Config) -> int:
    """The size of the full factorial."""
    geometries = sum(1 for _ in locations(experiment, config)) * len(experiment.nodes) * len(experiment.ppn)
    return geometries * math.prod(len(axis.values) for axis in experiment.axes)


def expand(experiment: Experiment, config: Config) -> Expansion:
    """All cells of the experiment, and why its other points are none."""
    return _Expander(experiment, config).run()


class _Expander:
    def __init__(self, experiment: Experiment, config: Config) -> None:
        self.experiment = experiment
        self.config = config
        self.tool = experiment.tool
        self.result = Expansion(experiment)
        self.refusals = Refusals(experiment)
        self.problems: list[Problem] = []
        parameters = self.tool.parameters
        self.defaults = {name: cell_default(item) for name, item in parameters.items()}
        self.keys = {name: cell_key(name, item) for name, item in parameters.items()}
        self.cell_defaults = {self.keys[name]: value for name, value in self.defaults.items()}

    def run(self) -> Expansion:
        experiment = self.experiment
        choices = [range(len(axis.values)) for axis in experiment.axes]
        geometries = itertools.product(locations(experiment, self.config), experiment.nodes, experiment.ppn)
        for location, nodes, ppn in geometries:
            partition = partition_for(location, self.tool.name, nodes, ppn, self.config.site)
            if isinstance(partition, Unreachable) and partition.cause in self.result.beyond:
                self.result.beyond[partition.cause].add({"nodes": nodes, "ppn": ppn}[partition.cause])
            for indices in itertools.product(*choices):
                self.result.points += 1
                self._visit(_Point(location, nodes, ppn, indices), partition)
                if len(self.problems) > _MOST_PROBLEMS:
                    raise ConfigError(unique(self.problems))
        self.problems += self.refusals.impossible()
        if self.problems:
            raise ConfigError(unique(self.problems))
        return self.result

    def _visit(self, point: _Point, partition: Partition | Unreachable) -> None:
        values = self._values(point)
        if values is None:
            return
        rule = self._rule(values)
        if rule is not None:
            self._exclude("rule", rule)
            return
        self.refusals.count(point.indices)
        target = point.location.target
        if target.apis and values.get("api", target.apis[0]) not in target.apis:
            self._exclude("interface", f"target {target.name} has no interface {values['api']}")
            return
        if isinstance(partition, Unreachable):
            self._exclude(partition.cause, partition.reason)
            return
        cell = self._cell(point, partition, values)
        reasons = self.tool.problems(cell, target)
        if reasons:
            self.refusals.refuse(point.indices, cell, target, reasons)
            self._exclude("tool", reasons[0])
            return
        stack = point.location.stack
        lacking = self.tool.unsupported(cell, stack.program(cell.tool))
        if lacking:
            other = stack.program(cell.tool, by_cross_check=True)
            if not other or self.tool.unsupported(cell, other):
                could = isinstance(self.tool, EngineTool) and not other
                hint = " (weir-io in its cross_check would measure it)" if could else ""
                self._exclude("program", f"stack {cell.stack}: {lacking}{hint}")
                return
            cell = self._cell(point, partition, values, by_cross_check=True)
        if self._add(point, cell, partition) and lacking:
            self.result.instead[cell.stack, lacking] += 1

    def _values(self, point: _Point) -> dict[str, Any] | None:
        """Parameters, location and formulas of a point by the names that a suite uses."""
        geometry = {"nodes": point.nodes, "ppn": point.ppn, "ranks": point.nodes * point.ppn}
        values = {**self.defaults, **point.location.names, **geometry}
        for axis, index in zip(self.experiment.axes, point.indices, strict=True):
            value = axis.values[index]
            if isinstance(value, Expression):
                try:
                    value = computed_value(self.tool.parameters[axis.name], value.value(values))
                except HintedError as error:
                    self._problem(axis.keys[index], str(error), error.hint)
                    return None
            values[axis.name] = value
        return values

    def _rule(self, values: Mapping[str, Any]) -> str | None:
        """The reason of the first rule that matches."""
        for rule in self.experiment.rules:
            try:
                if rule.exclude.value(values):
                    return rule.because
            except ExpressionError as error:
                self._problem((*rule.keys, "exclude"), str(error), error.hint)
        return None

    def _cell(
        self, point: _Point, partition: Partition, values: Mapping[str, Any], by_cross_check: bool = False
    ) -> Cell:
        """The cell, but for its time limit, which is known when its cost is."""
        experiment, location = self.experiment, point.location
        params = {key: values[name] for name, key in self.keys.items()}
        geometry = {"nodes": point.nodes, "ppn": point.ppn, "iterations": experiment.iterations}
        place = location.cross_identity if by_cross_check else location.identity
        identity = {**place, **geometry, "launcher": partition.launcher}
        where = f"{location.target.name}-{location.stack.name}-{point.nodes}x{point.ppn}"
        return Cell(
            cell=cell_identity(self.tool, params, self.cell_defaults, identity),
            label=f"{where} {self.tool.label(params)}",
            suite=experiment.suite,
            experiment=experiment.name,
            tool=self.tool.name,
            site=self.config.site.name,
            target=location.target.name,
            stack=location.stack.name,
            partition=partition.name,
            nodes=point.nodes,
            ppn=point.ppn,
            rounds=experiment.rounds,
            iterations=experiment.iterations,
            timeout_s=experiment.timeout_s or 0.0,
            params=params,
            by_cross_check=by_cross_check,
            until=experiment.until,
        )

    def _add(self, point: _Point, cell: Cell, partition: Partition) -> bool:
        """Whether the target has room for the cell, which is then added."""
        target = point.location.target
        need = too_large(self.tool, cell, target, point.location.stack)
        if need:
            self._exclude("space", need)
            return False
        planned = with_cost(self.tool, cell, target, partition, point.location.stack)
        if not cell.timeout_s:
            planned = replace(planned, cell=replace(cell, timeout_s=timeout_s(planned.span, partition)))
        self.result.cells.append(planned)
        return True

    def _exclude(self, cause: str, reason: str) -> None:
        self.result.excluded[cause, reason] += 1

    def _problem(self, keys: Keys, message: str, hint: str | None) -> None:
        self.problems.append(self.experiment.file.problem(keys, message, hint))


def too_large(tool: Tool, cell: Cell, target: Target, stack: Stack) -> str | None:
    """Names what the cell needs and the target does not allow; None if the target has room."""
    footprint = tool.footprint(cell)
    if target.space_bytes and footprint.peak_bytes > target.space_bytes:
        need, have = about_size(footprint.peak_bytes), about_size(target.space_bytes)
        return f"needs {need} at a time, target {target.name} allows {have}"
    shared = shared_engine(tool, cell, stack.program_of(cell))
    inodes = inodes_needed(footprint) if shared else inodes_needed(footprint, executions=1)
    if target.inodes and inodes > target.inodes:
        return f"needs {inodes:,} files at a time, target {target.name} allows {target.inodes:,}"
    return None


def with_cost(tool: Tool, cell: Cell, target: Target, partition: Partition, stack: Stack) -> PlannedCell:
    """The cell with its cost, by the program that measures it."""
    footprint, shared = tool.footprint(cell), bool(shared_engine(tool, cell, stack.program_of(cell)))
    span = execution_span(footprint, target, partition, cell.ranks, shared)
    return PlannedCell(cell, stopped(footprint, target), span, shared)


DIGITS = 12
_canonical = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode


def neutral(value: Any, default: Any) -> bool:
    """Whether a value is off, and off by default: a parameter that a tool gets later in this way changes no
    old cell."""
    return not value and value == default


def cell_identity(
    tool: Tool, params: Mapping[str, Any], defaults: Mapping[str, Any], place: Mapping[str, Any]
) -> str:
    """12 hexadecimal digits. place: site, target, stack, launcher, nodes, ppn and iterations."""
    hashed = {key: value for key, value in params.items() if not neutral(value, defaults.get(key))}
    text = _canonical({**place, "tool": tool.name, "params": hashed})
    return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]


_Mark = tuple[int, int]  # axis and value of it, by their numbers
_HINT = "change it, or exclude it by a rule under where: with the reason"


@dataclass
class Refusals:
    """Counts for each value of each axis the points that rules leave, and those that the tool refuses."""

    experiment: Experiment
    left: Counter[_Mark] = field(default_factory=Counter)
    refused: Counter[_Mark] = field(default_factory=Counter)
    reasons: dict[_Mark, str] = field(default_factory=dict)

    def count(self, indices: Sequence[int]) -> None:
        """A point that no rule excludes."""
        self.left.update(enumerate(indices))

    def refuse(self, indices: Sequence[int], cell: Cell, target: Target, reasons: Sequence[str]) -> None:
        """A point that the tool refuses. A reason that names the target is about the site, not the suite."""
        elsewhere = self.experiment.tool.problems(cell, replace(target, name="another target"))
        own = [reason for reason in reasons if reason in elsewhere]
        if own:
            self.refused.update(enumerate(indices))
            for mark in enumerate(indices):
                self.reasons.setdefault(mark, own[0])

    def impossible(self) -> Iterator[Problem]:
        """A problem for each value that is refused wherever it stands, or one if nothing is left at all."""
        experiment = self.experiment
        hopeless = [mark for mark, count in self.left.items() if self.refused[mark] == count]
        if not hopeless:
            return
        if len(hopeless) == len(self.left):
            reason = self.reasons[hopeless[0]]
            yield experiment.file.problem(experiment.keys, f"no point of it can run: {reason}", _HINT)
            return
        for axis, value in sorted(hopeless):
            message = f"no cell can have this: {self.reasons[axis, value]}"
            yield experiment.file.problem(experiment.axes[axis].keys[value], message, _HINT)
