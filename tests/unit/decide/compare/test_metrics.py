"""Metrics: the same files for commands and figures."""

from __future__ import annotations

import math

import pytest

from weir.base.errors import WeirError
from weir.records.metrics import metric_named, metric_names

ROW = {"moved_bytes": 3 * 2**20, "io_s": 2.0, "bw_mib_s": 1.0, "total_s": 3.0, "ops_s": 7.0}


def test_the_first_formula_above_zero_counts() -> None:
    """As in the analysis: test-points.R."""
    rate, transfers = metric_named("rate"), metric_named("bandwidth-io")
    assert rate.of(ROW) == 1.0
    assert rate.of(ROW | {"bw_mib_s": None}) == rate.of(ROW | {"bw_mib_s": 0.0}) == 7.0
    assert rate.of({}) is None
    assert transfers.of(ROW) == transfers.of(ROW | {"moved_bytes": None}) == 1.5
    assert transfers.of(ROW | {"io_s": 0.0}) is None


@pytest.mark.parametrize("name", metric_names())
def test_every_metric_has_a_unit_and_a_number(name: str) -> None:
    metric = metric_named(name)
    row = ROW | {"lat_p50_us": 5.0, "lat_p99_us": 9.0}
    assert metric.unit
    assert math.isfinite(metric.of(row) or math.nan)
    assert not (metric.higher_is_better and name.startswith("p"))


def test_an_unknown_metric_is_an_error_with_a_hint() -> None:
    with pytest.raises(WeirError, match="there is no metric 'p98'"):
        metric_named("p98")
