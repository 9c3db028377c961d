"""Rounds that end because the interval is narrow: how often it holds the median then, in simulated series.

bench/coverage.R does the same with the functions of the analysis, on more series.
"""

import math
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from weir.statistics.median import ASSUMED, LEVEL, interval_ranks

SERIES, MOST, SPREAD = 12_000, 40, 0.08
ALLOWED = 0.006  # below the printed level: three standard errors

Floats = NDArray[np.float64]


@cache
def made(autocorrelation: float) -> Floats:
    """Around a median of 1; a row for each series, whose neighbours are alike."""
    values = np.random.default_rng(20261122).standard_normal((SERIES, MOST))
    for run in range(1, MOST):
        fresh = math.sqrt(1 - autocorrelation**2) * values[:, run]
        values[:, run] = autocorrelation * values[:, run - 1] + fresh
    return np.asarray(np.exp(SPREAD * values))


def ends_of(ordered: Floats, k: int, share: float) -> tuple[Floats, Floats]:
    """The lower and the upper end of each interval, of the sorted values of each series."""
    low = (1 - share) * ordered[:, k - 1] + share * ordered[:, k]
    return low, (1 - share) * ordered[:, -k] + share * ordered[:, -k - 1]


@pytest.mark.parametrize("count", [8, 9, 10, 12, 16, 20, 40])
def test_a_fixed_number_of_rounds_holds_what_it_prints(count: int) -> None:
    """Neighbours are as alike as assumed; by a chain of two sides, which forgets faster, 93 to 94 % held."""
    ranks = interval_ranks(count, ASSUMED)
    low, high = ends_of(np.sort(made(ASSUMED)[:, :count], axis=1), *ranks)
    assert LEVEL - ALLOWED <= float(np.mean((low <= 1) & (high >= 1))) <= LEVEL + 0.015


def stopped(values: Floats, wanted: float, most: int, **assumed: float) -> tuple[float, float]:
    """Mean number of runs, and the share of intervals that hold 1 when no more rounds are added."""
    runs = held = 0
    for count in range(8, most + 1):
        ranks = interval_ranks(count, **assumed)
        if ranks is None:
            continue
        ordered = np.sort(values[:, :count], axis=1)
        low, high = ends_of(ordered, *ranks)
        ends = ((high - low) / 2 <= wanted * np.median(ordered, axis=1)) | (count == most)
        runs += count * int(ends.sum())
        held += int((ends & (low <= 1) & (high >= 1)).sum())
        values = values[~ends]
    return runs / SERIES, held / SERIES


@pytest.mark.parametrize("autocorrelation", [0.0, 0.2, 0.35])
@pytest.mark.parametrize(("wanted", "most"), [(0.055, 20), (0.055, 40), (0.08, 20)])
def test_the_interval_holds_what_it_prints(wanted: float, most: int, autocorrelation: float) -> None:
    assert stopped(made(autocorrelation), wanted, most)[1] >= LEVEL - ALLOWED


def test_the_interval_of_a_fixed_number_of_rounds_would_hold_less() -> None:
    runs, held = stopped(made(0.35), 0.055, 40, autocorrelation=0.35)
    more_runs, more_held = stopped(made(0.35), 0.055, 40)
    assert held < 0.94 < LEVEL - ALLOWED < more_held
    # What it costs.
    assert runs < more_runs < 1.25 * runs
