"""Suites as objects: what an experiment asks, with every value converted and every formula compiled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from weir.plan.config.expression import Expression
from weir.plan.config.yaml_file import Keys, YamlFile
from weir.terms.model import Until
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
