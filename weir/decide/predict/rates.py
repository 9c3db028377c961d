"""The rate of a pattern that was not measured, from cells that are like it, with the range of one run.

The nearest cell of the same interface, layout, order and kind of call gives the rate; the curve of the rate
over the transfer size carries it to the transfers of the phase. How wrong that is, is not assumed: each cell
is predicted from the others in the same way, as far as these differ in what the phase differs in.
"""

import itertools
import statistics
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum, log, log2, sqrt

from weir.records.model import Row, grouped
from weir.statistics.inference import MEDIAN_ERROR, Effect, Mean, t_quantile, variance_of

LEVEL = 0.9  # share of runs within the range
UNTESTED = log(1.5) ** 2, 10.0  # variance of a step that no other cells test, and its degrees: assumed
CLEARLY_LARGER = 2.5  # variance of six runs over that of all: rarer than one in twenty by chance
LEAST_STEP = log(1.05) ** 2
FEWEST_TESTS = 3
OF_MEDIAN = MEDIAN_ERROR**2  # variance of a median over that of a mean
# A phase is plain: one call after the other, each offset once, ends in the storage, begins outside of memory.
PLAIN: Mapping[str, tuple[object, ...]] = {
    "sync": (None, True),
    "direct": (None, False),
    "iodepth": (None, 1),
    "rate": (None, 0),
    "rw_mix": (None, 0),
    "zipf": (None, 0),
}


@dataclass(frozen=True)
class RatePoint:
    """A cell and access, or what is looked for (logs empty). group: interface, layout, order, collective."""

    group: tuple[object, ...]
    nodes: int
    ppn: int
    xfer_bytes: int
    held_bytes: int  # of one process
    cell: str = ""
    logs: tuple[float, ...] = ()  # of the rate of each run

    @property
    def middle(self) -> float:
        return statistics.median(self.logs)

    def is_like(self, other: "RatePoint") -> bool:
        """Whether nothing but chance is between them."""
        return replace(self, cell="", logs=()) == replace(other, cell="", logs=())


@dataclass(frozen=True)
class Rate:
    """The logarithm of a rate, by the nearest cell. Each part adds a variance, of some degrees of freedom:
    the first is that of one run, the second that of the median of the cell."""

    value: float
    cell: RatePoint
    parts: tuple[tuple[float, float], ...]

    def interval(self) -> tuple[float, float]:
        """The interval in which nine of ten runs lie."""
        within = fsum(variance for variance, _ in self.parts)
        if within == 0:
            return self.value, self.value
        degrees = within**2 / fsum(variance**2 / freedom for variance, freedom in self.parts)
        half = t_quantile(max(degrees, 1.0), (1 + LEVEL) / 2) * sqrt(within)
        return self.value - half, self.value + half

    def now(self, ratio: float, measured: Mean, spread: tuple[float, float]) -> "Rate":
        """Adjust the rate by its cell measured again. ratio: logarithm of its rate now over that then;
        spread: variance of one run now, and its degrees."""
        runs, _, *steps = self.parts
        parts = (max(runs, spread), (measured.variance, measured.degrees), *steps)
        return replace(self, value=self.value + ratio, parts=parts)

    def changed(self, ratio: Effect, spread: tuple[float, float]) -> "Rate":
        """Adjust the rate by other cells measured again. ratio: their rates now to those then."""
        runs, *others = self.parts
        parts = (max(runs, spread), *others, (ratio.variance, ratio.degrees))
        return replace(self, value=self.value + ratio.log_ratio, parts=parts)


def points_of(rows: Iterable[Row], held_bytes: int | None = None) -> list[RatePoint]:
    """Cells whose runs tell a rate. rows: of one target and access.

    held_bytes: of a process; the rate is that of so many, with the time to open and close."""
    cells: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        known = row["bw_mib_s"] and row["xfer_bytes"] and row["nn"] and row["ppn"]
        if known and not unlike(row) and row["purpose"] == "bandwidth":
            cells[row["cell"]].append(row)
    return [_point(cell, each, held_bytes) for cell, each in cells.items()]


def unlike(row: Row) -> dict[str, object]:
    """The columns in which the cell is not plain, with their values."""
    return {name: row[name] for name, values in PLAIN.items() if row.get(name) not in values}


def group_of(row: Row) -> tuple[object, ...]:
    return row["api"], row["layout"], row["order"], bool(row["collective"])


def _point(cell: str, rows: Sequence[Row], held_bytes: int | None) -> RatePoint:
    """A run is one value, the median of its iterations."""
    first = rows[0]
    own_bytes = (first["block_bytes"] or first["xfer_bytes"]) * (first["segments"] or 1)
    runs = grouped((row["run"], log_rate(row, (held_bytes or own_bytes) / own_bytes)) for row in rows)
    return RatePoint(
        group_of(first),
        first["nn"],
        first["ppn"],
        first["xfer_bytes"],
        own_bytes,
        cell,
        tuple(statistics.median(each) for each in runs.values()),
    )


def log_rate(row: Row, share: float) -> float:
    """Logarithm of the rate for this share of the bytes: opening and closing take as long as for all."""
    total_s, fixed_s = row.get("total_s") or 0.0, (row.get("open_s") or 0.0) + (row.get("close_s") or 0.0)
    if not 0 < fixed_s < total_s:
        return log(row["bw_mib_s"])
    return log(row["bw_mib_s"]) + log(share * total_s / (fixed_s + share * (total_s - fixed_s)))


def rate_of(points: Sequence[RatePoint], wanted: RatePoint) -> Rate | None:
    """The rate at a point; None where no cell has its group."""
    nearest = _nearest(points, wanted)
    if nearest is None:
        return None
    runs, degrees = _of_runs(points, nearest)
    parts = [(runs, degrees), (runs * OF_MEDIAN / len(nearest.logs), degrees)]
    if not nearest.is_like(wanted):
        parts += _of_steps(points, nearest, wanted, runs)
    return Rate(_value(points, nearest, wanted), nearest, tuple(parts))


def _nearest(points: Iterable[RatePoint], wanted: RatePoint) -> RatePoint | None:
    alike = [one for one in points if one.group == wanted.group]
    return min(alike, key=lambda one: _distance(one, wanted), default=None)


def _distance(one: RatePoint, wanted: RatePoint) -> tuple[float, float, float]:
    """Sort key: factor in processes, then in transfer size, then in bytes per process."""
    return (
        abs(log2(one.nodes / wanted.nodes)) + abs(log2(one.ppn / wanted.ppn)),
        abs(log2(one.xfer_bytes / wanted.xfer_bytes)),
        abs(log2(one.held_bytes / wanted.held_bytes)),
    )


def _value(points: Sequence[RatePoint], nearest: RatePoint, wanted: RatePoint) -> float:
    curve = _curve(points, nearest, wanted)
    step = _at(curve, wanted.xfer_bytes) - _at(curve, nearest.xfer_bytes) if curve else 0.0
    return nearest.middle + step


def _curve(points: Sequence[RatePoint], nearest: RatePoint, wanted: RatePoint) -> list[tuple[float, float]]:
    """Logarithm of the rate over that of the transfer size: of the group itself if its cells are around the
    phase, else of the one that covers most of the step; empty where the transfers do not differ."""
    if nearest.xfer_bytes == wanted.xfer_bytes:
        return []
    lines: dict[tuple[object, ...], dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for one in points:
        lines[one.group, one.nodes, one.ppn][one.xfer_bytes].append(one.middle)
    low, high = sorted((nearest.xfer_bytes, wanted.xfer_bytes))

    def worth(key: tuple[object, ...]) -> tuple[float, bool, int]:
        sizes = lines[key].keys()
        covered = log2(max(min(high, max(sizes)), low) / min(max(low, min(sizes)), high))
        return max(covered, 0.0), key[0] == wanted.group, len(sizes)

    best = max(lines, key=worth)
    return [(log2(size), statistics.fmean(values)) for size, values in sorted(lines[best].items())]


def _at(curve: Sequence[tuple[float, float]], xfer_bytes: int) -> float:
    """Linear between two cells, level beyond the last one."""
    size = log2(xfer_bytes)
    if size <= curve[0][0]:
        return curve[0][1]
    for (left, low), (right, high) in itertools.pairwise(curve):
        if size <= right:
            return low + (high - low) * (size - left) / (right - left)
    return curve[-1][1]


def _of_runs(points: Iterable[RatePoint], nearest: RatePoint) -> tuple[float, float]:
    """Variance of one run and its degrees: of all cells, or of the cell where it is clearly larger."""
    pooled = pooled_spread([one.logs for one in points])
    if pooled is None:
        return UNTESTED
    own = variance_of(nearest.logs) if len(nearest.logs) > 1 else 0.0
    return (own, len(nearest.logs) - 1.0) if own > CLEARLY_LARGER * pooled[0] else pooled


def pooled_spread(cells: Iterable[Sequence[float]]) -> tuple[float, float] | None:
    """Variance within cells, and its degrees of freedom."""
    spreads = [(variance_of(logs), len(logs) - 1.0) for logs in cells if len(logs) > 1]
    degrees = fsum(count for _, count in spreads)
    return (fsum(spread * count for spread, count in spreads) / degrees, degrees) if spreads else None


_PROCESSES, _BEYOND, _TRANSFERS = "processes", "beyond", "transfers"  # beyond: those of all cells
Test = tuple[
    frozenset[str], RatePoint, RatePoint, Sequence[RatePoint], float
]  # step, its ends, the cells, squared error


def _step(points: Iterable[RatePoint], nearest: RatePoint, wanted: RatePoint) -> frozenset[str]:
    """The differences between the nearest cell and the wanted point."""
    differs = {
        _PROCESSES: (nearest.nodes, nearest.ppn) != (wanted.nodes, wanted.ppn),
        _BEYOND: _octaves_beyond(points, wanted) != 0,
        _TRANSFERS: nearest.xfer_bytes != wanted.xfer_bytes,
    }
    return frozenset(name for name, is_other in differs.items() if is_other)


def _octaves_beyond(points: Iterable[RatePoint], wanted: RatePoint) -> float:
    """The distance of the transfers above those of all cells; negative: below."""
    sizes = [one.xfer_bytes for one in points]
    return max(log2(wanted.xfer_bytes / max(sizes)), 0.0) + min(log2(wanted.xfer_bytes / min(sizes)), 0.0)


def _of_steps(
    points: Sequence[RatePoint], nearest: RatePoint, wanted: RatePoint, runs: float
) -> Iterator[tuple[float, float]]:
    """The variance of each difference of the nearest cell, with its degrees, by cells that are predicted from
    others that differ so. The error of other numbers of processes, and of transfers beyond all cells, grows
    with the distance: no step between measured transfers tells of it."""
    step, beyond = _step(points, nearest, wanted), _octaves_beyond(points, wanted)
    if _PROCESSES in step:
        tests = _tests(points, runs, lambda one: (one.nodes, one.ppn))
        errors = [
            square / _distance(start, end)[0] ** 2
            for tested, start, end, _, square in tests
            if _PROCESSES in tested
        ]
        yield _of_errors(errors, _distance(nearest, wanted)[0])
    if _BEYOND in step:
        found = [
            (square, _octaves_beyond(others, end))
            for _, _, end, others, square in _tests(points, runs, lambda one: one.xfer_bytes)
        ]
        yield _of_errors([square / away**2 for square, away in found if away * beyond > 0], beyond)
    if _TRANSFERS in step or not step:
        of_cells = [(tested, square) for tested, *_, square in _tests(points, runs, lambda one: one.cell)]
        for chosen in (step & {_TRANSFERS}, {_TRANSFERS}, {_PROCESSES, _BEYOND, _TRANSFERS}):
            squares = [square for tested, square in of_cells if tested <= chosen]
            if len(squares) >= FEWEST_TESTS:
                yield max(fsum(squares) / len(squares), LEAST_STEP), float(len(squares))
                return
        yield UNTESTED


def _of_errors(errors: Sequence[float], octaves: float) -> tuple[float, float]:
    """errors: squared, over an octave."""
    variance, degrees = UNTESTED
    if len(errors) >= FEWEST_TESTS:
        variance, degrees = fsum(errors) / len(errors), float(len(errors))
    return max(variance * octaves**2, LEAST_STEP), degrees


def _tests(
    points: Sequence[RatePoint], runs: float, told_by: Callable[[RatePoint], object]
) -> Iterator[Test]:
    """Each cell, predicted from those that told_by tells from it, with its error but for what the variance of
    the runs explains."""
    for one in points:
        others = [other for other in points if told_by(other) != told_by(one)]
        start = _nearest(others, one)
        if start is not None:
            error = one.middle - _value(others, start, one)
            explained = runs * OF_MEDIAN * (1 / len(one.logs) + 1 / len(start.logs))
            yield _step(others, start, one), start, one, others, error**2 - explained
