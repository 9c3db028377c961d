"""The interval that decides while measuring is the one that the report prints."""

from __future__ import annotations

import math
from typing import Any

import pytest

from weir.records.width import half_width, interval_ranks, widest

# From analysis/tests/testthat/test-drift.R, which has the same numbers.
RANKS = {8: (1, 0.531531), 9: (1, 0.818979), 10: (1, 0.949788), 20: (5, 0.189545)}


@pytest.mark.parametrize("count", RANKS)
def test_the_ends_are_those_of_the_analysis(count: int) -> None:
    assert interval_ranks(count) == pytest.approx(RANKS[count], abs=1e-5)


def test_of_fewer_than_eight_runs_nothing_is_known() -> None:
    assert [half_width([100.0] * count) for count in (1, 2, 7, 8)] == [math.inf, math.inf, math.inf, 0.0]
    assert half_width([float(value) for value in range(100, 108)]) == pytest.approx(0.02868086)


def row(run: int, value: float | None, **other: Any) -> dict[str, Any]:
    return {"run": run, "access": "write", "verdict": "VALID", "bw_mib_s": value} | other


def test_a_cell_is_as_wide_as_its_widest_access() -> None:
    writes = [row(run, 100.0) for run in range(8)]
    reads = [row(run, 100.0 + 10 * run, access="read") for run in range(8)]
    assert widest(writes) == 0.0
    assert widest([*writes, *reads]) == half_width([100.0 + 10 * run for run in range(8)])


def test_iterations_of_a_run_are_one_value_and_unusable_rows_none() -> None:
    rows = [row(run, 100.0 + each) for run in range(3) for each in (-5, 0, 5)]
    assert widest(rows) == math.inf
    assert widest([row(run, 1.0, verdict="DEGRADED") for run in range(9)]) is None
    assert widest([row(run, None, ops_s=50.0, access="create", item="file") for run in range(9)]) == 0.0
