"""The interval that decides while measuring is the one that the report prints."""

import csv
import math
from pathlib import Path
from typing import Any

import pytest

from weir.collect.intervals import widest
from weir.statistics.median import half_width, interval_ranks, median_interval

# analysis/tests/testthat/test-drift.R reads it, too.
TABLE = Path(__file__).resolve().parents[2] / "golden/intervals.csv"
CASES = list(csv.DictReader(TABLE.read_text().splitlines()))


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['autocorrelation']}-{case['count']}")
def test_the_interval_is_that_of_the_analysis(case: dict[str, str]) -> None:
    values = [float(text) for text in case["values"].split()]
    autocorrelation, count = float(case["autocorrelation"]), int(case["count"])
    assert len(values) == count
    found = interval_ranks(count, autocorrelation), median_interval(values, autocorrelation)
    if not case["k"]:
        assert found == (None, None)
    else:
        assert found[0] == pytest.approx((int(case["k"]), float(case["share"])), abs=1e-5)
        assert found[1] == pytest.approx((float(case["low"]), float(case["high"])), abs=1e-4)


def test_of_fewer_than_nine_runs_nothing_is_known() -> None:
    assert [half_width([100.0] * count) for count in (1, 2, 8, 9)] == [math.inf, math.inf, math.inf, 0.0]
    # Nine values from 100 to 108, between the first and the second from either end.
    assert half_width([float(value) for value in range(100, 109)]) == pytest.approx((4 - 0.324693) / 104)


def row(run: int, value: float | None, **other: Any) -> dict[str, Any]:
    return {"run": run, "access": "write", "verdict": "VALID", "bw_mib_s": value} | other


def test_a_cell_is_as_wide_as_its_widest_access() -> None:
    writes = [row(run, 100.0) for run in range(9)]
    reads = [row(run, 100.0 + 10 * run, access="read") for run in range(9)]
    assert widest(writes) == 0.0
    assert widest([*writes, *reads]) == half_width([100.0 + 10 * run for run in range(9)])


def test_iterations_of_a_run_are_one_value_and_unusable_rows_none() -> None:
    rows = [row(run, 100.0 + each) for run in range(3) for each in (-5, 0, 5)]
    assert widest(rows) == math.inf
    assert widest([row(run, 1.0, verdict="DEGRADED") for run in range(9)]) is None
    assert widest([row(run, None, ops_s=50.0, access="create", item="file") for run in range(9)]) == 0.0
