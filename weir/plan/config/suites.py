"""Reads config/suites/<suite>.yaml."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from weir.base.errors import ConfigError, Problem, did_you_mean, unique
from weir.base.units import HintedError, as_written, parse_duration, parse_percent
from weir.data import load_schema
from weir.plan.config.expression import Expression, ExpressionError, Scope, parse_expression
from weir.plan.config.parameters import written_value
from weir.plan.config.schema import check
from weir.plan.config.sources import Sources
from weir.plan.config.suite import (
    FULL,
    Axis,
    Exclude,
    Experiment,
    ScaledExperiment,
    Suite,
    scaled,
    scales_of,
    unused_scale_keys,
)
from weir.plan.config.yaml_file import Keys, YamlFile, read_yaml
from weir.records.model import Until
from weir.tools.base import Tool

MOST_ROUNDS = 20
MOST_EDITIONS = 1_000
PLACE_NAMES = ("nodes", "ppn", "ranks", "target", "stack")
TARGET_FIELDS = ("kind", "path", "prefix", "emulated", "max_stripe_count", "space_bytes", "inodes")
_NUMBERS = ("nodes", "ppn", "ranks", "target.max_stripe_count", "target.space_bytes", "target.inodes")


def load_suite(sources: Sources, name: str, scale: str, tools: Mapping[str, Tool]) -> Suite:
    """The suite at a scale; every scale it defines is checked. A suite without the scale is taken in full."""
    path = sources.file("suites", f"{name}.yaml")
    if not path.is_file():
        found = sources.misnamed("suites", f"{name}.yml")
        hint = found[0].hint if found else did_you_mean(name, sources.suites())
        raise ConfigError([Problem(f"there is no suite '{name}'", sources.searched("suites"), hint=hint)])
    file = read_yaml(path, sources.root)
    schema = load_schema("suite")
    problems = _misplaced(file, schema) or check(file, schema)
    if problems:
        raise ConfigError(problems)
    if file.data["suite"] != name:
        message = f"the suite is named '{file.data['suite']}', its file '{path.name}'"
        problems.append(file.problem(("suite",), message, f"write suite: {name}"))
    kinds = load_schema("target")["properties"]["kind"]["enum"]
    problems += unused_scale_keys(file)
    known_scales = scales_of(file.data)
    editions = len(file.data["experiments"]) * (1 + len(known_scales))
    if editions > MOST_EDITIONS:
        message = f"the experiments have {editions:,} editions, one for each scale"
        raise ConfigError([file.problem(("experiments",), message, f"at most {MOST_EDITIONS:,}")])
    suites: dict[str, Suite] = {}
    for each in [FULL, *sorted(known_scales - {FULL})]:
        reader = _Reader(file, tools, kinds, problems)
        experiments = tuple(
            reader.experiment(scaled(file.data, key, each), key) for key in file.data["experiments"]
        )
        suites[each] = Suite(
            name=name,
            question=file.data["question"],
            description=file.data.get("description", ""),
            scale=each,
            experiments=tuple(item for item in experiments if item is not None),
            scales=tuple(sorted(known_scales)),
            tags=tuple(file.data.get("tags", ())),
            tune=file.data.get("tune"),
            claims=tuple(file.data.get("claims", ())),
        )
    problems += _unknown_to_tune(file)
    if problems:
        raise ConfigError(unique(problems))
    return suites.get(scale, suites[FULL])


def _unknown_to_tune(file: YamlFile) -> list[Problem]:
    """tune: names an experiment, and keys of its space."""
    tune = file.data.get("tune")
    if tune is None:
        return []
    name, experiments = tune["experiment"], file.data["experiments"]
    if name not in experiments:
        hint = did_you_mean(name, experiments)
        return [file.problem(("tune", "experiment"), f"there is no experiment '{name}'", hint)]
    moving = [*experiments[name].get("space", {}), "nodes", "ppn"]
    places = [(("tune", "move", index), key) for index, key in enumerate(tune["move"])]
    places += [(("tune", "default", key), key) for key in tune.get("default", {})]
    allowed = {"move": moving, "default": tune["move"]}
    return [
        file.problem(place, f"'{key}' is not a key that may move", did_you_mean(key, allowed[str(place[1])]))
        for place, key in places
        if key not in allowed[str(place[1])]
    ]


def _misplaced(file: YamlFile, schema: Mapping[str, Any]) -> list[Problem]:
    """Keys of an experiment that are one or two levels too high."""
    if not isinstance(file.data, dict):
        return []
    experiments = file.data.get("experiments")
    experiments = experiments if isinstance(experiments, dict) else {}
    parts = schema["properties"]["experiments"]["additionalProperties"]["properties"]
    name = next((key for key in experiments if key not in parts), "NAME")
    hint = f"move it into experiments: {name}: and indent it so that it stands beside its tool"
    places: list[Keys] = [(key,) for key in file.data if key in parts and key not in schema["properties"]]
    for key, value in experiments.items():
        if key in parts and not (isinstance(value, dict) and "tool" in value):
            places.append(("experiments", key))
    return [file.problem(place, "stands beside the experiments, not in one", hint) for place in places]


@dataclass
class _Reader:
    """Makes experiments of one scale, and gathers what is wrong with them."""

    file: YamlFile
    tools: Mapping[str, Tool]
    kinds: list[str]
    problems: list[Problem]

    def add(self, keys: Keys, message: str, hint: str | None = None) -> None:
        self.problems.append(self.file.problem(keys, message, hint))

    def experiment(self, raw: ScaledExperiment, name: str) -> Experiment | None:
        data, keys = raw.plain, raw.keys
        tool = self.tools.get(data["tool"])
        if tool is None:
            hint = did_you_mean(data["tool"], self.tools)
            self.add((*keys, "tool"), f"there is no tool '{data['tool']}'", hint)
            return None
        scope = _scope(tool, self.kinds)
        axes = self._axes(raw, tool, scope)
        targets = data.get("targets", [])
        kinds = targets["kind"] if isinstance(targets, dict) else []
        for index, kind in enumerate(kinds):
            if kind not in self.kinds:
                place = (*keys, "targets", "kind", index)
                self.add(place, f"there is no kind of target '{kind}'", did_you_mean(kind, self.kinds))
        return Experiment(
            suite=self.file.data["suite"],
            name=name,
            tool=tool,
            question=data.get("question", self.file.data["question"]),
            nodes=tuple(raw.counts["nodes"][0]),
            ppn=tuple(raw.counts["ppn"][0]),
            axes=axes,
            rules=self._rules(self.file.data, (), scope) + self._rules(data, keys, scope),
            rounds=raw.repetitions.get("rounds", 1),
            iterations=raw.repetitions.get("iterations", 1),
            until=self._until(raw.repetitions, (*keys, "repetitions")),
            targets=() if isinstance(targets, dict) else tuple(targets),
            kinds=tuple(kinds),
            stacks=tuple(data.get("stacks", [])),
            timeout_s=parse_duration(data["timeout"]) if "timeout" in data else None,
            file=self.file,
            keys=keys,
        )

    def _until(self, repetitions: Mapping[str, Any], keys: Keys) -> Until | None:
        if "until" not in repetitions:
            return None
        rounds, at_most = repetitions.get("rounds", 1), repetitions.get("at_most", MOST_ROUNDS)
        if at_most < rounds:
            self.add(keys, f"at_most is {at_most}, rounds is {rounds}", "at_most counts all rounds of a cell")
        budget = repetitions.get("budget")
        return Until(
            parse_percent(repetitions["until"]), at_most, None if budget is None else parse_duration(budget)
        )

    def _axes(self, raw: ScaledExperiment, tool: Tool, scope: Scope) -> tuple[Axis, ...]:
        for key in (key for key in raw.fixed if key in raw.space):
            self.add(raw.fixed[key][1], f"'{key}' is both in space and in fixed", "keep one of them")
        items = {
            key: (list(values), [(*keys, i) for i in range(len(values))])
            for key, (values, keys) in raw.space.items()
        }
        items |= {key: ([value], [keys]) for key, (value, keys) in raw.fixed.items() if key not in raw.space}
        axes = []
        for key, (values, places) in items.items():
            if key not in tool.parameters:
                where, hint = (raw.space.get(key) or raw.fixed[key])[1], did_you_mean(key, tool.parameters)
                self.add(where, f"the tool {tool.name} has no parameter '{key}'", hint)
                continue
            read = [self._value(tool, key, *item, scope) for item in zip(values, places, strict=True)]
            axes.append(Axis(key, tuple(read), tuple(places)))
            self._repeated(axes[-1])
        return self._in_order(axes)

    def _value(self, tool: Tool, key: str, value: Any, keys: Keys, scope: Scope) -> Any:
        try:
            if isinstance(value, str) and value.lstrip().startswith("="):
                return parse_expression(value.lstrip()[1:].strip(), scope)
            has_one = keys[-2:-1] == ("fixed",) and tool.parameters[key].kind not in ("choices", "hints")
            if isinstance(value, list) and has_one:
                hint = f"values to try belong into space: {{{key}: [{', '.join(map(as_written, value))}]}}"
                message = f"a list of {len(value)}, and under fixed a parameter has one value"
                raise HintedError(message, hint)
            return written_value(tool.parameters[key], value)
        except HintedError as error:
            self.add(keys, str(error), error.hint)
            return None

    def _repeated(self, axis: Axis) -> None:
        seen = _Seen()
        for index, value in enumerate(axis.values):
            if value is not None and not seen.is_new(value):
                message = f"the value stands in the list of '{axis.name}' twice"
                self.add(axis.keys[index], message, "keep one of them")

    def _in_order(self, axes: list[Axis]) -> tuple[Axis, ...]:
        """Axes such that a formula comes after all that it uses."""
        used = {
            axis.name: {
                name for value in axis.values if isinstance(value, Expression) for name in value.names
            }
            for axis in axes
        }
        done: dict[str, Axis] = {}
        waiting = {axis.name: axis for axis in axes}
        while waiting:
            ready = [name for name in waiting if used[name] & used.keys() <= done.keys()]
            for name in ready:
                done[name] = waiting.pop(name)
            if not ready:
                for name, axis in waiting.items():
                    message = f"the formula of '{name}' needs itself ({' and '.join(waiting)})"
                    self.add(axis.keys[0], message, "break the circle")
                return ()
        return tuple(done.values())

    def _rules(self, data: Mapping[str, Any], keys: Keys, scope: Scope) -> tuple[Exclude, ...]:
        """The rules of a suite, or of an experiment at `keys`."""
        found = []
        for index, rule in enumerate(data.get("where", [])):
            place = (*keys, "where", index)
            try:
                expression = parse_expression(rule["exclude"], scope)
                found.append(Exclude(expression, rule["because"], place))
            except ExpressionError as error:
                self.add((*place, "exclude"), str(error), error.hint)
        return tuple(found)


class _Seen:
    """Values so far; a list of values may be long, and some cannot be members of a set."""

    def __init__(self) -> None:
        self._hashable: set[Any] = set()
        self._others: list[Any] = []

    def is_new(self, value: Any) -> bool:
        try:
            known = value in self._hashable
            self._hashable.add(value)
        except TypeError:
            known = value in self._others
            self._others.append(value)
        return not known


def _scope(tool: Tool, kinds: list[str]) -> Scope:
    fields = tuple(f"target.{name}" for name in TARGET_FIELDS)
    numbers = {
        name for name, item in tool.parameters.items() if item.kind in ("size", "count", "number", "seconds")
    }
    choices = {
        name: item.choices for name, item in tool.parameters.items() if item.kind in ("choice", "choices")
    }
    choices["target.kind"] = tuple(kinds)
    return Scope(
        frozenset([*tool.parameters, *PLACE_NAMES, *fields]), choices, frozenset([*numbers, *_NUMBERS])
    )
