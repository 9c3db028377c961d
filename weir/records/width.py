"""Width of the interval of a cell's median, while measuring: that of the report (intervals.py).

Its ends are order statistics of the runs, at a level that allows for autocorrelated runs and for rounds that
end when the interval is narrow. Below 95 % there is no width: too few runs show nothing, however close they
are.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path

from weir.audit.judge import USABLE
from weir.inference import half_width
from weir.model import Cell, Row
from weir.records.collect import finished_runs
from weir.records.judged import collect_cell
from weir.runfiles import RUN_FILE


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
