"""From experiments to cells: every point of the space, less those that mean nothing or cannot be reached."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from weir.config import Config
from weir.config.expression import Expression, ExpressionError
from weir.config.parameters import ParameterError, cell_default, cell_key, computed_value
from weir.config.suite import Axis, Experiment
from weir.config.suites import TARGET_FIELDS
from weir.errors import ConfigError, Problem
from weir.model import Cell, Footprint, Partition, Target
from weir.plan.cost import execution_s, timeout_s
from weir.plan.hashing import cell_identity
from weir.units import about_size


@dataclass(frozen=True)
class PlannedCell:
    """A cell with what it costs."""

    cell: Cell
    footprint: Footprint
    execution_s: float


@dataclass
class Expansion:
    """What became of an experiment's points."""

    experiment: Experiment
    cells: list[PlannedCell] = field(default_factory=list)
    points: int = 0
    excluded: Counter[tuple[str, str]] = field(default_factory=Counter)  # (cause, reason)
    examples: dict[tuple[str, str], str] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def exclude(self, cause: str, reason: str, example: str) -> None:
        self.excluded[cause, reason] += 1
        self.examples.setdefault((cause, reason), example)


@dataclass(frozen=True)
class _Place:
    """Where a point would run."""

    target: Target
    stack: str
    identity: Mapping[str, Any]
    fields: Mapping[str, Any]  # the names that formulas and rules know of the target and stack


def expand(experiment: Experiment, config: Config) -> Expansion:
    """All cells of the experiment, and why its other points are none."""
    return _Expander(experiment, config).run()


class _Expander:
    def __init__(self, experiment: Experiment, config: Config) -> None:
        self.experiment = experiment
        self.config = config
        self.tool = experiment.tool
        self.result = Expansion(experiment)
        parameters = self.tool.parameters
        self.defaults = {name: cell_default(item) for name, item in parameters.items()}
        self.keys = {name: cell_key(name, item) for name, item in parameters.items()}
        self.cell_defaults = {self.keys[name]: value for name, value in self.defaults.items()}
        self.formulas = [
            axis for axis in experiment.axes if any(isinstance(v, Expression) for v in axis.values)
        ]
        # For each value of each axis: how many points it is in, and how many of them the tool refuses.
        self.seen: Counter[tuple[str, int]] = Counter()
        self.refused: Counter[tuple[str, int]] = Counter()
        self.refusals: dict[tuple[str, int], str] = {}

    def run(self) -> Expansion:
        places = list(self._places())
        axes = self.experiment.axes
        choices = [range(len(axis.values)) for axis in axes]
        for place, nodes, ppn in itertools.product(places, self.experiment.nodes, self.experiment.ppn):
            partition = self._partition(place, nodes, ppn)
            for indices in itertools.product(*choices):
                self._point(place, nodes, ppn, partition, indices)
                if len(self.result.problems) > 20:
                    raise ConfigError(self.result.problems)
        self._report_impossible_values()
        if self.result.problems:
            raise ConfigError(list(dict.fromkeys(self.result.problems)))
        return self.result

    def _places(self) -> Iterator[_Place]:
        config, experiment = self.config, self.experiment
        for name in config.targets:
            target = config.site.targets[name]
            if experiment.targets and name not in experiment.targets:
                continue
            if experiment.kinds and target.kind not in experiment.kinds:
                continue
            for stack in config.stacks:
                if not experiment.stacks or stack in experiment.stacks:
                    fields = {f"target.{key}": getattr(target, key) for key in TARGET_FIELDS}
                    identity = {"target_words": config.identities.targets[name]}
                    yield _Place(target, stack, identity, {**fields, "target": name, "stack": stack})

    def _partition(self, place: _Place, nodes: int, ppn: int) -> Partition | tuple[str, str]:
        """The first partition that can run it, else the cause and the reason why none can."""
        site = self.config.site
        stack = site.stacks[place.stack]
        if self.tool.name not in stack.programs:
            return "program", f"stack {stack.name} has no program for the tool {self.tool.name}"
        fitting = [item for item in site.partitions.values() if place.stack in item.stacks]
        for partition in fitting:
            if nodes <= partition.nodes and ppn <= partition.max_ppn:
                return partition
        most = max(item.nodes for item in fitting)
        if nodes > most:
            return "nodes", f"needs {_count(nodes, 'node')}, site {site.name} has {most}"
        most = max(item.max_ppn for item in fitting if nodes <= item.nodes)
        return "ppn", f"needs {_count(ppn, 'process', 'es')} per node, site {site.name} allows {most}"

    def _point(
        self,
        place: _Place,
        nodes: int,
        ppn: int,
        partition: Partition | tuple[str, str],
        indices: tuple[int, ...],
    ) -> None:
        result = self.result
        result.points += 1
        values = self._values(place, nodes, ppn, indices)
        if values is None:
            return
        rule = self._rule(values)
        if rule is not None:
            result.exclude("rule", rule, self._words(place, nodes, ppn, indices))
            return
        marks = [(axis.name, index) for axis, index in zip(self.experiment.axes, indices, strict=True)]
        self.seen.update(marks)
        if isinstance(partition, tuple):
            result.exclude(*partition, self._words(place, nodes, ppn, indices))
            return
        api = values.get("api")
        if api is not None and place.target.apis and api not in place.target.apis:
            reason = f"target {place.target.name} has no interface {api}"
            result.exclude("interface", reason, self._words(place, nodes, ppn, indices))
            return
        cell = self._cell(place, nodes, ppn, partition, values)
        refusals = self.tool.problems(cell, place.target)
        if refusals:
            self.refused.update(marks)
            for mark in marks:
                self.refusals.setdefault(mark, refusals[0])
            result.exclude("tool", refusals[0], self._words(place, nodes, ppn, indices))
            return
        self._add(
            cell,
            place.target,
            partition,
            self._words(place, nodes, ppn, indices) if place.target.space_bytes else "",
        )

    def _values(self, place: _Place, nodes: int, ppn: int, indices: tuple[int, ...]) -> dict[str, Any] | None:
        """Parameters, place and formulas of a point by the names that a suite uses."""
        values = {**self.defaults, **place.fields, "nodes": nodes, "ppn": ppn, "ranks": nodes * ppn}
        axes = self.experiment.axes
        for axis, index in zip(axes, indices, strict=True):
            value = axis.values[index]
            if isinstance(value, Expression):
                try:
                    value = computed_value(self.tool.parameters[axis.name], value.value(values))
                except (ExpressionError, ParameterError) as error:
                    self._problem(axis, index, str(error), error.mend)
                    return None
            values[axis.name] = value
        return values

    def _rule(self, values: Mapping[str, Any]) -> str | None:
        for rule in self.experiment.rules:
            try:
                if rule.exclude.value(values):
                    return rule.because
            except ExpressionError as error:
                problem = self.experiment.file.problem((*rule.keys, "exclude"), str(error), error.mend)
                self.result.problems.append(problem)
        return None

    def _cell(
        self, place: _Place, nodes: int, ppn: int, partition: Partition, values: Mapping[str, Any]
    ) -> Cell:
        experiment, site = self.experiment, self.config.site
        params = {key: values[name] for name, key in self.keys.items()}
        stack = self.config.identities.stacks[place.stack]
        identity = {
            "site": site.name,
            "target": [place.target.name, place.identity],
            "stack": [place.stack, {**stack, "programs": stack["programs"][self.tool.name]}],
            "launcher": partition.launcher,
            "nodes": nodes,
            "ppn": ppn,
            "iterations": experiment.iterations,
        }
        return Cell(
            cell=cell_identity(self.tool, params, self.cell_defaults, identity),
            label=f"{place.target.name}-{place.stack}-{nodes}x{ppn} {self.tool.label(params)}",
            suite=experiment.suite,
            experiment=experiment.name,
            tool=self.tool.name,
            site=site.name,
            target=place.target.name,
            stack=place.stack,
            partition=partition.name,
            nodes=nodes,
            ppn=ppn,
            blocks=experiment.blocks,
            iterations=experiment.iterations,
            timeout_s=1.0,  # known when the cost is
            params=params,
        )

    def _add(self, cell: Cell, target: Target, partition: Partition, words: str) -> None:
        footprint = self.tool.footprint(cell)
        if target.space_bytes and footprint.peak_bytes > target.space_bytes:
            need, have = about_size(footprint.peak_bytes), about_size(target.space_bytes)
            self.result.exclude("space", f"needs {need} at a time, target {target.name} allows {have}", words)
            return
        estimate_s = execution_s(footprint, target, partition)
        limit_s = self.experiment.timeout_s or timeout_s(estimate_s)
        self.result.cells.append(PlannedCell(replace(cell, timeout_s=limit_s), footprint, estimate_s))

    def _report_impossible_values(self) -> None:
        """A value that the tool refuses in every point is a mistake in the suite."""
        for axis in self.experiment.axes:
            for index in range(len(axis.values)):
                mark = (axis.name, index)
                if self.seen[mark] and self.refused[mark] == self.seen[mark]:
                    if len(axis.values) == 1 and len(self.refused) > 1 and self.result.cells:
                        continue
                    mend = "change it, or leave it out by a rule under where: with the reason"
                    self._problem(axis, index, f"no cell can have this: {self.refusals[mark]}", mend)

    def _problem(self, axis: Axis, index: int, message: str, mend: str | None) -> None:
        problem = self.experiment.file.problem(axis.keys[index], message, mend)
        if problem not in self.result.problems:
            self.result.problems.append(problem)

    def _words(self, place: _Place, nodes: int, ppn: int, indices: tuple[int, ...]) -> str:
        """A point in words: what varies in the experiment."""
        parts = [f"{place.target.name}-{place.stack}-{nodes}x{ppn}"]
        for axis, index in zip(self.experiment.axes, indices, strict=True):
            if len(axis.values) > 1:
                value = axis.values[index]
                is_size = self.tool.parameters[axis.name].kind == "size" and isinstance(value, int)
                parts.append(f"{axis.name}={about_size(value) if is_size else value}")
        return " ".join(parts)


def _count(number: int, word: str, plural: str = "s") -> str:
    return f"{number} {word}{'' if number == 1 else plural}"
