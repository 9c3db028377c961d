"""Change points: where the level of a series changed and stayed changed.

A single slow day is not a change point, so that values far from their neighbours are pulled in first. The
penalty of a change follows the noise of the series, from day to day and from week to week, and grows with the
autocorrelation of neighbouring days: a series that wanders must not be split.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log, sqrt

import numpy as np
import ruptures

from weir.decide.history.series import Numbers, Series
from weir.statistics.inference import MEDIAN_ERROR, t_quantile, t_tail
from weir.statistics.median import LEVEL

FEWEST_POINTS = 10  # fewer teach nothing
SHORTEST_REGIME = 5
WINDOW = 7  # points around a value that tell whether it is a spike
SPIKE = 3.0  # standard deviations from the median of the window
FEWEST_WEEKS = 6  # fewest weeks for an estimate of how long disturbances last
WORTH_SEARCHING = 0.5  # share of the penalty: overlapping intervals miss at most a part of a gain
PENALTY = 5.0  # times variance and log n: bench/history.py counts the false changes that it leaves
SURE = 0.001  # chance of a false change at each candidate
SMALLEST_CHANGE = 0.02  # an operator ignores less
SMALLEST_NOISE = 0.002  # relative; series of equal values have no noise to measure
MOST_CORRELATION = 0.9


@dataclass(frozen=True)
class Regime:
    """Points start to end (exclusive) of one level."""

    start: int
    end: int
    level: float  # median of the logarithms


@dataclass(frozen=True)
class LevelChange:
    """The change between two regimes: the ratio of the levels with its interval."""

    index: int  # first point after it
    day: str
    log_ratio: float
    half_width: float  # of log_ratio, at 95 %

    @property
    def ratio(self) -> float:
        return exp(self.log_ratio)

    @property
    def interval(self) -> tuple[float, float]:
        return exp(self.log_ratio - self.half_width), exp(self.log_ratio + self.half_width)


def without_spikes(logs: Numbers) -> Numbers:
    """Move values far from the median of their neighbours to the edge of what is usual (Hampel's filter)."""
    if len(logs) < WINDOW:
        return logs
    half = WINDOW // 2
    windows = np.lib.stride_tricks.sliding_window_view(np.pad(logs, half, mode="reflect"), WINDOW)
    middle = np.median(windows, axis=1)
    limit = SPIKE * noise_of(logs)
    return np.clip(logs, middle - limit, middle + limit)


def noise_of(logs: Numbers) -> float:
    """Standard deviation from one point to the next, which steps and trends hardly touch."""
    if len(logs) < 2:
        return SMALLEST_NOISE
    return max(float(np.median(np.abs(np.diff(logs)))) * 1.4826 / sqrt(2), SMALLEST_NOISE)


def lasting_variance(logs: Numbers) -> float:
    """Variance of a day that explains the means of weeks: larger where disturbances last for days."""
    weeks = len(logs) // WINDOW
    if weeks < FEWEST_WEEKS:
        return 0.0
    means = logs[: weeks * WINDOW].reshape(weeks, WINDOW).mean(axis=1)
    return WINDOW * noise_of(means) ** 2


def regimes_of(series: Series) -> list[Regime]:
    """All points, cut at the changes that stand a test."""
    logs = without_spikes(series.logs)
    count = len(logs)
    whole = [Regime(0, count, float(np.median(logs)))]
    variance = max(noise_of(logs) ** 2, lasting_variance(logs))
    penalty = PENALTY * variance * log(max(count, 2))
    if count < 2 * SHORTEST_REGIME or largest_gain(logs) < WORTH_SEARCHING * penalty:
        return whole
    detector = ruptures.KernelCPD(kernel="linear", min_size=SHORTEST_REGIME).fit(logs.reshape(-1, 1))
    ends = detector.predict(pen=penalty)
    if len(ends) == 1:
        return whole
    # Neighbouring days that are alike make a series wander: judge again with what the residuals say.
    correlation = _correlation(logs, ends)
    wandering = _residual_variance(logs, ends) * (1 + correlation) / (1 - correlation)
    if wandering > variance:
        ends = detector.predict(pen=PENALTY * wandering * log(count))
    return _tested(logs, [int(end) for end in ends], correlation)


def largest_gain(logs: Numbers) -> float:
    """Upper estimate of how much one cut lowers the sum of squares, over intervals of all lengths.

    Most series have no change: this rules them out in a tenth of the time of a full search.
    """
    largest, length = 0.0, len(logs)
    while length >= 2 * SHORTEST_REGIME:
        starts = np.append(np.arange(0, len(logs) - length, max(length // 2, 1)), len(logs) - length)
        windows = np.lib.stride_tricks.sliding_window_view(logs, length)[starts]
        before = np.arange(SHORTEST_REGIME, length - SHORTEST_REGIME + 1)
        sums = np.cumsum(windows, axis=1)
        first = sums[:, before - 1]
        apart = first / before - (sums[:, -1:] - first) / (length - before)
        largest = max(largest, float((apart**2 * (before * (length - before) / length)).max()))
        length = int(length / sqrt(2))
    return largest


def changes_of(series: Series, regimes: Sequence[Regime]) -> list[LevelChange]:
    if len(regimes) < 2:
        return []
    logs = without_spikes(series.logs)
    ends = [regime.end for regime in regimes]
    correlation = _correlation(logs, ends)
    found = []
    for before, after in itertools.pairwise(regimes):
        error, degrees = _error(logs, before.start, before.end, after.end, correlation)
        half = t_quantile(degrees, (1 + LEVEL) / 2) * error * MEDIAN_ERROR
        found.append(LevelChange(after.start, series.day(after.start), after.level - before.level, half))
    return found


def _tested(logs: Numbers, ends: list[int], correlation: float) -> list[Regime]:
    """Drop the least sure change until all that are left are sure and large enough."""
    edges = [0, *ends]
    while len(edges) > 2:
        doubts = []
        for position, (start, cut, end) in enumerate(zip(edges, edges[1:], edges[2:], strict=False), 1):
            away = abs(float(logs[cut:end].mean() - logs[start:cut].mean()))
            error, degrees = _error(logs, start, cut, end, correlation)
            doubts.append((2 * t_tail(degrees, -away / error), away, position))
        chance, away, position = max(doubts, key=lambda doubt: (doubt[1] < SMALLEST_CHANGE, doubt[0]))
        if chance <= SURE and away >= SMALLEST_CHANGE:
            break
        del edges[position]
    return [Regime(start, end, float(np.median(logs[start:end]))) for start, end in itertools.pairwise(edges)]


def _error(logs: Numbers, start: int, cut: int, end: int, correlation: float) -> tuple[float, float]:
    """Standard error of the difference of two means, and its degrees of freedom."""
    parts = [logs[start:cut], logs[cut:end]]
    degrees = max(end - start - 2, 1)
    pooled = sum(float(np.sum((part - part.mean()) ** 2)) for part in parts) / degrees
    pooled = max(pooled, SMALLEST_NOISE**2)
    inflation = (1 + correlation) / (1 - correlation)
    error = sqrt(pooled * inflation * (1 / len(parts[0]) + 1 / len(parts[1])))
    return error, max(degrees / inflation, 2.0)


def _residuals(logs: Numbers, ends: list[int]) -> list[Numbers]:
    return [part - part.mean() for part in np.split(logs, ends[:-1]) if len(part) > 1]


def _residual_variance(logs: Numbers, ends: list[int]) -> float:
    parts = _residuals(logs, ends)
    return sum(float(np.sum(part**2)) for part in parts) / max(len(logs) - len(ends), 1)


def _correlation(logs: Numbers, ends: list[int]) -> float:
    """Likeness of neighbouring points within regimes; short regimes hide some of it, about 1/n each."""
    parts = _residuals(logs, ends)
    squares = sum(float(np.sum(part**2)) for part in parts)
    if squares == 0:
        return 0.0
    products = sum(float(np.sum(part[:-1] * part[1:])) for part in parts)
    return min(max(products / squares + len(parts) / len(logs), 0.0), MOST_CORRELATION)
