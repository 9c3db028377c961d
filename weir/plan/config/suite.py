"""Suites as objects: what an experiment asks, with every value converted and every formula compiled."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from weir.base.errors import Problem, did_you_mean
from weir.plan.config.expression import Expression
from weir.plan.config.yaml_file import Keys, YamlFile
from weir.records.model import Until
from weir.tools.base import Tool


@dataclass(frozen=True)
class Exclude:
    """Points for which exclude is true are excluded, because."""

    exclude: Expression
    because: str
    keys: Keys


@dataclass(frozen=True)
class Axis:
    """A parameter with its values, or formulas, and where they stand."""

    name: str
    values: tuple[Any, ...]  # as a cell holds them, or an Expression
    keys: tuple[Keys, ...]


@dataclass(frozen=True)
class Experiment:
    """One tool over a space of parameters, at one scale."""

    suite: str
    name: str
    tool: Tool
    question: str
    nodes: tuple[int, ...]
    ppn: tuple[int, ...]
    axes: tuple[Axis, ...]  # fixed parameters are axes of one value
    rules: tuple[Exclude, ...]
    rounds: int
    iterations: int
    until: Until | None
    targets: tuple[str, ...]  # empty: all
    kinds: tuple[str, ...]  # empty: all
    stacks: tuple[str, ...]  # empty: all
    timeout_s: float | None
    file: YamlFile = field(repr=False, compare=False)
    keys: Keys = ()


@dataclass(frozen=True)
class Suite:
    """A question, answered by experiments."""

    name: str
    question: str
    description: str
    scale: str  # the scale that these experiments have
    experiments: tuple[Experiment, ...]
    scales: tuple[str, ...] = ()  # all that the suite defines
    tags: tuple[str, ...] = ()
    tune: Mapping[str, Any] | None = None  # as written; weir/decide/tune interprets it
    claims: tuple[str, ...] = ()


# An item of YAML with its file and line: a scale replaces an experiment, and keeps its own lines.
Located = tuple[Any, Keys]


@dataclass
class ScaledExperiment:
    """An experiment's YAML after a scale was put over it."""

    keys: Keys
    plain: Mapping[str, Any]
    counts: dict[str, Located]  # nodes, ppn
    space: dict[str, Located]
    fixed: dict[str, Located]
    repetitions: Mapping[str, Any]


FULL = "full"


def scales_of(data: Mapping[str, Any]) -> set[str]:
    """All scales that a suite defines, full excepted if it is not written."""
    found = set(data.get("scales", {}))
    for experiment in data["experiments"].values():
        found |= set(experiment.get("scales", {}))
    return found


def scaled(data: Mapping[str, Any], name: str, scale: str) -> ScaledExperiment:
    """Experiment `name` of the suite at a scale: the suite's changes first, then the experiment's own."""
    keys: Keys = ("experiments", name)
    written = data["experiments"][name]
    result = ScaledExperiment(
        keys=keys,
        plain=written,
        counts={key: (written[key], (*keys, key)) for key in ("nodes", "ppn")},
        space={key: (value, (*keys, "space", key)) for key, value in written.get("space", {}).items()},
        fixed={key: (value, (*keys, "fixed", key)) for key, value in written.get("fixed", {}).items()},
        repetitions=written.get("repetitions", {}),
    )
    everywhere = data.get("scales", {}).get(scale)
    if everywhere is not None:
        _put_over(result, everywhere, ("scales", scale), everywhere=True)
    own = written.get("scales", {}).get(scale)
    if own is not None:
        _put_over(result, own, (*keys, "scales", scale), everywhere=False)
    return result


def unused_scale_keys(file: YamlFile) -> list[Problem]:
    """Parameters of a suite's scale that no experiment has."""
    known: set[str] = set()
    for experiment in file.data["experiments"].values():
        known |= set(experiment.get("space", {})) | set(experiment.get("fixed", {}))
    problems = []
    for scale, changes in file.data.get("scales", {}).items():
        for part in ("space", "fixed"):
            for key in (key for key in changes.get(part, {}) if key not in known):
                message = f"no experiment has the parameter '{key}'"
                problems.append(file.problem(("scales", scale, part, key), message, did_you_mean(key, known)))
    return problems


def _put_over(result: ScaledExperiment, changes: Mapping[str, Any], keys: Keys, everywhere: bool) -> None:
    """everywhere: a suite's scale adds no parameter, and of nodes and ppn it keeps those that are listed."""
    for key in ("nodes", "ppn"):
        if key in changes:
            kept = [number for number in result.counts[key][0] if everywhere and number in changes[key]]
            result.counts[key] = (kept or changes[key], (*keys, key))
    for part, mine, other in (("space", result.space, result.fixed), ("fixed", result.fixed, result.space)):
        for key, value in changes.get(part, {}).items():
            if everywhere and key not in mine and key not in other:
                continue
            other.pop(key, None)
            mine[key] = (value, (*keys, part, key))
    result.repetitions = {**result.repetitions, **changes.get("repetitions", {})}
