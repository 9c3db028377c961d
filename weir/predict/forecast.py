"""Predicted times of the phases of an application on a target, beside measured ones, with intervals."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import log2
from statistics import median

from weir.audit.judge import USABLE
from weir.model import Row
from weir.predict.application import Application, IoPhase
from weir.units import format_size

_MIB = 2**20


@dataclass(frozen=True)
class Times:
    """Times over the runs in seconds: median, minimum and maximum."""

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
    predicted: Times | None
    cell: str
    label: str
    far: tuple[str, ...]
    measured: Times | None
    tested: Times | None = None


def forecasts(
    application: Application, rows: Sequence[Row], target: str, trial: Sequence[Row] = ()
) -> list[Forecast]:
    """Forecasts from the records of one target. trial: records of IOR with the parameters of the phases."""
    here, tried = (
        [row for row in each if row["target"] == target and row["verdict"] in USABLE]
        for each in (rows, trial)
    )
    return [
        replace(_forecast(application, phase, here), tested=_forecast(application, phase, tried).predicted)
        for phase in application.phases
    ]


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


def _forecast(application: Application, phase: IoPhase, rows: Sequence[Row]) -> Forecast:
    measured = _times(_own(application, phase, rows), lambda row: row["total_s"] or row["io_s"])
    cells = _alike(application, phase, rows)
    if not cells:
        return Forecast(phase, None, "", "", ("no cell with its interface, layout and order",), measured)
    cell = min(cells, key=lambda name: _distance(application, phase, cells[name][0]))
    first = cells[cell][0]
    moved_bytes = phase.size_bytes * phase.repeat * application.nodes * application.ppn
    # The cell's total rate, not scaled where it ran with other processes: `far` names them.
    predicted = _times(cells[cell], lambda row: moved_bytes / _MIB / row["bw_mib_s"])
    return Forecast(
        phase, predicted, cell, first["label"] or "", tuple(_far(application, phase, first)), measured
    )


def _own(application: Application, phase: IoPhase, rows: Sequence[Row]) -> list[Row]:
    """Records with a time of the phase in the application itself, on as many nodes and processes."""
    wanted = (application.name, phase.measured_as, application.nodes, application.ppn)
    return [
        row
        for row in rows
        if (row["experiment"], row["access"], row["nn"], row["ppn"]) == wanted
        and (row["total_s"] or row["io_s"])
    ]


def _alike(application: Application, phase: IoPhase, rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Cells of the same interface, layout, order and kind of call; never those of the application itself."""
    cells: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        same = all(row[key] == getattr(phase, key) for key in ("access", "api", "layout", "order"))
        collective = bool(row["collective"]) == phase.collective
        known = row["bw_mib_s"] and row["xfer_bytes"] and row["nn"] and row["ppn"]
        if (
            same
            and collective
            and known
            and row["experiment"] != application.name
            and row["purpose"] == "bandwidth"
        ):
            cells[row["cell"]].append(row)
    return cells


def _distance(application: Application, phase: IoPhase, row: Row) -> tuple[float, float, float]:
    """Sort key: factor in processes, then in transfer size, then in bytes per process."""
    held_bytes = (row["block_bytes"] or row["xfer_bytes"]) * (row["segments"] or 1)
    return (
        abs(log2(row["nn"] / application.nodes)) + abs(log2(row["ppn"] / application.ppn)),
        abs(log2(row["xfer_bytes"] / phase.xfer_bytes)),
        abs(log2(held_bytes / phase.size_bytes)),
    )


def _far(application: Application, phase: IoPhase, row: Row) -> Iterable[str]:
    if (row["nn"], row["ppn"]) != (application.nodes, application.ppn):
        yield f"{row['nn']}x{row['ppn']} processes instead of {application.nodes}x{application.ppn}"
    if row["xfer_bytes"] != phase.xfer_bytes:
        yield f"transfers of {format_size(row['xfer_bytes'])} instead of {format_size(phase.xfer_bytes)}"


def _times(rows: Sequence[Row], seconds: Callable[[Row], float]) -> Times | None:
    """A run is one value, the median of its iterations."""
    runs: dict[tuple[str, int], list[float]] = defaultdict(list)
    for row in rows:
        runs[row["cell"], row["run"] or 0].append(seconds(row))
    values = [median(each) for each in runs.values()]
    return Times(median(values), min(values), max(values), len(values)) if values else None
