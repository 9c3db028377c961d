"""The ratio of two cells with its interval.

Everything is done on logarithms, where a ratio is a difference and a slow outlier weighs less. Three designs:

- paired: both sides were measured in turns, round by round; each round gives one ratio, and what disturbs a
  round disturbs both sides of it.
- campaigns: each side has at least two campaigns, or one side at least three; their means are the sample, so
  that the interval includes what changes from one campaign to the next.
- separate: one campaign a side, one after the other; the interval includes what changes within it and,
  if it is given, a known day-to-day spread. It cannot include more, and the result states it.
"""

from __future__ import annotations

import bisect
import itertools
import statistics
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import exp, fsum, log, sqrt

from scipy.special import stdtr, stdtrit  # Student's t: what scipy.stats calls, without its overhead

from weir.compare.pairs import Pair, Sample

FEWEST_ROUNDS = 2
FEWEST_BASELINE = 3  # campaigns of one side that a single one of the other can be held against
FEWEST_NEIGHBOURS = 4
MOST_CORRELATION = (
    0.6  # beyond that the estimate from a few rounds depends more on chance than on the storage
)
MOST_ROUNDS = 1000


@dataclass(frozen=True)
class Estimate:
    """log_ratio is that of the second side over the first; variance is that of log_ratio."""

    design: str  # paired, campaigns, separate
    log_ratio: float
    variance: float
    degrees: float
    rounds: tuple[int, int]  # of each side; in the design campaigns, campaigns
    spread: float  # variance of log_ratio if each side had one round

    def ratio(self) -> float:
        return exp(self.log_ratio)

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        half = float(stdtrit(self.degrees, (1 + level) / 2)) * sqrt(self.variance)
        return exp(self.log_ratio - half), exp(self.log_ratio + half)

    def chance_below(self, bound: float) -> float:
        """One-sided p-value against 'the ratio is at least the bound'."""
        return self._tail(self.log_ratio - log(bound))

    def chance_above(self, bound: float) -> float:
        """One-sided p-value against 'the ratio is at most the bound'."""
        return self._tail(log(bound) - self.log_ratio)

    def chance_different(self) -> float:
        return 2 * self._tail(-abs(self.log_ratio))

    def _tail(self, distance: float) -> float:
        if self.variance == 0:
            return 0.0 if distance < 0 else 1.0
        return float(stdtr(self.degrees, distance / sqrt(self.variance)))

    def more_rounds(self, margin: float, level: float = 0.95) -> int | None:
        """Further rounds a side after which the same numbers would decide; None: too many."""
        away, room = abs(self.log_ratio), log(1 + margin) - abs(self.log_ratio)

        def decide(rounds: int) -> bool:
            degrees = rounds - 1 if self.design == "paired" else 2 * (rounds - 1)
            error = sqrt(self.spread / rounds)
            differs = away >= float(stdtrit(degrees, (1 + level) / 2)) * error
            return differs or room >= float(stdtrit(degrees, level)) * error

        candidates = range(min(self.rounds), MOST_ROUNDS + 1)  # once decided, more rounds decide as well
        found = bisect.bisect_left(candidates, True, key=decide)
        return max(found, 1) if found < len(candidates) else None


def estimate(pair: Pair, correlation: float = 0.0, day_to_day: float = 0.0) -> Estimate | None:
    """None where a side has fewer than two rounds. correlation: of neighbouring rounds, see `neighbours`."""
    first, second = pair.first, pair.second
    means = [[statistics.fmean(sample.logs) for sample in side] for side in (first, second)]
    if min(map(len, means)) >= FEWEST_ROUNDS:
        return _welch("campaigns", means[0], means[1], 1.0, 0.0)
    if min(map(len, means)) == 1 and max(map(len, means)) >= FEWEST_BASELINE:
        return _against_baseline(means[0], means[1])
    logs = [[value for sample in side for value in sample.logs] for side in (first, second)]
    if min(map(len, logs)) < FEWEST_ROUNDS:
        return None
    inflation = (1 + correlation) / (1 - correlation)
    if in_turns(pair):
        return _paired(first[0], second[0], inflation)
    return _welch("separate", logs[0], logs[1], inflation, 2 * day_to_day**2)


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
    """How much neighbouring rounds are alike (lag-1 autocorrelation), pooled over all pairs of one design.

    A mean over n rounds hides about 1/n of it, which is added again; what is negative counts as none.
    """
    products = squares = lost = 0.0
    for logs in _sequences(pairs, turns):
        count = len(logs)
        if count < FEWEST_NEIGHBOURS:
            continue
        mean = statistics.fmean(logs)
        away = [value - mean for value in logs]
        total = sum(value * value for value in away)
        if total == 0:
            continue
        # Each cell counts by its rounds, not by its variance: a noisy cell must not decide for all.
        products += count * sum(one * two for one, two in itertools.pairwise(away)) / total
        squares += count
        lost += 1.0
    if not squares:
        return 0.0
    return min(max(products / squares + lost / squares, 0.0), MOST_CORRELATION)


def _sequences(pairs: Iterable[Pair], turns: bool) -> Iterator[Sequence[float]]:
    """Ratios of rounds measured in turns; else the rounds of each side."""
    for pair in pairs:
        if in_turns(pair) != turns:
            continue
        if turns:
            yield _ratios(pair.first[0], pair.second[0])
        else:
            yield from (sample.logs for sample in (*pair.first, *pair.second))


def _variance(values: Sequence[float]) -> float:
    """statistics.variance, which is exact with fractions, takes twenty times as long."""
    mean = statistics.fmean(values)
    return fsum((value - mean) ** 2 for value in values) / (len(values) - 1)


def _ratios(first: Sample, second: Sample) -> list[float]:
    return [two - one for one, two in zip(first.logs, second.logs, strict=True)]


def _paired(first: Sample, second: Sample, inflation: float) -> Estimate:
    ratios = _ratios(first, second)
    count = len(ratios)
    spread = inflation * _variance(ratios)
    # Rounds that are alike teach less: they count as fewer.
    degrees = max(count / inflation - 1, 1.0)
    return Estimate("paired", statistics.fmean(ratios), spread / count, degrees, (count, count), spread)


def _against_baseline(first: Sequence[float], second: Sequence[float]) -> Estimate:
    """One campaign against several: it is assumed to vary as they do."""
    baseline = max(first, second, key=len)
    spread = _variance(baseline)
    return Estimate(
        "campaigns",
        statistics.fmean(second) - statistics.fmean(first),
        spread * (1 + 1 / len(baseline)),
        len(baseline) - 1,
        (len(first), len(second)),
        2 * spread,
    )


def _welch(
    design: str, first: Sequence[float], second: Sequence[float], inflation: float, between: float
) -> Estimate:
    """Welch's comparison of two means; `between` is a variance that no number of rounds makes smaller."""
    variances = [inflation * _variance(side) for side in (first, second)]
    parts = [variance / len(side) for variance, side in zip(variances, (first, second), strict=True)]
    within = sum(parts)
    freedom = sum(part**2 / (len(side) - 1) for part, side in zip(parts, (first, second), strict=True))
    degrees = within**2 / freedom if freedom > 0 else len(first) + len(second) - 2.0
    degrees = max((degrees + 2) / inflation - 2, 1.0)  # rounds that are alike count as fewer
    return Estimate(
        design,
        statistics.fmean(second) - statistics.fmean(first),
        within + between,
        degrees,
        (len(first), len(second)),
        sum(variances),
    )
