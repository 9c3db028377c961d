"""The band of a series: what the next value may be if nothing has changed; whether the newest points lie
below those before them.

The rule of `weir history check` is a t test of the newest 14 points against the 60 before, with values far
from their middle pulled in. A change is news from the day on which it is found, as long as it is in the
newest points: not from the day on which it happened, which for a small step is weeks earlier. The chance was
set on the first half of reference/tokio-year.csv, the windows after such rules were tried on both halves
(docs/how-to/history.md).
"""

from dataclasses import dataclass
from math import exp, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, stats

from weir.decide.history.regimes import (
    FEWEST_POINTS,
    SMALLEST_CHANGE,
    SMALLEST_NOISE,
    LevelChange,
    Regime,
    changes_of,
    regimes_of,
)
from weir.decide.history.series import Numbers, Series
from weir.statistics.inference import MEDIAN_ERROR, t_quantile

OUTSIDE = 0.005  # chance that a value of an unchanged series lies outside of its band
SURE = 0.01  # chance of seeing a trend or a weekly rhythm that is not there
WEEKS_FOR_A_RHYTHM = 5
_SLOPE_DIGITS = 1e-9
_DAY_S = 86400.0
_WEEK = 7

LEARNING, NORMAL, SLOWER, FASTER, SPIKE = "learning", "normal", "slower", "faster", "spike"


@dataclass(frozen=True)
class Band:
    """All of the current regime. low and high bound the newest value; trend is a factor a year."""

    median: float
    low: float
    high: float
    points: int
    since: str
    trend: float | None = None
    rhythm: bool = False  # the day of the week matters and is allowed for


@dataclass(frozen=True)
class BandVerdict:
    """The newest point of one series."""

    series: str
    verdict: str
    value: float
    day: str
    band: Band | None  # None while learning
    regimes: tuple[Regime, ...]
    changes: tuple[LevelChange, ...]
    alarm: "Alarm | None" = None  # None where the series is too short
    system: str = ""
    unit: str = ""
    emulated: bool = False

    @property
    def change(self) -> LevelChange | None:
        """The change of level that explains the news, if one was found among the points compared."""
        if self.alarm is None or not self.alarm.is_news or not self.changes:
            return None
        last, compared = self.changes[-1], self.regimes[-1].end - self.alarm.newest - self.alarm.before
        same_way = (last.log_ratio < 0) == (self.alarm.log_ratio < 0)
        return last if last.index >= compared and same_way else None

    @property
    def news_ratio(self) -> float:
        """The size of the news, as every text has it; 1 where the series is too short."""
        found = self.change or self.alarm
        return found.ratio if found else 1.0

    @property
    def news_day(self) -> str | None:
        """The day on which the news began; None if there is no news."""
        if self.alarm is None or not self.alarm.is_news:
            return None
        return self.change.day if self.change else self.alarm.day

    @property
    def is_finding(self) -> bool:
        return self.verdict == SLOWER


def judge_newest(series: Series, newest: int) -> BandVerdict:
    """The newest points below those before are the finding; one value outside of the band is only a spike."""
    value, day = exp(float(series.logs[-1])), series.day(len(series) - 1)
    regimes = tuple(regimes_of(series))
    changes = tuple(changes_of(series, regimes))
    alarm = alarm_of(series, newest)
    band = band_of(series, regimes[-1].start)
    if alarm is not None and alarm.is_news:
        verdict = SLOWER if (alarm.log_ratio < 0) == series.higher_is_better else FASTER
    elif band is None:
        verdict = LEARNING
    else:
        verdict = NORMAL if band.low <= value <= band.high else SPIKE
    about = (series.system, series.unit, series.emulated)
    return BandVerdict(series.name, verdict, value, day, band, regimes, changes, alarm, *about)


def band_of(series: Series, start: int) -> Band | None:
    """Learned from the regime without its newest point; None where it is too short to teach."""
    times, logs = series.times[start:-1], series.logs[start:-1]
    if len(logs) < FEWEST_POINTS:
        return None
    slope = _trend(times, logs)
    centre = np.median(times)
    level = logs - slope * (times - centre)
    rhythm = _rhythm(times, level)
    middle = float(np.median(level))
    expected = middle + slope * float(series.times[-1] - centre)
    if rhythm is not None:
        level = level - rhythm[_weekdays(times)]
        expected += float(rhythm[_weekdays(series.times[-1:])][0])
    below, above = _spread(level - np.median(level))
    # Each side is learned from half of the points.
    factor = t_quantile(len(logs) / 2, 1 - OUTSIDE / 2) * sqrt(1 + MEDIAN_ERROR**2 / len(logs))
    return Band(
        median=exp(middle),
        low=exp(expected - factor * below),
        high=exp(expected + factor * above),
        points=len(logs),
        since=series.day(start),
        trend=exp(slope * 365 * _DAY_S) if slope else None,
        rhythm=rhythm is not None,
    )


def _spread(away: Numbers) -> tuple[float, float]:
    """Downwards and upwards apart: storage has slow days far more often than fast ones."""
    found = []
    for side in (away[away <= 0], away[away >= 0]):
        both = np.concatenate([side, -side])
        found.append(max(float(np.sqrt(np.mean(both**2))) if len(side) else 0.0, SMALLEST_NOISE))
    return found[0], found[1]


def _trend(times: Numbers, logs: Numbers) -> float:
    """Median of all slopes of the logarithm per second; 0 where a trend is not sure (Mann and Kendall)."""
    if len(logs) < 3 * FEWEST_POINTS or not float(stats.kendalltau(times, logs).pvalue) <= SURE:
        return 0.0
    return _median_slope(times, logs)


def _median_slope(times: Numbers, logs: Numbers) -> float:
    """Median slope of all pairs of points (Theil and Sen): it leaves no rank correlation (Sen).

    It is found by halves, as a list of the 28 million pairs of 7,500 points takes 1.5 GiB and minutes."""

    def left(slope: float) -> float:
        correlation = float(stats.kendalltau(times, logs - slope * (times - times[0])).statistic)
        return 0.0 if np.isnan(correlation) else correlation

    wide = float(np.ptp(logs) / np.ptp(times))
    while left(wide) > 0 or left(-wide) < 0:
        wide *= 2
    return float(optimize.bisect(left, -wide, wide, xtol=_SLOPE_DIGITS * wide))


def _weekdays(times: Numbers) -> NDArray[np.int64]:
    return ((times // _DAY_S).astype(np.int64) + 3) % _WEEK  # 1 January 1970 was a Thursday


def _rhythm(times: Numbers, logs: Numbers) -> Numbers | None:
    """The offset of each day of the week, where five weeks of data bear it out."""
    days = _weekdays(times)
    groups = [logs[days == day] for day in range(_WEEK)]
    if (
        min(map(len, groups)) < WEEKS_FOR_A_RHYTHM
        or not np.ptp(logs)
        or float(stats.kruskal(*groups).pvalue) > SURE
    ):
        return None
    return np.array([float(np.median(group)) for group in groups]) - float(np.median(logs))


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
    size: float  # logarithm of a ratio: `_size`

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
    log_ratio = float(second.mean() - first.mean())
    return Alarm(
        log_ratio=log_ratio,
        error=sqrt(spread * (1 / before + 1 / count)),
        limit=t_quantile(degrees, 1 - CHANCE),
        newest=count,
        before=before,
        day=series.day(len(series) - len(logs) + cut),
        size=_size(written, cut, log_ratio),
    )


def _size(logs: Numbers, cut: int, log_ratio: float) -> float:
    """Median of the points since the cut over that of those before; where these medians are alike, the ratio
    of the means, by which it is news."""
    size = float(np.median(logs[cut:]) - np.median(logs[:cut]))
    return size if size * log_ratio > 0 and abs(size) >= SMALLEST_CHANGE else log_ratio


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
