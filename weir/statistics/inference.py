"""Means, effects and their correction: the statistics of every verb that decides; median.py has the
medians.

Runs that follow each other are alike. Nothing here takes them for independent: an autocorrelation is assumed,
or that of the study is used where it is higher. Rates are compared as logarithms, where a ratio is a
difference and a slow outlier weighs less.
"""

import bisect
import itertools
import math
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from math import exp, fsum, log, sqrt
from typing import Any

from weir.statistics.median import ASSUMED, ENOUGH_NEIGHBOURS, LEVEL

MEDIAN_ERROR = sqrt(math.pi / 2)  # standard error of a median over that of a mean, for normal noise
FEWEST_NEIGHBOURS = 4  # values of a series: a shorter one takes no part in the estimate
MOST_CORRELATION = 0.8  # a higher estimate from a few rounds shows chance rather than the storage
MOST_IN_TURNS = 0.7  # highest autocorrelation that is assumed of ratios in turns
ENOUGH_SERIES = 15  # series measured in turns that show their autocorrelation without a supplement
SERIAL_ERRORS = 0.5  # standard errors added to an estimate from fewer series
HIDDEN_BY_MEAN = 1.15  # divided by the rounds: the part of a series' autocorrelation that its own mean hides
_NODES = 100  # points of the integral: they give four digits for 4 to 100 values


# --- the mean: Student's t of an autocorrelated series ----------------------------------------------------


@dataclass(frozen=True)
class Mean:
    """A mean of logarithms. `variance` is that of the mean, with its degrees of freedom."""

    value: float
    variance: float
    degrees: float
    count: int

    def interval(self, level: float = LEVEL) -> tuple[float, float]:
        half = t_quantile(self.degrees, (1 + level) / 2) * sqrt(self.variance)
        return self.value - half, self.value + half


def mean_of(logs: Sequence[float], autocorrelation: float) -> Mean:
    """The mean of two or more values in the order of their times."""
    count = len(logs)
    factor, degrees = serial_factors(count, autocorrelation)
    return Mean(statistics.fmean(logs), factor * variance_of(logs) / count, degrees, count)


@cache
def serial_factors(count: int, autocorrelation: float) -> tuple[float, float]:
    """The factor by which the variance of a mean exceeds s^2/n in a series with this decay, and the degrees
    of freedom of s^2. Both are exact for a normal series; s^2 reads low where runs are alike."""
    sums = _row_sums(count, autocorrelation)
    whole = fsum(sums)
    inflation = whole / count
    within = count - inflation
    squares = count + 2 * fsum((count - away) * autocorrelation ** (2 * away) for away in range(1, count))
    of_squares = squares - 2 / count * fsum(one * one for one in sums) + (whole / count) ** 2
    return inflation * (count - 1) / within, within**2 / of_squares


def variance_of(values: Sequence[float]) -> float:
    """statistics.variance, which is exact with fractions, takes twenty times as long."""
    mean = statistics.fmean(values)
    return fsum((value - mean) ** 2 for value in values) / (len(values) - 1)


def autocorrelation_of(series: Iterable[Sequence[float]]) -> float:
    """The autocorrelation of neighbours (lag 1), pooled over series, plus its standard error; at least
    ASSUMED where there are few. The mean of a short series hides part of it: the result is the value whose
    series would on average show what these show. A negative value counts as none."""
    shown, counts = _shown(series)
    found = _most_likely(counts, shown)
    pairs = sum((count - 1) * times for count, times in counts.items())
    if pairs < ENOUGH_NEIGHBOURS:
        return max(found, ASSUMED)
    return round(min(found + sqrt((1 - found**2) / pairs), MOST_CORRELATION), 2)


def _shown(series: Iterable[Sequence[float]]) -> tuple[float, Counter[int]]:
    """Products of neighbours over squares, weighted by length, and how many series have which length.

    Each series counts by its length, not by its variance: a noisy cell must not decide for all."""
    shown = 0.0
    counts: Counter[int] = Counter()
    for logs in series:
        count = len(logs)
        if count < FEWEST_NEIGHBOURS:
            continue
        mean = statistics.fmean(logs)
        away = [value - mean for value in logs]
        total = fsum(value * value for value in away)
        if total > 0:
            shown += count * fsum(one * two for one, two in itertools.pairwise(away)) / total
            counts[count] += 1
    return shown, counts


def mean_in_turns(series: Sequence[Sequence[float]]) -> Callable[[Sequence[float]], Mean]:
    """Returns the function that finds the mean of one of these series of ratios, which were measured in
    turns. A disturbance of a round is in both sides and cancels, so nothing is assumed unless the rounds are
    too few to show anything. Many series show together how much neighbours are alike; a few do so only
    roughly, and half of the standard error is added. bench/decisions.py has level and power of both."""
    shown, counts = _shown(series)
    if not counts:
        return partial(mean_of, autocorrelation=ASSUMED)
    if counts.total() < ENOUGH_SERIES:
        found = _most_likely(counts, shown)
        pairs = sum((count - 1) * times for count, times in counts.items())
        alike = min(found + SERIAL_ERRORS * sqrt((1 - found**2) / pairs), MOST_CORRELATION)
        return partial(mean_of, autocorrelation=round(alike, 2))
    rounds = sum(count * times for count, times in counts.items())
    # About 1/n for the mean of each series, which is not all of it: there are fewer degrees for that.
    alike = min(max((shown + HIDDEN_BY_MEAN * counts.total()) / rounds, 0.0), MOST_IN_TURNS)
    return partial(_mean_of_fewer, fewer=(1 + alike) / (1 - alike))


def _mean_of_fewer(ratios: Sequence[float], fewer: float) -> Mean:
    """Rounds that are alike teach less: they count as fewer."""
    count = len(ratios)
    degrees = max(count / fewer - 1, 1.0)
    return Mean(statistics.fmean(ratios), fewer * variance_of(ratios) / count, degrees, count)


def _most_likely(counts: Mapping[int, int], shown: float) -> float:
    """The most likely autocorrelation in hundredths, so that the expectation of each is computed once."""
    steps = range(round(100 * MOST_CORRELATION) + 1)
    at = bisect.bisect_left(steps, shown, key=lambda step: _shown_on_average(counts, step / 100))
    return min(at, steps[-1]) / 100 if counts else 0.0


def _shown_on_average(counts: Mapping[int, int], autocorrelation: float) -> float:
    return fsum(times * count * _shown_by_series(count, autocorrelation) for count, times in counts.items())


@cache
def _shown_by_series(count: int, autocorrelation: float) -> float:
    """Products of neighbours over squares, both around the mean of the series, as it is on average.

    The mean of a ratio of quadratic forms of normal values, after Magnus: one integral."""
    import numpy as np

    at = np.arange(count)
    root = np.linalg.cholesky(autocorrelation ** np.abs(at[:, None] - at[None, :]))
    centred = root - root.mean(axis=0)
    values, vectors = np.linalg.eigh(centred.T @ centred)
    turned = centred @ vectors
    products = np.sum(turned[:-1] * turned[1:], axis=0)
    share, weights = _quadrature()
    grown = 1 + 2 * (share / (1 - share) / count)[:, None] * values[None, :]
    inner = np.prod(grown**-0.5, axis=1) * (products / grown).sum(axis=1)
    return float(np.sum(weights * inner / (1 - share) ** 2) / count)


@cache
def _quadrature() -> tuple[Any, Any]:
    """Places between 0 and 1, and their weights."""
    import numpy as np

    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    return (nodes + 1) / 2, weights / 2


def _row_sums(count: int, autocorrelation: float) -> list[float]:
    """The row sums of the correlation matrix of a series with this decay."""
    sums = list(itertools.accumulate(autocorrelation**away for away in range(count)))
    return [sums[at] + sums[count - 1 - at] - 1 for at in range(count)]


# --- effects ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Effect:
    """A ratio as the difference of two logarithms; variance is that of log_ratio."""

    log_ratio: float
    variance: float
    degrees: float

    def ratio(self) -> float:
        return exp(self.log_ratio)

    def interval(self, level: float = LEVEL) -> tuple[float, float]:
        half = t_quantile(self.degrees, (1 + level) / 2) * sqrt(self.variance)
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
        return t_tail(self.degrees, distance / sqrt(self.variance))


def difference(first: Mean, second: Mean) -> Effect:
    """The difference of two sides that were measured one after the other. The degrees are those of Welch, and
    at most those of the side with fewer: the variance of a short side is small by chance too often for
    anything else to hold far out in the tails."""
    parts = [first.variance, second.variance]
    within = sum(parts)
    freedom = sum(part**2 / side.degrees for part, side in zip(parts, (first, second), strict=True))
    degrees = within**2 / freedom if freedom > 0 else first.degrees + second.degrees
    if first.count != second.count:
        degrees = min(degrees, first.degrees, second.degrees)
    return Effect(second.value - first.value, within, degrees)


def false_discovery_rates(chances: Sequence[float | None]) -> list[float | None]:
    """Benjamini and Hochberg: of all verdicts below 5 %, one in twenty is expected to be false."""
    order = sorted((chance, index) for index, chance in enumerate(chances) if chance is not None)
    found: list[float | None] = [None] * len(chances)
    smallest = 1.0
    for rank in range(len(order), 0, -1):
        chance, index = order[rank - 1]
        smallest = min(smallest, chance * len(order) / rank)
        found[index] = smallest
    return found


# scipy.special has what scipy.stats calls, without its overhead. weir run needs medians alone, and no scipy.


@lru_cache(4096)
def t_quantile(degrees: float, share: float) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(degrees, share))


def t_tail(degrees: float, value: float) -> float:
    """Chance of a value of Student's t below this one."""
    from scipy.special import stdtr

    return float(stdtr(degrees, value))
