"""Whether a result may be called an IO500 score."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from weir.decide.io500.result import WRITE_PHASES, Result

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
