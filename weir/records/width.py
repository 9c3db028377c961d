"""Width of the interval of a cell's median, while measuring: the interval of analysis/R/statistics.R.

Its ends are order statistics of the runs, at a level that allows for autocorrelated runs and for rounds that
end when the interval is narrow. Below 95 % there is no width: too few runs show nothing, however close they
are.
"""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path

from weir.audit.judge import USABLE
from weir.model import Cell, Row
from weir.records.collect import collect_cell, finished_runs
from weir.runfiles import RUN_FILE

LEVEL = 0.95
# Of neighbouring runs, as analysis/R/statistics.R takes it where rounds were added: more than elsewhere,
# because rounds end where the interval is narrow by chance
# (docs/decisions/0017-intervals-after-added-rounds.md).
STOPPING_AUTOCORRELATION = 0.48


def width_meter(results: Path) -> Callable[[Cell], float | None]:
    """Measures cells; a cell is parsed again when it has a new run.

    The half-width of the widest interval of its accesses over the median; infinite while the runs are too few
    for 95 %, None if none of them is usable.
    """
    known: dict[str, tuple[int, float | None]] = {}

    def width_of(cell: Cell) -> float | None:
        folder = results / "runs" / cell.cell
        count = sum(file.parent.name.isdigit() for file in folder.glob(f"*/{RUN_FILE}"))
        if known.get(cell.cell, (-1,))[0] != count:
            known[cell.cell] = (count, widest(collect_cell(cell, finished_runs(folder), results)))
        return known[cell.cell][1]

    return width_of


def widest(rows: Iterable[Row]) -> float | None:
    """Of the accesses in the rows of one cell. The iterations of a run are one value, their median."""
    runs: dict[tuple[str, str | None], dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        value = row.get("bw_mib_s") if row.get("bw_mib_s") is not None else row.get("ops_s")
        if row["verdict"] in USABLE and value is not None:
            runs[row["access"], row.get("item")][row["run"]].append(value)
    medians = [[statistics.median(each) for each in series.values()] for series in runs.values()]
    return max((half_width(values) for values in medians), default=None)


def half_width(values: Sequence[float], autocorrelation: float = STOPPING_AUTOCORRELATION) -> float:
    """Of the 95 % interval of the median, as a part of the median; infinite where there is none."""
    ends = median_interval(values, autocorrelation)
    middle = statistics.median(values)
    return math.inf if ends is None or middle == 0 else (ends[1] - ends[0]) / 2 / middle


def median_interval(
    values: Sequence[float], autocorrelation: float = STOPPING_AUTOCORRELATION
) -> tuple[float, float] | None:
    """Its two ends; None where the runs are too few for 95 %."""
    ranks = interval_ranks(len(values), autocorrelation)
    if ranks is None:
        return None
    k, share = ranks
    ordered = sorted(values)
    low = (1 - share) * ordered[k - 1] + share * ordered[k]
    return low, (1 - share) * ordered[-k] + share * ordered[-k - 1]


@cache
def interval_ranks(count: int, autocorrelation: float = STOPPING_AUTOCORRELATION) -> tuple[int, float] | None:
    """The ends are between the k-th and the next value from either side, at `share` of the distance.

    After Hettmansperger and Sheather; None where even the extremes do not reach the level."""
    sides = _side_counts(count, round(2 / math.pi * math.asin(autocorrelation), 2))
    levels = [sum(sides[k : count - k + 1]) for k in range(1, count // 2 + 1)]
    k = sum(level >= LEVEL for level in levels)
    if k == 0:
        return None
    if k == len(levels):
        return k, 0.0
    inner = (levels[k - 1] - LEVEL) / (levels[k - 1] - levels[k])
    return k, (count - k) * inner / (k + (count - 2 * k) * inner)


def _side_counts(count: int, correlation: float) -> list[float]:
    """Probability that 0 to `count` consecutive values lie below their median: a chain of two states."""
    if count < 1:
        return [1.0]
    stay = (1 + correlation) / 2
    below = [0.0, 0.5] + [0.0] * (count - 1)
    above = [0.5] + [0.0] * count
    for _ in range(count - 1):
        pairs = list(zip(below, above, strict=True))
        below = [0.0, *(stay * low + (1 - stay) * high for low, high in pairs[:-1])]
        above = [stay * high + (1 - stay) * low for low, high in pairs]
    return [low + high for low, high in zip(below, above, strict=True)]
