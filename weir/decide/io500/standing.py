"""The percentile of each phase among the published submissions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from weir.decide.io500.result import PHASES, Result
from weir.decide.io500.submissions import Submission

PER = ("whole", "node", "process")


@dataclass(frozen=True)
class Place:
    """A value among the submissions for which the same value is known."""

    value: float
    percentile: float
    submissions: int
    below: int
    ime_below: int
    ime: int


def places(result: Result, submissions: Sequence[Submission]) -> dict[str, dict[str, Place]]:
    """Standing by phase, and in it for the whole system, per node and per process where that is known."""
    found: dict[str, dict[str, Place]] = {}
    for name in PHASES:
        found[name] = {}
        for per in PER:
            own = normalised(result, name, per)
            others = [
                (value, each.on_ime)
                for each in submissions
                if (value := normalised(each.result, name, per)) is not None
            ]
            if own is not None and others:
                found[name][per] = place_among(own, others)
    return found


def normalised(result: Result, phase: str, per: str) -> float | None:
    """The value of a phase, divided by the nodes or the processes; None if either is unknown."""
    divisor = {"whole": 1, "node": result.nodes, "process": result.procs}[per]
    return result.phases[phase].value / divisor if phase in result.phases and divisor else None


def percentile(value: float, others: Sequence[float]) -> float:
    """The share of the others below the value in percent; equal ones count half."""
    below = sum(other < value for other in others)
    equal = sum(other == value for other in others)
    return 100 * (below + equal / 2) / len(others)


def place_among(own: float, others: Sequence[tuple[float, bool]]) -> Place:
    """A value among others, each with whether it is one of a system on IME."""
    ime = [value for value, on_ime in others if on_ime]
    return Place(
        own,
        percentile(own, [value for value, _ in others]),
        len(others),
        sum(value < own for value, _ in others),
        sum(value < own for value in ime),
        len(ime),
    )
