"""Predicted times of the phases of an application on a target, beside measured ones, with intervals;
as text and as data."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import exp
from statistics import median
from typing import Any

from weir.audit.judge import USABLE
from weir.base.units import counted, format_size, signed_percent, three_digits
from weir.decide.predict.application import Application, IoPhase
from weir.decide.predict.rates import Rate, RatePoint, group_of, points_of, rate_of, unlike
from weir.records.model import Row, grouped

_MIB = 2**20
WIDEST = 10.0  # high over low: beyond it nobody can plan with the time


@dataclass(frozen=True)
class Times:
    """Times in seconds. Measured: minimum and maximum of the runs; predicted: nine of ten runs lie
    between."""

    median_s: float
    low_s: float
    high_s: float
    runs: int


@dataclass(frozen=True)
class Forecast:
    """One phase. far: how the nearest cell differs from it; measured: None without such records.

    tested: IOR with the parameters of the phase, measured to test this prediction.
    """

    phase: IoPhase
    moved_bytes: int
    rate: Rate | None
    label: str
    far: tuple[str, ...]
    measured: Times | None
    tested: Times | None = None
    emulated: bool = False  # the storage of its target

    @property
    def cell(self) -> str:
        return self.rate.cell.cell if self.rate else ""

    @property
    def is_too_wide(self) -> bool:
        """Runs of the cells behind it differ too much."""
        return self.predicted is not None and self.predicted.high_s > WIDEST * self.predicted.low_s

    @property
    def predicted(self) -> Times | None:
        if self.rate is None:
            return None
        low, high = self.rate.interval()
        middle_s, low_s, high_s = (self.moved_bytes / _MIB / exp(one) for one in (self.rate.value, high, low))
        return Times(middle_s, low_s, high_s, len(self.rate.cell.logs))


def forecasts(
    application: Application, rows: Sequence[Row], target: str, trial: Sequence[Row] = ()
) -> list[Forecast]:
    """Forecasts from the records of one target. trial: records of IOR with the parameters of the phases."""
    here, tried = ([row for row in each if row["target"] == target] for each in (rows, trial))
    return [_forecast(application, phase, here, tried) for phase in application.phases]


def whole(found: Iterable[Forecast], side: str) -> Times | None:
    """All phases with the compute time between; None if one is unknown. Minima and maxima are added up."""
    phases = list(found)
    times = [getattr(one, side) for one in phases]
    if not times or None in times:
        return None
    compute_s = sum(one.phase.compute_s * one.phase.repeat for one in phases)
    middle, low, high = (
        sum(getattr(each, end) for each in times) + compute_s for end in ("median_s", "low_s", "high_s")
    )
    return Times(middle, low, high, min(each.runs for each in times))


def error(predicted: Times, measured: Times) -> tuple[float, float, float]:
    """Predicted / measured - 1; its range follows from both ranges."""
    return (
        predicted.median_s / measured.median_s - 1,
        predicted.low_s / measured.high_s - 1,
        predicted.high_s / measured.low_s - 1,
    )


def _forecast(
    application: Application, phase: IoPhase, rows: Sequence[Row], trial: Sequence[Row]
) -> Forecast:
    usable, tried = ([row for row in each if row["verdict"] in USABLE] for each in (rows, trial))
    fitting = (row for row in usable if _may_predict(application, phase, row))
    rate = rate_of(points_of(fitting, phase.size_bytes), _wanted(application, phase))
    return Forecast(
        phase,
        _moved_bytes(application, phase),
        rate,
        next((row["label"] or "" for row in usable if rate and row["cell"] == rate.cell.cell), ""),
        tuple(_far(application, phase, rate.cell)) if rate else (_why_none(application, phase, rows),),
        _times(_own(application, phase, usable), lambda row: row["total_s"] or row["io_s"]),
        _tested(application, phase, tried),
        emulated=any(row.get("emulated") for row in rows),
    )


def _why_none(application: Application, phase: IoPhase, rows: Sequence[Row]) -> str:
    """Cells that would fit, but for their verdict; or that there is none."""
    wanted = _wanted(application, phase)
    fitting = [row for row in rows if _may_predict(application, phase, row)]
    cells = {one.cell for one in points_of(fitting, phase.size_bytes) if one.group == wanted.group}
    if not cells:
        return _not_plain([row for row in fitting if group_of(row) == wanted.group])
    reasons = Counter(row["reasons"] or row["verdict"] for row in fitting if row["cell"] in cells)
    most = [(reason.replace(";", ", "), counted(count, "record")) for reason, count in reasons.most_common(2)]
    why = ", ".join(f"{reason} ({records})" for reason, records in most)
    many = f"{len(cells)} cells have" if len(cells) > 1 else "1 cell has"
    return f"{many} its interface, layout and order, and no usable record: {why}"


def _not_plain(rows: Sequence[Row]) -> str:
    """Names the settings by which cells with its interface, layout and order cannot predict it."""
    cells = {row["cell"] for row in rows}
    values = dict.fromkeys(
        f"{name} is {str(value).lower()}" for row in rows for name, value in unlike(row).items()
    )
    if not cells or not values:
        return "no cell with its interface, layout and order"
    many = f"{len(cells)} cells have" if len(cells) > 1 else "1 cell has"
    return f"{many} its interface, layout and order, and cannot predict it: {', '.join(values)}"


def _moved_bytes(application: Application, phase: IoPhase) -> int:
    return phase.size_bytes * phase.repeat * application.nodes * application.ppn


def _tested(application: Application, phase: IoPhase, rows: Sequence[Row]) -> Times | None:
    wanted = _wanted(application, phase)
    fitting = [
        one
        for one in points_of(row for row in rows if row["access"] == phase.access)
        if (one.group, one.xfer_bytes) == (wanted.group, wanted.xfer_bytes)
        and one.held_bytes >= wanted.held_bytes
    ]
    if not fitting:
        return None
    logs = min(fitting, key=lambda one: one.held_bytes).logs
    seconds = [_moved_bytes(application, phase) / _MIB / exp(one) for one in logs]
    return Times(median(seconds), min(seconds), max(seconds), len(seconds))


def _may_predict(application: Application, phase: IoPhase, row: Row) -> bool:
    """Never a cell of the application itself."""
    return bool(row["access"] == phase.access and row["experiment"] != application.name)


def _wanted(application: Application, phase: IoPhase) -> RatePoint:
    group = (phase.api, phase.layout, phase.order, phase.collective)
    return RatePoint(group, application.nodes, application.ppn, phase.xfer_bytes, phase.size_bytes)


def _own(application: Application, phase: IoPhase, rows: Sequence[Row]) -> list[Row]:
    """Records with a time of the phase in the application itself, on as many nodes and processes."""
    wanted = (application.name, phase.measured_as, application.nodes, application.ppn)
    return [
        row
        for row in rows
        if (row["experiment"], row["access"], row["nn"], row["ppn"]) == wanted
        and (row["total_s"] or row["io_s"])
    ]


def _far(application: Application, phase: IoPhase, cell: RatePoint) -> Iterable[str]:
    if (cell.nodes, cell.ppn) != (application.nodes, application.ppn):
        yield f"{cell.nodes}x{cell.ppn} processes instead of {application.nodes}x{application.ppn}"
    if cell.xfer_bytes != phase.xfer_bytes:
        yield f"transfers of {format_size(cell.xfer_bytes)} instead of {format_size(phase.xfer_bytes)}"


def _times(rows: Sequence[Row], seconds: Callable[[Row], float]) -> Times | None:
    """A run is one value, the median of its iterations."""
    runs = grouped(((row["cell"], row["run"] or 0), seconds(row)) for row in rows)
    values = [median(each) for each in runs.values()]
    return Times(median(values), min(values), max(values), len(values)) if values else None


def shown_target(target: str, each: Iterable[Forecast]) -> str:
    """The name of a target as every text has it, with the mark of emulated storage."""
    return f"{target} (E)" if any(one.emulated for one in each) else target


def lines_of(application: Application, found: Mapping[str, Sequence[Forecast]]) -> Iterator[str]:
    times = (
        f"{shown_target(target, each)} {_words(whole(each, 'predicted'))}" for target, each in found.items()
    )
    yield f"{application.name}: {', '.join(times)}"
    yield from [application.description] if application.description else []
    for target, each in found.items():
        yield ""
        yield shown_target(target, each)
        yield f"  {'phase':<10}{'predicted':<28}{'measured':<28}error"
        for one in each:
            yield _line(one.phase.name, one.predicted, one.measured)
            yield from (f"    nearest cell: {far}" for far in one.far)
        yield _line("all", whole(each, "predicted"), whole(each, "measured"))
        yield from _test_lines(each)
    yield ""
    yield "in brackets: predicted, nine of ten runs; measured, all runs; range of the error: from both"


def _test_lines(each: Sequence[Forecast]) -> Iterator[str]:
    """The results of the test of the prediction: cells with the parameters of the phases."""
    tested = [one for one in each if one.tested]
    if not tested:
        return
    yield f"  {'tested':<10}{'predicted':<28}{'measured now':<28}error"
    for one in tested:
        yield _line(one.phase.name, one.predicted, one.tested)
    yield _line("all", whole(each, "predicted"), whole(each, "tested"))


def _line(name: str, predicted: Times | None, measured: Times | None) -> str:
    line = f"  {name:<10}{_words(predicted):<28}{_words(measured):<28}"
    if predicted is None or measured is None:
        return line.rstrip()
    return line + "{} ({} to {})".format(*map(signed_percent, error(predicted, measured)))


def _words(times: Times | None) -> str:
    if times is None:
        return "unknown"
    return "{} s ({}-{})".format(*map(three_digits, (times.median_s, times.low_s, times.high_s)))


def facts_of(one: Forecast) -> dict[str, Any]:
    return {
        "phase": one.phase.name,
        "emulated": one.emulated,
        "predicted": vars(one.predicted) if one.predicted else None,
        "measured": vars(one.measured) if one.measured else None,
        "error": error(one.predicted, one.measured) if one.predicted and one.measured else None,
        "tested": vars(one.tested) if one.tested else None,
        "error_of_test": error(one.predicted, one.tested) if one.predicted and one.tested else None,
        "cell": one.cell,
        "label": one.label,
        "far": list(one.far),
    }
