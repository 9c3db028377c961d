"""Intervals and corrections: at their level where runs are alike, sides are unequal and looks are many."""

import math
import random
from collections.abc import Sequence
from statistics import fmean

import pytest

from weir.statistics.inference import (
    Mean,
    autocorrelation_of,
    difference,
    false_discovery_rates,
    mean_in_turns,
    mean_of,
    serial_factors,
)
from weir.statistics.median import ASSUMED, FIRST_LOOK, level_of_look, median_interval


def series(source: random.Random, count: int, alike: float) -> list[float]:
    values = [source.gauss(0, 1)]
    for _ in range(count - 1):
        values.append(alike * values[-1] + math.sqrt(1 - alike**2) * source.gauss(0, 1))
    return values


def share_above(rows: Sequence[Sequence[float]], alike: float) -> float:
    """Of intervals whose lower end is above the true mean."""
    return fmean(mean_of(row, alike).interval()[0] > 0 for row in rows)


def three_errors(share: float, times: int) -> float:
    return share + 3 * math.sqrt(share * (1 - share) / times)


@pytest.mark.parametrize("count", [3, 5, 10, 20])
def test_one_end_in_forty_is_wrong_also_where_runs_are_alike(count: int) -> None:
    source, times = random.Random(count), 2000
    rows = [series(source, count, ASSUMED) for _ in range(times)]
    assert share_above(rows, ASSUMED) <= three_errors(0.025, times)
    # Taken for independent, they would be wrong two to four times as often.
    assert share_above(rows, 0.0) > 0.045


def test_the_factors_of_independent_values_are_those_of_a_t_test() -> None:
    assert serial_factors(7, 0.0) == pytest.approx((1.0, 6.0))
    # As analysis/R/statistics.R has them; test-comparisons.R.
    inflation, degrees = serial_factors(5, 0.35)
    assert (math.sqrt(inflation), degrees) == pytest.approx((1.4658590, 3.5739223))


@pytest.mark.parametrize("alike", [0.2, 0.4, 0.6])
@pytest.mark.parametrize("count", [4, 8, 16])
def test_the_autocorrelation_is_found_in_short_series(count: int, alike: float) -> None:
    source, times = random.Random(count), 8000 // count
    found = autocorrelation_of(series(source, count, alike) for _ in range(times))
    error = 1 / math.sqrt(times * (count - 1))
    assert alike - 2 * error <= found <= alike + 5 * error


def test_few_neighbours_do_not_lower_the_assumption() -> None:
    assert autocorrelation_of([[1.0, 2.0, 1.0, 2.0, 1.0]]) == ASSUMED
    assert autocorrelation_of([]) == ASSUMED
    source = random.Random(1)
    assert autocorrelation_of(series(source, 30, 0.0) for _ in range(30)) < 0.15


@pytest.mark.slow
@pytest.mark.parametrize("counts", [(4, 16), (4, 40), (8, 16)])
def test_sides_of_unequal_length_hold_far_out_in_the_tail(counts: tuple[int, int]) -> None:
    """What the first step of a correction over 20 cells asks for: 5 % / 20."""
    source, times = random.Random(counts[1]), 4000
    chances = [
        difference(
            *(mean_of([source.gauss(0, 1) for _ in range(count)], 0.0) for count in counts)
        ).chance_different()
        for _ in range(times)
    ]
    assert fmean(chance <= 0.0025 for chance in chances) <= three_errors(0.0025, times)


def test_all_looks_together_are_wrong_as_often_as_one_interval() -> None:
    assert sum(1 - level_of_look(look) for look in range(1, 10_000)) == pytest.approx(0.05, rel=1e-3)
    assert 1 - level_of_look(1) == pytest.approx(0.05 * FIRST_LOOK)
    source, times, wrong = random.Random(2), 300, 0
    for _ in range(times):
        values = series(source, 25, ASSUMED)
        looks = enumerate(range(3, 26), start=1)
        wrong += any(
            mean_of(values[:count], ASSUMED).interval(level_of_look(look))[0] > 0 for look, count in looks
        )
    assert wrong / times <= three_errors(0.025, times)


def test_the_interval_of_a_median_is_not_moved_by_fast_runs() -> None:
    source, times = random.Random(3), 1000
    wrong = 0
    for _ in range(times):
        values = [source.gauss(-0.03, 0.01) + (0.3 if source.random() < 0.2 else 0.0) for _ in range(20)]
        ends = median_interval(values, ASSUMED)
        wrong += ends[0] > 0
    assert wrong / times <= 0.025


@pytest.mark.parametrize("rounds", [3, 8])
def test_small_tables_in_turns_hold_where_neighbours_are_alike(rounds: int) -> None:
    """Three series show little of how much neighbours are alike, and three rounds nothing."""
    source, times, false = random.Random(rounds), 1000, 0
    for _ in range(times):
        table = [series(source, rounds, ASSUMED) for _ in range(3)]
        mean = mean_in_turns(table)
        chances = [difference(mean(one), Mean(0.0, 0.0, 1.0, rounds)).chance_different() for one in table]
        false += any(rate <= 0.05 for rate in false_discovery_rates(chances))
    assert false / times <= three_errors(0.05, times)


def test_the_report_allows_as_much_for_ratios_in_turns() -> None:
    """The same series: analysis/tests/testthat/test-comparisons.R."""
    smooth = [3, 2, -1, -2, 0, 2, 1, -3, -2, -1, 3, 2]
    assert getattr(mean_in_turns([smooth]), "keywords", None) == {"autocorrelation": 0.76}
