"""Reads what `weir run` left of a batch: its receipt, and the runs that were not there before."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from weir.base.units import counted
from weir.collect.parsed_runs import Run, finished_runs
from weir.plan import Batch
from weir.records.model import Row
from weir.runs.files import RUN_FILE
from weir_checks.study import Place

# Its run.json, and when that was written in ns since 1970: a failed run is repeated.
RunName = tuple[str, int]
_MOST_SHOWN = 3


@dataclass(frozen=True)
class BatchCounts:
    """The counts of one batch; without a receipt the reasons why there is none."""

    unavailable: str | None = None
    kept: int = 0
    failed: tuple[str, ...] = ()
    executions: int = 0
    unavailable_cells: tuple[str, ...] = ()
    reasons: tuple[str, ...] = field(default=())

    @classmethod
    def read(cls, place: Place) -> "BatchCounts":
        try:
            one = place.handover.counts()
        except FileNotFoundError:
            return cls(reasons=tuple(place.handover.reasons()))
        counts = one.get("unavailable"), one["kept"], tuple(one["failed"]), one["executions"]
        cells = one.get("unavailable_cells") or {}
        return cls(*counts, tuple(f"{label}: {reason}" for label, reason in cells.items()))

    def problem(self) -> str | None:
        """Why the batch is not measured whole."""
        if self.reasons:
            return "weir run measured nothing: " + "; ".join(self.reasons)
        if self.failed:
            return f"{len(self.failed)} of {self.executions} executions failed: {_some(self.failed)}"
        if self.unavailable_cells:
            cells = counted(len(self.unavailable_cells), "cell")
            return f"{cells} unavailable: {_some(self.unavailable_cells)}"
        return None


def finished(batches: Sequence[Batch], results: Path, before: float | None = None) -> set[RunName]:
    """Runs that are there; before: in seconds since 1970, when the workflow began whose runs count as new."""
    return {
        (str(file), file.stat().st_mtime_ns)
        for batch in batches
        for cell in batch.cells
        for file in (results / "runs" / cell.cell).glob(f"*/{RUN_FILE}")
        if before is None or file.stat().st_mtime < before
    }


def runs_since(batch: Batch, results: Path, earlier: set[RunName]) -> dict[str, list[Run]]:
    """Runs of each cell that were not there when the test began."""
    found: dict[str, list[Run]] = {}
    for cell in batch.cells:
        runs = finished_runs(results / "runs" / cell.cell)
        found[cell.cell] = [run for run in runs if _name(run.folder / RUN_FILE) not in earlier]
    return found


def days_of(batch: Batch, results: Path) -> str:
    """The days on which the runs of a batch were measured."""
    began = sorted(
        str(run.facts["began"])[:10]
        for cell in batch.cells
        for run in finished_runs(results / "runs" / cell.cell)
    )
    return " to ".join(dict.fromkeys((began[0], began[-1]))) if began else "an unknown day"


def without_records(batch: Batch, rows: Sequence[Row]) -> str | None:
    """The cells that have no record that counts, and why."""
    counted = {row["cell"] for row in rows if row["verdict"] != "INVALID"}
    reasons = {row["cell"]: row["reasons"] for row in rows if row["verdict"] == "INVALID"}
    lacking = [
        f"{cell.point} ({reasons.get(cell.cell) or 'no record'})"
        for cell in batch.cells
        if cell.cell not in counted
    ]
    if not lacking:
        return None
    return f"{len(lacking)} of {len(batch.cells)} cells have no valid record: {_some(lacking)}"


def _name(file: Path) -> RunName:
    return str(file), file.stat().st_mtime_ns


def _some(lines: Sequence[str]) -> str:
    more = f" and {len(lines) - _MOST_SHOWN} more" if len(lines) > _MOST_SHOWN else ""
    return "; ".join(lines[:_MOST_SHOWN]) + more
