"""The ratio of two cells with its interval.

Everything is done on logarithms, where a ratio is a difference and a slow outlier weighs less. Three designs:

- paired: both sides were measured in turns, round by round; each round gives one ratio, and what disturbs a
  round disturbs both sides of it.
- campaigns: each side has at least two campaigns, or one side at least three; their means are the sample, so
  that the interval includes what changes from one campaign to the next.
- separate: one campaign a side, one after the other; the interval includes what changes within it and
  between campaigns, as far as that is given, shown by a history, or assumed. Whether the storage
  changed or the day, one campaign a side cannot tell, and the result states it.
"""

import bisect
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import expm1, log, sqrt

from weir.base.units import percent, ratio_text
from weir.collect.metrics import Metric
from weir.decide.compare.pairs import OTHER_DAY_S, Pair, Sample, samples
from weir.records.model import Row
from weir.statistics.inference import (
    Effect,
    Mean,
    autocorrelation_of,
    difference,
    mean_in_turns,
    mean_of,
    t_quantile,
    variance_of,
)
from weir.statistics.median import LEVEL

# Standard deviation of a campaign's logarithm. With less, more than 5 % of tables of equal storage on six
# production file systems have a false verdict (consecutive 16 days a side;
# docs/decisions/0021-one-campaign-a-side.md).
ASSUMED_SPREAD = 0.35
FEWEST_CAMPAIGNS = 5  # campaigns of a cell that show its spread
GIVEN, HISTORY, ASSUMED, UNKNOWN = "given", "history", "assumed", "unknown"


@dataclass(frozen=True)
class Between:
    """variance: of the ratio of two campaigns. It contains what changes within them if a history shows it."""

    source: str
    variance: float = 0.0
    degrees: float | None = None  # None: known
    campaigns: int = 0

    @property
    def note(self) -> str:
        """The note that a reader must see."""
        spread = expm1((self.variance / 2) ** 0.5)
        share = f"{percent(spread)}%"
        if self.source == HISTORY:
            return f"one campaign a side: they differ by {share} by the history (n = {self.campaigns})"
        if self.source == GIVEN:
            return f"one campaign a side: {100 * spread:.3g}% between campaigns, as given"
        if self.source == ASSUMED:
            return (
                f"one campaign a side, on different days: {share} from day to day is assumed; "
                "measure in turns or several campaigns a side, or tell more by --history or --day-to-day"
            )
        return (
            "measured one after the other: whether the storage or the time between made the ratio "
            "cannot be told apart; measure in turns, or several campaigns a side"
        )


@dataclass(frozen=True)
class Days:
    """The known spreads; `spreads` has the variance of one campaign for each pair that has a history."""

    given: float | None = None
    spreads: Mapping[tuple[object, ...], tuple[float, int]] = field(default_factory=dict)

    def between(self, pair: Pair) -> Between:
        """Variance of the cell or of all, whichever is larger: a short history may lack a rare slow mode."""
        if self.given is not None:
            return Between(GIVEN, 2 * self.given**2)
        if self.spreads:
            pooled = statistics.fmean(variance for variance, _ in self.spreads.values())
            fewest = min(count for _, count in self.spreads.values())
            variance, count = self.spreads.get(key_of(pair), (pooled, fewest))
            return Between(HISTORY, 2 * max(variance, pooled), count - 1, count)
        return Between(ASSUMED, 2 * ASSUMED_SPREAD**2) if on_other_days(pair) else Between(UNKNOWN)


def key_of(pair: Pair) -> tuple[object, ...]:
    return pair.access, *sorted((name, str(value)) for name, value in pair.values.items())


def spreads_of(
    pairs: Iterable[Pair], campaigns: Sequence[Sequence[Row]], metric: Metric
) -> dict[tuple[object, ...], tuple[float, int]]:
    """Variance of the mean of a campaign, and their number, of each pair with a history."""
    found = {}
    for pair in pairs:
        names = {name: str(value) for name, value in pair.values.items()} | {"access": pair.access}
        began = {min(one.began) for one in (*pair.first, *pair.second) if one.began}
        rows = [
            (str(number), row)
            for number, campaign in enumerate(campaigns)
            for row in campaign
            if all(str(row.get(name)) == value for name, value in names.items())
        ]
        kept = [one for one in samples(rows, metric) if min(one.began) not in began]
        means = [statistics.fmean(one.logs) for one in kept]
        if len(means) >= FEWEST_CAMPAIGNS:
            found[key_of(pair)] = variance_of(means), len(means)
    return found


def on_other_days(pair: Pair) -> bool:
    """Whether one side was over long before the other began; True where a time is not known."""
    sides = pair.first, pair.second
    if not all(side and all(one.began_s for one in side) for side in sides):
        return True
    first, second = ([seconds for one in side for seconds in one.began_s] for side in sides)
    return max(min(second) - max(first), min(first) - max(second)) >= OTHER_DAY_S


FEWEST_ROUNDS = 2
FEWEST_SEPARATE = 4  # rounds a side: two or three that are alike by chance decide far too often
FEWEST_BASELINE = 3  # campaigns of one side that a single one of the other can be held against
MOST_ROUNDS = 1000
PAIRED, CAMPAIGNS, SEPARATE = "paired", "campaigns", "separate"

MeanOf = Callable[[Sequence[float]], Mean]


@dataclass(frozen=True)
class Estimate(Effect):
    """log_ratio is that of the second side over the first."""

    design: str
    rounds: tuple[int, int]  # of each side; in the design campaigns, campaigns
    spread: float  # variance of log_ratio if each side had one round
    between: float = 0.0  # variance of log_ratio that more rounds do not lower

    def __str__(self) -> str:
        low, high = self.interval()
        return f"x{ratio_text(self.ratio())} [{ratio_text(low)}–{ratio_text(high)}]"

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


def estimate(pair: Pair, mean: MeanOf, between: Between | None = None) -> Estimate | None:
    """The estimate of a pair; None where a side has too few rounds. mean: that of rounds that are alike, see
    `mean_of_rounds`."""
    first, second = pair.first, pair.second
    means = [[statistics.fmean(sample.logs) for sample in side] for side in (first, second)]
    if min(map(len, means)) >= FEWEST_ROUNDS:
        # Campaigns are days apart.
        return _apart(CAMPAIGNS, means[0], means[1], partial(mean_of, autocorrelation=0.0))
    if min(map(len, means)) == 1 and max(map(len, means)) >= FEWEST_BASELINE:
        return _against_baseline(means[0], means[1])
    if pair.in_turns:
        ratios = _ratios(first[0], second[0])
        return _paired(mean(ratios)) if len(ratios) >= FEWEST_ROUNDS else None
    logs = [[value for sample in side for value in sample.logs] for side in (first, second)]
    if min(map(len, logs)) < FEWEST_SEPARATE:
        return None
    found = _apart(SEPARATE, logs[0], logs[1], mean)
    return _widened(found, between) if between else found


def mean_of_rounds(pairs: Iterable[Pair], turns: bool) -> MeanOf:
    """The function for the mean of a side, or of ratios in turns. Its error allows for neighbouring rounds
    that are as alike as those of all pairs."""
    alike = [pair for pair in pairs if pair.in_turns == turns]
    if turns:
        return mean_in_turns([_ratios(pair.first[0], pair.second[0]) for pair in alike])
    of_sides = (sample.logs for pair in alike for sample in (*pair.first, *pair.second))
    return partial(mean_of, autocorrelation=autocorrelation_of(of_sides))


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


def _apart(design: str, first: Sequence[float], second: Sequence[float], mean: MeanOf) -> Estimate:
    one, two = mean(first), mean(second)
    found = difference(one, two)
    spread = one.variance * one.count + two.variance * two.count
    return Estimate(
        found.log_ratio, found.variance, max(found.degrees, 1.0), design, (one.count, two.count), spread
    )


def _widened(found: Estimate, between: Between) -> Estimate:
    """The estimate with the spread between campaigns. A history contains what changes within a campaign, so
    that the larger of both counts."""
    if between.source != HISTORY:
        return replace(found, variance=found.variance + between.variance, between=between.variance)
    degrees = min(found.degrees, between.degrees or found.degrees)
    variance = max(found.variance, between.variance)
    return replace(found, variance=variance, degrees=degrees, between=between.variance)
