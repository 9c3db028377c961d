"""The conditions on which `weir compare --fail-on` fails: a slowdown, or a B whose evidence is worse than
that of A."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from weir.base.errors import WeirError
from weir.decide.compare.pairs import Evidence, Unmatched
from weir.decide.compare.verdict import SLOWER, UNDECIDED, Judged

FINE, IS_SLOWER, CANNOT_DECIDE = 0, 1, 3  # exit codes; 2 is wrong use
_FAIL_ON = re.compile(r"(slower)(?::(\d+(?:\.\d+)?)%?)?|undecided|missing|degraded")


class FailOn(NamedTuple):
    """The requested conditions; `limit` is that of slower, as a share."""

    slower: bool = False
    limit: float = 0.0
    undecided: bool = False
    missing: bool = False
    degraded: bool = False


class Failed(NamedTuple):
    """Pairs that fail, and why B cannot be judged as A can."""

    pairs: tuple[Judged, ...]
    evidence: tuple[str, ...]

    @property
    def exit_code(self) -> int:
        if any(one.verdict == SLOWER or one.surely_slower for one in self.pairs):
            return IS_SLOWER
        return CANNOT_DECIDE if self.pairs or self.evidence else FINE


def read_fail_on(texts: Sequence[str]) -> FailOn:
    """Read several options, each with one condition or several joined by commas."""
    found = FailOn()
    for text in (word for each in texts for word in each.split(",")):
        match = _FAIL_ON.fullmatch(text)
        if match is None:
            raise WeirError(
                "is not something to fail on",
                key="--fail-on",
                value=text,
                hint="write slower, slower:5%, undecided, missing or degraded; several joined by commas",
                exit_code=2,
            )
        if match[1]:
            found = found._replace(slower=True, limit=float(match[2] or 0) / 100)
        else:
            found = found._replace(**{text: True})
    return found


def failures(judged: Sequence[Judged], fail_on: FailOn) -> list[Judged]:
    """Surely slower by more than the limit, or undecided where that was requested."""
    return [
        one
        for one in judged
        if (fail_on.slower and one.surely_slower and (fail_on.limit > 0 or one.verdict == SLOWER))
        or (fail_on.undecided and one.verdict == UNDECIDED)
    ]


def worse_evidence(
    judged: Sequence[Judged], unmatched: Sequence[Unmatched], first: str, fail_on: FailOn
) -> list[str]:
    """Why B cannot be judged, or was measured worse than A; first is the name of A."""
    found: list[str] = []
    if fail_on.slower or fail_on.missing:
        found += [f"missing in B: {one.access} {one.label}" for one in unmatched if one.side == first]
    for one in judged:
        name = f"{one.pair.access} {one.pair.label}"
        found += [f"{name}: {text}" for text in _worse(one, fail_on)]
    return found


def _worse(one: Judged, fail_on: FailOn) -> Iterator[str]:
    first, second = one.pair.evidence
    if fail_on.slower and one.slower_by_day and one.estimate:
        yield f"x{one.estimate.ratio():.3f}, which another day may have made: measure in turns"
    if fail_on.slower and one.estimate is None:
        yield f"cannot be compared: {one.notes[0]}"
    if fail_on.missing and second.rounds < first.rounds:
        yield f"B has {second.rounds} rounds, A has {first.rounds}"
    if fail_on.slower or fail_on.missing:
        yield from (f"B: {text}" for text in second.dropped)
    if fail_on.degraded and second.bad_share > first.bad_share:
        yield f"DEGRADED or INVALID are {_part(second)} records of B and {_part(first)} of A"


def _part(side: Evidence) -> str:
    return f"{side.bad} of {side.records}"
