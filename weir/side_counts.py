"""How many of some consecutive values lie below their median, where neighbours are alike.

The ranks of the interval of a median are made of it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from math import exp, fsum
from operator import add, mul, sub

# Of the upper half of a normal distribution, after Gauss: exact to five digits of a level up to 0.5.
_HALF_NODES = (0.1891884655635131, 0.8829284437641507, 1.8986352002155371, 3.1998907891594737)
_HALF_WEIGHTS = (0.3670651277335922, 0.4751684808282753, 0.1505737375845080, 0.0071926538535645)


def side_counts(autocorrelation: float) -> Iterator[list[float]]:
    """For 1, 2, ... consecutive values: how probable it is that none, one, ... all lie below their median.

    Of a normal series that decays by this factor: its values are put on a few places on either side of the
    median, between which a chain moves as the series does. The last value is below in `ends_below`; where it
    is above, the other side is counted."""
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
