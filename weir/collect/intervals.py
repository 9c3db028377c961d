"""The intervals of the medians of a study.

intervals.csv has between which runs the interval of a median lies, for the autocorrelation of a study. The
analysis reads it: a report has the interval by which weir run adds rounds and weir accept decides. `python -m
weir.collect.intervals OUT [RECORDS]` writes those of some records, or for too few to estimate it.
"""

import csv
import statistics
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from weir.audit.judge import USABLE
from weir.collect.judged import collect_cell
from weir.collect.parsed_runs import finished_runs
from weir.collect.table import write_whole
from weir.records.model import Cell, Row
from weir.runs.files import RUN_FILE
from weir.statistics.median import (
    ASSUMED,
    FEWEST_PRINTED,
    STOPPING,
    all_ranks,
    autocorrelation_of_sides,
    half_width,
)

INTERVALS_FILE = "intervals.csv"
MOST_RUNS = 400  # with more runs the half-width in ranks grows with the root of their number
_HEADER = "rounds,autocorrelation,n,k,share,level\n"
_TEXTS = ("cell", "access", "item", "verdict")
_NUMBERS = ("run", "bw_mib_s", "ops_s")


def write_intervals(records: Path) -> None:
    """Writes the table of intervals beside the records of a study."""
    rows = list(_few_columns(records))
    most = min(max(len(rows), FEWEST_PRINTED), MOST_RUNS)
    write_whole(records.with_name(INTERVALS_FILE), intervals_text(autocorrelation_of_rows(rows), most))


def intervals_text(autocorrelation: float, most: int = MOST_RUNS) -> str:
    """The table for fixed rounds, and for rounds that were added until the interval was narrow."""
    assumed = {"fixed": autocorrelation, "added": max(autocorrelation, STOPPING)}
    return _HEADER + "".join(
        f"{rounds},{alike!r},{count},{ranks.k},{ranks.share!r},{ranks.level!r}\n"
        for rounds, alike in assumed.items()
        for count, ranks in all_ranks(most, alike)
    )


def autocorrelation_of_rows(rows: Iterable[Row]) -> float:
    """The autocorrelation of consecutive runs of a cell, over all cells of a study."""
    known = (row for row in rows if row.get("run") not in (None, "") and row.get("cell"))
    series = _medians_of_runs(known, ("cell", "access", "item"))
    return autocorrelation_of_sides([each[run] for run in sorted(each)] for each in series)


def _medians_of_runs(rows: Iterable[Row], names: Sequence[str]) -> list[dict[int, float]]:
    """The rates of usable records by run, for each set of these columns. The iterations of a run are one
    value, their median."""
    runs: dict[tuple[object, ...], dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        value = row.get("bw_mib_s") if row.get("bw_mib_s") not in (None, "") else row.get("ops_s")
        if row["verdict"] in USABLE and value not in (None, ""):
            runs[tuple(row.get(name) for name in names)][row["run"]].append(value)
    return [{run: statistics.median(each) for run, each in series.items()} for series in runs.values()]


def _few_columns(path: Path) -> Iterator[Row]:
    """The rate and the columns that tell runs apart, of a hundred columns."""
    with path.open(encoding="utf-8", newline="") as stream:
        reader = csv.reader(stream)
        header = next(reader)
        places = [(name, header.index(name)) for name in (*_TEXTS, *_NUMBERS) if name in header]
        for fields in reader:
            row: Row = {name: fields[place] for name, place in places}
            yield row | {name: float(row[name]) for name in _NUMBERS if row.get(name)}


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
    """The widest interval among the accesses in the rows of one cell."""
    series = _medians_of_runs(rows, ("access", "item"))
    return max((half_width(list(each.values())) for each in series), default=None)


if __name__ == "__main__":
    out, *records = map(Path, sys.argv[1:])
    alike = autocorrelation_of_rows(_few_columns(records[0])) if records else ASSUMED
    out.write_text(intervals_text(alike), encoding="utf-8")
