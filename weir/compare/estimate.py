"""The ratio of two cells with its interval.

Everything is done on logarithms, where a ratio is a difference and a slow outlier weighs less. Three designs:

- paired: both sides were measured in turns, round by round; each round gives one ratio, and what disturbs a
  round disturbs both sides of it.
- campaigns: each side has at least two campaigns, or one side at least three; their means are the sample, so
  that the interval includes what changes from one campaign to the next.
- separate: one campaign a side, one after the other; the interval includes what changes within it and
  between campaigns, as far as that is given, shown by a history, or assumed (days.py). Whether the storage
  changed or the day, one campaign a side cannot tell, and the result states it.
"""

from __future__ import annotations

import bisect
import statistics
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import log, sqrt

from weir.compare.days import HISTORY, Between
from weir.compare.pairs import Pair, Sample
from weir.inference import (
    LEVEL,
    Effect,
    Mean,
    autocorrelation_in_turns,
    autocorrelation_of,
    difference,
    mean_in_turns,
    mean_of,
    t_quantile,
    variance_of,
)

FEWEST_ROUNDS = 2
FEWEST_SEPARATE = 4  # rounds a side: two or three that are alike by chance decide far too often
FEWEST_BASELINE = 3  # campaigns of one side that a single one of the other can be held against
MOST_ROUNDS = 1000
PAIRED, CAMPAIGNS, SEPARATE = "paired", "campaigns", "separate"


@dataclass(frozen=True)
class Estimate(Effect):
    """log_ratio is that of the second side over the first."""

    design: str
    rounds: tuple[int, int]  # of each side; in the design campaigns, campaigns
    spread: float  # variance of log_ratio if each side had one round
    between: float = 0.0  # variance of log_ratio that more rounds do not lower

    def more_rounds(self, margin: float, level: float = LEVEL) -> int | None:
        """Further rounds a side after which the same numbers would decide; None: too many."""
        away, room = abs(self.log_ratio), log(1 + margin) - abs(self.log_ratio)

        def decide(rounds: int) -> bool:
            degrees = rounds - 1 if self.design == PAIRED else 2 * (rounds - 1)
            error = sqrt(self.spread / rounds + self.between)
            differs = away >= t_quantile(degrees, (1 + level) / 2) * error
            return differs or room >= t_quantile(degrees, level) * error

        candidates = range(min(self.rounds), MOST_ROUNDS + 1)  # once decided, more rounds decide as well
        found = bisect.bisect_left(candidates, True, key=decide)
        return max(found, 1) if found < len(candidates) else None


def estimate(pair: Pair, correlation: float = 0.0, between: Between | None = None) -> Estimate | None:
    """None where a side has too few rounds. correlation: of neighbouring rounds, see `neighbours`."""
    first, second = pair.first, pair.second
    means = [[statistics.fmean(sample.logs) for sample in side] for side in (first, second)]
    if min(map(len, means)) >= FEWEST_ROUNDS:
        # Campaigns are days apart.
        return _apart(CAMPAIGNS, means[0], means[1], 0.0)
    if min(map(len, means)) == 1 and max(map(len, means)) >= FEWEST_BASELINE:
        return _against_baseline(means[0], means[1])
    if in_turns(pair):
        ratios = _ratios(first[0], second[0])
        return _paired(mean_in_turns(ratios, correlation)) if len(ratios) >= FEWEST_ROUNDS else None
    logs = [[value for sample in side for value in sample.logs] for side in (first, second)]
    if min(map(len, logs)) < FEWEST_SEPARATE:
        return None
    found = _apart(SEPARATE, logs[0], logs[1], correlation)
    return _widened(found, between) if between else found


def in_turns(pair: Pair) -> bool:
    """Whether both sides have the same rounds, and each round of both was over before the next began."""
    if len(pair.first) != 1 or len(pair.second) != 1:
        return False
    first, second = pair.first[0], pair.second[0]
    if first.rounds != second.rounds or not all((*first.began, *second.began)):
        return False
    later = [max(pair_of) for pair_of in zip(first.began, second.began, strict=True)]
    sooner = [min(pair_of) for pair_of in zip(first.began, second.began, strict=True)]
    return all(before < after for before, after in zip(later, sooner[1:], strict=False))


def neighbours(pairs: Iterable[Pair], turns: bool) -> float:
    """How much neighbouring rounds are alike (lag-1 autocorrelation), over all pairs of one design.

    What disturbs rounds in turns is in both sides of their ratio: there nothing is assumed."""
    series = _sequences(pairs, turns)
    return autocorrelation_in_turns(series) if turns else autocorrelation_of(series)


def _sequences(pairs: Iterable[Pair], turns: bool) -> Iterator[Sequence[float]]:
    """Ratios of rounds measured in turns; else the rounds of each side."""
    for pair in pairs:
        if in_turns(pair) != turns:
            continue
        if turns:
            yield _ratios(pair.first[0], pair.second[0])
        else:
            yield from (sample.logs for sample in (*pair.first, *pair.second))


def _ratios(first: Sample, second: Sample) -> list[float]:
    return [two - one for one, two in zip(first.logs, second.logs, strict=True)]


def _paired(found: Mean) -> Estimate:
    spread = found.variance * found.count
    rounds = found.count, found.count
    return Estimate(found.value, found.variance, max(found.degrees, 1.0), PAIRED, rounds, spread)


def _against_baseline(first: Sequence[float], second: Sequence[float]) -> Estimate:
    """One campaign against several: it is assumed to vary as they do."""
    baseline = max(first, second, key=len)
    spread = variance_of(baseline)
    return Estimate(
        statistics.fmean(second) - statistics.fmean(first),
        spread * (1 + 1 / len(baseline)),
        len(baseline) - 1,
        CAMPAIGNS,
        (len(first), len(second)),
        2 * spread,
    )


def _apart(design: str, first: Sequence[float], second: Sequence[float], correlation: float) -> Estimate:
    one, two = mean_of(first, correlation), mean_of(second, correlation)
    found = difference(one, two)
    spread = one.variance * one.count + two.variance * two.count
    return Estimate(
        found.log_ratio, found.variance, max(found.degrees, 1.0), design, (one.count, two.count), spread
    )


def _widened(found: Estimate, between: Between) -> Estimate:
    """What a history shows contains what changes within a campaign: the larger of both counts."""
    if between.source != HISTORY:
        return replace(found, variance=found.variance + between.variance, between=between.variance)
    degrees = min(found.degrees, between.degrees or found.degrees)
    variance = max(found.variance, between.variance)
    return replace(found, variance=variance, degrees=degrees, between=between.variance)
