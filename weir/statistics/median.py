"""The interval of a median: its ends are order statistics, at a level that allows for autocorrelated runs.

Runs that follow each other are alike. Nothing here takes them for independent: an autocorrelation is assumed,
or that of the study is used where it is higher.
"""

import bisect
import itertools
import math
import statistics
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from math import exp, fsum, sqrt
from operator import add, mul, sub
from typing import NamedTuple

LEVEL = 0.95
# Correlation of neighbouring runs where a study has too few. On tmpfs and disk up to 0.29 was measured; a
# year of file systems remembers longer than one day, and needs this much (bench/coverage.R).
ASSUMED = 0.35
# The same where rounds were added until an interval was narrow: rounds end where it is narrow by chance
# (docs/decisions/0017-intervals-after-added-rounds.md).
STOPPING = 0.44
# Pairs of neighbours: with more of them the estimate is used also where it is below the assumption.
ENOUGH_NEIGHBOURS = 100
MOST_ON_ONE_SIDE = 0.9  # highest excess of neighbours on one side that the estimate takes
FEWEST_PRINTED = 6  # runs: of fewer no interval is near LEVEL
# Shares of the error of one side of an interval: of the first look, and of all later ones together.
FIRST_LOOK, LATER_LOOKS = 0.6, 0.4


def level_of_look(look: int) -> float:
    """Level of the interval at the look-th time that more runs were measured after the others were seen.

    The chances of a wrong end add up to that of one interval at LEVEL, however often one looks."""
    share = FIRST_LOOK if look <= 1 else LATER_LOOKS / (look * (look - 1))
    return 1 - (1 - LEVEL) * share


def half_width(values: Sequence[float], autocorrelation: float = STOPPING) -> float:
    """Half of the width of the median's interval, as a part of the median; infinite where there is no
    interval."""
    ends = median_interval(values, autocorrelation)
    middle = statistics.median(values)
    return math.inf if ends is None or middle == 0 else (ends[1] - ends[0]) / 2 / middle


def median_interval(
    values: Sequence[float], autocorrelation: float = STOPPING, level: float = LEVEL
) -> tuple[float, float] | None:
    """The two ends of the interval of the median; None where the runs are too few for the level."""
    ranks = interval_ranks(len(values), autocorrelation, level)
    if ranks is None:
        return None
    k, share = ranks
    ordered = sorted(values)
    low = (1 - share) * ordered[k - 1] + share * ordered[k]
    return low, (1 - share) * ordered[-k] + share * ordered[-k - 1]


class Ranks(NamedTuple):
    """The ends are between the k-th and the next value from either side, at `share` of the distance."""

    k: int
    share: float
    level: float


@cache
def interval_ranks(
    count: int, autocorrelation: float = STOPPING, wanted: float = LEVEL
) -> tuple[int, float] | None:
    """k and share; None where even the extremes do not reach the level."""
    if count < 1:
        return None
    sides = next(itertools.islice(side_counts(autocorrelation), count - 1, None))
    ranks = _ranks(sides, wanted)
    return (ranks.k, ranks.share) if ranks.level >= wanted else None


def all_ranks(most: int, autocorrelation: float) -> Iterator[tuple[int, Ranks]]:
    """The ranks for each number of runs from FEWEST_PRINTED on. Where even the extremes do not reach LEVEL,
    the level is theirs."""
    for count, sides in enumerate(itertools.islice(side_counts(autocorrelation), most), start=1):
        if count >= FEWEST_PRINTED:
            yield count, _ranks(sides, LEVEL)


def _ranks(sides: Sequence[float], wanted: float) -> Ranks:
    """The extremes where they do not reach the level; else half way between two interpolations of the level.

    That of Hettmansperger and Sheather is for independent values: where neighbours are alike, it holds 93 to
    95 %, a linear one 95 to 97 % (bench/coverage.R)."""
    count = len(sides) - 1

    def level(k: int) -> float:
        return fsum(sides[k : count - k + 1])

    ks = range(1, count // 2 + 1)
    k = bisect.bisect_left(ks, True, key=lambda k: level(k) < wanted)
    if k in (0, len(ks)):
        return Ranks(max(k, 1), 0.0, level(max(k, 1)))
    inner = (level(k) - wanted) / (level(k) - level(k + 1))
    independent = (count - k) * inner / (k + (count - 2 * k) * inner)
    return Ranks(k, (independent + inner) / 2, wanted)


def fewest_for_median(autocorrelation: float, level: float) -> int:
    """The least number of runs that has an interval of its median."""
    return next(
        count for count in itertools.count(2) if interval_ranks(count, autocorrelation, level) is not None
    )


def autocorrelation_of_sides(series: Iterable[Sequence[float]]) -> float:
    """The excess over chance with which neighbours lie on one side of the median of their series, plus its
    standard error: the interval of a median has to allow for it. It is never below ASSUMED."""
    pairs = same = 0
    expected = 0.0
    for values in series:
        middle = statistics.median(values)
        sides = [value > middle for value in values if value != middle]
        count, above = len(sides), sum(sides)
        if count > 1:
            below = count - above
            pairs += count - 1
            same += sum(one == two for one, two in itertools.pairwise(sides))
            expected += (above * (above - 1) + below * (below - 1)) / count
    if pairs < ENOUGH_NEIGHBOURS:
        return ASSUMED
    excess = (same - expected) / (pairs - expected) + 1 / sqrt(pairs)
    return max(ASSUMED, math.sin(math.pi / 2 * min(max(excess, 0.0), MOST_ON_ONE_SIDE)))


# Weights in the upper half of a normal distribution, after Gauss: exact to five digits of a level up to 0.5.
_HALF_NODES = (0.1891884655635131, 0.8829284437641507, 1.8986352002155371, 3.1998907891594737)
_HALF_WEIGHTS = (0.3670651277335922, 0.4751684808282753, 0.1505737375845080, 0.0071926538535645)


def side_counts(autocorrelation: float) -> Iterator[list[float]]:
    """The probabilities that none, one, ... of 1, 2, ... consecutive values lie below their median. The
    series is normal with this decay: its values are put on a few points on either side of the median, between
    which a chain moves as the series does. The last value is below in `ends_below`; where it is above, the
    other side is counted."""
    mean, half = _steps_between_sides(autocorrelation)
    nowhere = [0.0] * len(_HALF_WEIGHTS)
    ends_below = [nowhere, [weight / 2 for weight in _HALF_WEIGHTS]]
    for count in itertools.count(1):
        one_side = [fsum(places) for places in ends_below]
        yield [one + two for one, two in zip(one_side, reversed(one_side), strict=True)]
        stays = [nowhere] * (count + 1)
        for few in range(count // 2 + 1):
            low, high = ends_below[few], ends_below[count - few]
            together, apart = list(map(add, low, high)), list(map(sub, low, high))
            sums = [sum(map(mul, together, column)) for column in mean]
            rests = [sum(map(mul, apart, column)) for column in half]
            stays[count - few] = list(map(sub, sums, rests))
            stays[few] = list(map(add, sums, rests))
        ends_below = [nowhere, *stays]


def _steps_between_sides(autocorrelation: float) -> tuple[list[list[float]], list[list[float]]]:
    """Columns of the chances to move from place to place: mean of those on one side and of those to the other
    side, and half of their difference."""
    away = autocorrelation / (2 * (1 - autocorrelation**2))
    to: dict[int, list[list[float]]] = {1: [], -1: []}
    for one in _HALF_NODES:
        rows = {
            sign: [
                weight * exp(away * (2 * sign * one * two - autocorrelation * (one**2 + two**2)))
                for two, weight in zip(_HALF_NODES, _HALF_WEIGHTS, strict=True)
            ]
            for sign in to
        }
        whole = fsum(map(fsum, rows.values()))
        for sign, row in rows.items():
            to[sign].append([value / whole for value in row])
    columns = zip(zip(*to[1], strict=True), zip(*to[-1], strict=True), strict=True)
    both = [list(zip(same, other, strict=True)) for same, other in columns]
    return (
        [[(one + two) / 2 for one, two in column] for column in both],
        [[(one - two) / 2 for one, two in column] for column in both],
    )
