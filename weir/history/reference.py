"""Reference values for ReFrame: the lower bound per cell and access."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Iterable, Sequence
from math import exp

import numpy as np

from weir.compare.pairs import METRICS, RESERVED
from weir.history.band import band_of
from weir.history.regimes import FEWEST_POINTS, regimes_of
from weir.history.series import make_series, seconds_of
from weir.model import Row

Bound = dict[str, float | str | int]
_UNUSED = ("INVALID", RESERVED)


def reference_bounds(campaigns: Iterable[Sequence[Row]]) -> list[Bound]:
    """Bounds of the cells with ten campaigns at their present level; other cells have none."""
    points: dict[str, list[tuple[float, float]]] = defaultdict(list)
    rate = METRICS["bandwidth"]
    for rows in campaigns:
        values: dict[str, list[tuple[float, float]]] = defaultdict(list)
        for row in rows:
            value = rate.of(row)
            if value is not None and row["verdict"] not in _UNUSED:
                values[f"{row['cell']} {row['access']}"].append((seconds_of(row), value))
        for name, found in values.items():
            time = min(time for time, _ in found)
            points[name].append((time, statistics.median(value for _, value in found)))
    bounds: list[Bound] = []
    for series in make_series(points):
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
