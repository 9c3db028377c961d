"""Reference values for ReFrame: the lower bound per cell and access."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import exp

import numpy as np

from weir.decide.history.band import band_of
from weir.decide.history.regimes import FEWEST_POINTS, regimes_of
from weir.decide.history.series import from_campaigns
from weir.records.metrics import metric_named
from weir.terms.model import Row

Bound = dict[str, float | str | int]


def reference_bounds(campaigns: Iterable[Sequence[Row]]) -> list[Bound]:
    """Bounds of the cells with ten campaigns at their present level; other cells have none."""
    bounds: list[Bound] = []
    every = from_campaigns(campaigns, metric_named("bandwidth"), lambda row: f"{row['cell']} {row['access']}")
    for series in every:
        if len(series) < FEWEST_POINTS:
            continue
        start = regimes_of(series)[-1].start
        # The band of the next point, which includes the newest one.
        later = np.append(series.times, series.times[-1] + 1)
        band = band_of(type(series)(series.name, later, np.append(series.logs, series.logs[-1])), start)
        if band is not None:
            cell, _, access = series.name.partition(" ")
            level = exp(float(np.median(series.logs[start:])))
            bounds.append(
                {"cell": cell, "access": access, "median": level, "low": band.low, "campaigns": band.points}
            )
    return bounds
