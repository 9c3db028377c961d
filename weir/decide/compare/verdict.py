"""Makes verdicts of estimates, with an error rate that holds for the whole table.

They are also what `weir compare --fail-on` decides by: a slowdown, or a B whose evidence is worse than that
of A.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from weir.base.errors import InputError
from weir.base.units import counted, few, ratio_text
from weir.collect.metrics import Metric
from weir.decide.compare.estimate import (
    FEWEST_ROUNDS,
    FEWEST_SEPARATE,
    PAIRED,
    SEPARATE,
    Between,
    Days,
    Estimate,
    estimate,
    mean_of_rounds,
)
from weir.decide.compare.pairs import NEVER_USED, RESERVED, UNPROVEN, Pair, Unmatched
from weir.statistics.inference import ENOUGH_SERIES, false_discovery_rates
from weir.statistics.median import ASSUMED

FASTER, SLOWER, SAME, UNDECIDED = "faster", "slower", "no difference", "undecided"
LEVEL = 0.05
MOST_DROPPED = 3  # named in the notes of a pair
# Rounds in turns; fewer, or fewer than ENOUGH_SERIES pairs, show too little of neighbours that are more alike
# than ASSUMED (bench/decisions.py).
ENOUGH_IN_TURNS = 8
NUMBERS = {2: "two", 4: "four"}


@dataclass(frozen=True)
class JudgedPair:
    """One pair with its verdict; notes say what a reader must know before acting on it."""

    pair: Pair
    estimate: Estimate | None
    verdict: str
    slower_chance: float | None  # q-value of "slower by more than the limit", over the whole table
    more_rounds: int | None  # that would decide; only where undecided
    notes: tuple[str, ...]
    by_day: bool = False  # surely different, but not by more than another day may have made
    slower_by_day: bool = False  # the same for slower by more than the limit

    @property
    def unproven(self) -> bool:
        """Whether records without full evidence are part of the ratio."""
        return bool(self.pair.verdicts.get(UNPROVEN))

    @property
    def ratio(self) -> float | None:
        """B over A: the estimate, or that of the medians where the rounds are too few for one."""
        first, second = self.pair.medians
        if self.estimate:
            return self.estimate.ratio()
        return second / first if first and second else None

    @property
    def surely_slower(self) -> bool:
        """The pair is slower by more than the limit, with the error rate of the whole table."""
        return self.slower_chance is not None and self.slower_chance <= LEVEL


def judge_pairs(
    pairs: Sequence[Pair],
    metric: Metric,
    margin: float = 0.05,
    limit: float = 0.0,
    days: Days | None = None,
    dated: Sequence[Pair] | None = None,
) -> list[JudgedPair]:
    """limit: a slowdown counts for --fail-on only if it is surely larger than this share of A, of a latency,
    too: the headline prints the same share.

    dated: pairs whose times tell whether the sides are of different days, if not those judged."""
    means = {turns: mean_of_rounds(pairs, turns) for turns in (True, False)}
    between = [(days or Days()).between(pair) for pair in dated or pairs]
    within = [estimate(pair, means[pair.in_turns]) for pair in pairs]
    estimates = [
        estimate(pair, means[pair.in_turns], spread) for pair, spread in zip(pairs, between, strict=True)
    ]

    def rates(chance: Callable[[Estimate], float], some: Sequence[Estimate | None]) -> list[float | None]:
        return false_discovery_rates([chance(one) if one else None for one in some])

    def not_slower(one: Estimate) -> float:
        return one.chance_below(1 - limit) if metric.higher_is_better else one.chance_above(1 + limit)

    differs, differs_within = (rates(Estimate.chance_different, each) for each in (estimates, within))
    slower, slower_within = (rates(not_slower, each) for each in (estimates, within))
    same = rates(lambda one: _chance_unequal(one, margin), estimates)
    few_pairs = sum(pair.in_turns for pair in pairs) < ENOUGH_SERIES
    # The level of one of so many pairs, where no other pair differs.
    level = 1 - LEVEL / len(pairs) if pairs else 1 - LEVEL
    judged = []
    for index, (pair, found) in enumerate(zip(pairs, estimates, strict=True)):
        verdict = _verdict(found, metric, differs[index], same[index])
        more = found.more_rounds(margin, level) if found and verdict == UNDECIDED else None
        allowed = _allowed(pair, verdict)
        chance = slower[index] if allowed == verdict else None
        by_day = found is not None and found.between > 0 and allowed == UNDECIDED
        notes = (*_notes(pair, found, between[index]), *_few(found, allowed, few_pairs), *_reservations(pair))
        judged.append(
            JudgedPair(
                *(pair, found, allowed, chance, more, notes),
                by_day=by_day and _sure(differs_within[index]),
                slower_by_day=by_day and _sure(slower_within[index]),
            )
        )
    return judged


def _sure(chance: float | None) -> bool:
    return chance is not None and chance <= LEVEL


def _allowed(pair: Pair, verdict: str) -> str:
    """Rounds that were dropped may be those that would have decided otherwise.

    Without them B is at most as slow as it seems, so that B is slower all the same."""
    first, second = (one.dropped for one in pair.evidence)
    if first or (second and verdict != SLOWER):
        return UNDECIDED
    return verdict


def _verdict(found: Estimate | None, metric: Metric, differs: float | None, same: float | None) -> str:
    if found is None or differs is None or same is None:
        return UNDECIDED
    if same <= LEVEL:
        return SAME
    if differs <= LEVEL:
        return FASTER if (found.log_ratio > 0) == metric.higher_is_better else SLOWER
    return UNDECIDED


def _chance_unequal(found: Estimate, margin: float) -> float:
    """Two one-sided tests: the ratio is within the margin only if neither end of it can be the truth."""
    return max(found.chance_above(1 / (1 + margin)), found.chance_below(1 + margin))


def _notes(pair: Pair, found: Estimate | None, between: Between) -> Iterator[str]:
    if found is None:
        refused = pair.verdicts.get(RESERVED) or pair.verdicts.get(NEVER_USED)
        fewest = FEWEST_ROUNDS if pair.in_turns else FEWEST_SEPARATE
        rounds = min(pair.rounds)
        yield (
            f"fewer than {NUMBERS[FEWEST_ROUNDS if rounds < FEWEST_ROUNDS else fewest]} rounds a side"
            + (" that can be used" if refused else "")
            + ("" if rounds < FEWEST_ROUNDS else ", measured one after the other")
        )
    elif found.design == SEPARATE:
        yield between.note


def _few(found: Estimate | None, verdict: str, few_pairs: bool) -> Iterator[str]:
    if found is None or found.design != PAIRED or verdict not in (SLOWER, FASTER):
        return
    if few_pairs or min(found.rounds) < ENOUGH_IN_TURNS:
        what = f"{ENOUGH_SERIES} pairs" if few_pairs else f"{ENOUGH_IN_TURNS} rounds"
        yield (
            f"fewer than {what} in turns: 5 % of false verdicts hold only if "
            f"neighbouring rounds correlate by {ASSUMED} or less"
        )


def _reservations(pair: Pair) -> Iterator[str]:
    for name, side in zip(("A", "B"), pair.evidence, strict=True):
        dropped = [f"{name} lacks rounds, so that nothing is decided for it: {one}" for one in side.dropped]
        yield from few(dropped, MOST_DROPPED, f"{name} lacks {{}} more rounds")
    if pair.of_too_few:
        yield pair.of_too_few
    for verdict, used in ((RESERVED, "not used"), (NEVER_USED, "not used"), (UNPROVEN, "used")):
        if count := pair.verdicts.get(verdict):
            yield f"{counted(count, f'{verdict} record')} {used}"


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

    pairs: tuple[JudgedPair, ...]
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
            raise InputError(
                "is not something to fail on",
                key="--fail-on",
                value=text,
                hint="write slower, slower:5%, undecided, missing or degraded; several joined by commas",
            )
        if match[1]:
            found = found._replace(slower=True, limit=float(match[2] or 0) / 100)
        else:
            found = found._replace(**{text: True})
    return found


def failures(judged: Sequence[JudgedPair], fail_on: FailOn) -> list[JudgedPair]:
    """Surely slower by more than the limit, or undecided where that was requested."""
    return [
        one
        for one in judged
        if (fail_on.slower and one.surely_slower and (fail_on.limit > 0 or one.verdict == SLOWER))
        or (fail_on.undecided and one.verdict == UNDECIDED)
    ]


def worse_evidence(
    judged: Sequence[JudgedPair], unmatched: Sequence[Unmatched], first: str, fail_on: FailOn
) -> list[str]:
    """Why B cannot be judged, or was measured worse than A; first is the name of A."""
    found: list[str] = []
    if fail_on.slower or fail_on.missing:
        found += [f"missing in B: {one.access} {one.label}" for one in unmatched if one.side == first]
    for one in judged:
        name = f"{one.pair.access} {one.pair.label}"
        found += [f"{name}: {text}" for text in _worse(one, fail_on)]
    return found


def _worse(one: JudgedPair, fail_on: FailOn) -> Iterator[str]:
    first, second = one.pair.evidence
    if fail_on.slower and one.slower_by_day and one.estimate:
        yield f"x{ratio_text(one.estimate.ratio())}, which another day may have made: measure in turns"
    if fail_on.slower and one.estimate is None:
        yield f"cannot be compared: {one.notes[0]}"
    if fail_on.missing and second.rounds < first.rounds:
        yield f"B has {counted(second.rounds, 'round')}, A has {first.rounds}"
    if fail_on.slower or fail_on.missing:
        yield from (f"B: {text}" for text in second.dropped)
    if fail_on.degraded and second.bad_share > first.bad_share:
        of_a, of_b = (f"{side.bad} of {side.records}" for side in one.pair.evidence)
        yield f"DEGRADED or INVALID are {of_b} records of B and {of_a} of A"
