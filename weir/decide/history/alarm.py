"""The rule of `weir history check`: whether the newest points lie below those before them.

A t test of the newest 14 points against the 60 before, with values far from their middle pulled in. A change
is news from the day on which it is found, as long as it is in the newest points: not from the day on which
it happened, which for a small step is weeks earlier. The chance was set on the first half of
reference/tokio-year.csv, the windows after such rules were tried on both halves
(docs/how-to/history.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, sqrt

import numpy as np

from weir.decide.history.regimes import FEWEST_POINTS, SMALLEST_CHANGE, SMALLEST_NOISE
from weir.decide.history.series import Numbers, Series
from weir.records.inference import t_quantile

BEFORE = 60  # points that the newest are held against
CLIP = 3.0  # standard deviations from the median of the points before
CHANCE = 2.2e-5  # chance of one judgement; days overlap, so that it is not the rate of alarms
FEWEST_NEWEST = 3
_TO_DEVIATION = 1.4826  # the standard deviation over the median absolute deviation, for normal values


@dataclass(frozen=True)
class Alarm:
    """The newest points against those before; log_ratio is that of the values after spikes were pulled in."""

    log_ratio: float
    error: float
    limit: float  # errors, beyond which it is news
    newest: int
    before: int
    day: str  # on which the difference between the points before and after it is largest
    size: float  # median of the points since that day over that of those before; a logarithm

    @property
    def ratio(self) -> float:
        return exp(self.size)

    @property
    def is_news(self) -> bool:
        return abs(self.log_ratio) > self.limit * self.error and abs(self.log_ratio) >= SMALLEST_CHANGE


def alarm_of(series: Series, newest: int) -> Alarm | None:
    """newest: at most so many points, and a third of a short series; None where it is too short to tell."""
    count = min(newest, len(series) // 3)
    before = min(BEFORE, len(series) - count)
    if count < FEWEST_NEWEST or before < FEWEST_POINTS:
        return None
    written = series.logs[-count - before :]
    logs = _clipped(written, before)
    first, second = logs[:before], logs[before:]
    degrees = before + count - 2
    squares = float(((first - first.mean()) ** 2).sum() + ((second - second.mean()) ** 2).sum())
    spread = max(squares / degrees, SMALLEST_NOISE**2)
    cut = _cut(logs)
    return Alarm(
        log_ratio=float(second.mean() - first.mean()),
        error=sqrt(spread * (1 / before + 1 / count)),
        limit=t_quantile(degrees, 1 - CHANCE),
        newest=count,
        before=before,
        day=series.day(len(series) - len(logs) + cut),
        size=float(np.median(written[cut:]) - np.median(written[:cut])),
    )


def _clipped(logs: Numbers, before: int) -> Numbers:
    middle = float(np.median(logs[:before]))
    spread = max(_TO_DEVIATION * float(np.median(np.abs(logs[:before] - middle))), SMALLEST_NOISE)
    return np.clip(logs, middle - CLIP * spread, middle + CLIP * spread)


def _cut(logs: Numbers) -> int:
    """First point after the cut that explains most."""
    before = np.arange(1, len(logs))
    sums = np.cumsum(logs)
    apart = sums[:-1] / before - (sums[-1] - sums[:-1]) / (len(logs) - before)
    return int(np.argmax(apart**2 * before * (len(logs) - before))) + 1
