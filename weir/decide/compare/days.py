"""The difference of equal storage from one campaign to the next: given, from a history, or assumed.

One campaign a side cannot show it. Of campaigns on different days it is never taken for nothing.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from math import expm1

from weir.decide.compare.pairs import OTHER_DAY_S, Pair, samples
from weir.records.inference import variance_of
from weir.records.metrics import Metric
from weir.terms.model import Row

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
        share = f"{expm1((self.variance / 2) ** 0.5):.0%}"
        if self.source == HISTORY:
            return f"one campaign a side: they differ by {share} by the history (n = {self.campaigns})"
        if self.source == GIVEN:
            return f"one campaign a side: {share} between campaigns, as given"
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
    try:
        first, second = (
            [datetime.fromisoformat(began).timestamp() for one in side for began in one.began]
            for side in (pair.first, pair.second)
        )
        return max(min(second) - max(first), min(first) - max(second)) >= OTHER_DAY_S
    except ValueError:
        return True
