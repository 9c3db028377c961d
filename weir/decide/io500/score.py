"""The score by today's rule and by that of 2017: whether it agrees with the published one, and whether it may
be called an IO500 score."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from weir.decide.io500.result import PHASES, WRITE_PHASES, Phase, Result

TOLERANCE = 0.001
TODAY = "today's rule"
RULE_2017 = "2017's rule"


@dataclass(frozen=True)
class Score:
    """Geometric means of the four ior phases and of the eight mdtest and find phases."""

    bandwidth_gib_s: float
    iops_kiops: float

    @property
    def today(self) -> float:
        return math.sqrt(self.bandwidth_gib_s * self.iops_kiops)

    @property
    def rule_2017(self) -> float:
        return self.bandwidth_gib_s * self.iops_kiops

    def by_rule(self) -> Mapping[str, float]:
        return {TODAY: self.today, RULE_2017: self.rule_2017}


@dataclass(frozen=True)
class Agreement:
    """A recomputed score beside the published one."""

    rule: str  # the nearer of the two rules
    recomputed: float
    published: float
    low: float  # the scores that the rounding of the printed phases allows
    high: float
    coarsest: str  # the phase whose rounding matters most

    @property
    def off(self) -> float:
        return relative(self.recomputed, self.published)

    @property
    def agrees(self) -> bool:
        return abs(self.off) <= TOLERANCE

    @property
    def rounding_explains(self) -> bool:
        return self.low <= self.published <= self.high


def score(phases: Mapping[str, Phase]) -> Score:
    """All twelve phases must be there."""
    return _score(phases, lambda phase: phase.value)


def agreement(result: Result) -> Agreement | None:
    """The agreement with the published score; None where no total is published or a phase is missing."""
    if result.published is None or result.missing:
        return None
    total = result.published.total
    scores = score(result.phases).by_rule()
    rule = min(scores, key=lambda name: abs(relative(scores[name], total)))
    low = _score(result.phases, lambda phase: max(0.0, phase.value - phase.half_step)).by_rule()[rule]
    high = _score(result.phases, lambda phase: phase.value + phase.half_step).by_rule()[rule]
    coarsest = max(result.phases.values(), key=lambda phase: phase.half_step / (phase.value or math.inf))
    return Agreement(rule, scores[rule], total, low, high, coarsest.name)


def relative(value: float, reference: float) -> float:
    if reference == 0:
        return 0.0 if value == 0 else math.inf
    return value / reference - 1


def geometric_mean(values: Iterable[float]) -> float:
    found = list(values)
    return 0.0 if min(found) == 0 else math.exp(math.fsum(map(math.log, found)) / len(found))


def _score(phases: Mapping[str, Phase], value: Callable[[Phase], float]) -> Score:
    def mean(unit: str) -> float:
        return geometric_mean(value(phases[name]) for name, each in PHASES.items() if each == unit)

    return Score(mean("GiB/s"), mean("kIOPS"))


STONEWALL_S = 300.0
SHORTENED = "not a valid IO500 score: shortened run"
INVALID = "not a valid IO500 score"
UNKNOWN = "not shown to be a valid IO500 score"
VALID = "valid by its rules: every write phase lasted 300 s or longer"


@dataclass(frozen=True)
class Validity:
    valid: bool
    label: str
    reasons: tuple[str, ...] = ()


def validity(result: Result) -> Validity:
    """Every write phase must last 300 s and request no shorter stonewall; IO500's own marks count as well."""
    shortened = tuple(_shortened(result))
    if shortened:
        return Validity(False, SHORTENED, shortened)
    refused = tuple(_refused(result))
    if refused:
        return Validity(False, INVALID, refused)
    untimed = tuple(f"{name} has no time" for name in WRITE_PHASES if result.phases[name].time_s is None)
    return Validity(False, UNKNOWN, untimed) if untimed else Validity(True, VALID)


def _shortened(result: Result) -> Iterator[str]:
    for name in WRITE_PHASES:
        phase = result.phases.get(name)
        if phase is None:
            continue
        if phase.time_s is not None and phase.time_s < STONEWALL_S:
            yield f"{name} lasted {phase.time_s:.1f} s of {STONEWALL_S:.0f} s"
        elif phase.stonewall_s and phase.stonewall_s < STONEWALL_S:  # 0 is a run without a stonewall
            yield f"{name} requested a stonewall of {phase.stonewall_s:.0f} s, not {STONEWALL_S:.0f} s"


def _refused(result: Result) -> Iterator[str]:
    for name in result.missing:
        yield f"{name} is missing"
    for phase in result.phases.values():
        if phase.marked_invalid:
            yield f"IO500 marks {phase.name} as invalid"
    if result.published and result.published.marked_invalid:
        yield "IO500 marks the score as invalid"
