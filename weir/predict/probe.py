"""A probe of seconds: cells behind a prediction measured again, by which the prediction is scaled.

Records of another hour predict that hour. The ratio of the rates now and then, with its interval, carries
them over to this one, as far as all phases became slower or faster alike.
"""

from __future__ import annotations

import secrets
import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp, log
from pathlib import Path

from weir.audit.judge import USABLE
from weir.compare.confirmation import Finder
from weir.errors import WeirError
from weir.inference import ASSUMED, LEVEL, difference, mean_of
from weir.model import Row
from weir.predict.forecast import Forecast, Times
from weir.records.remeasure import measure_in_turns

SECONDS = 10.0
FEWEST_ROUNDS, MOST_ROUNDS = 4, 8
OVERHEAD_S = 1.0  # of a run, beside the times in its records


@dataclass(frozen=True)
class Ratio:
    """Rate now over rate then."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"x{self.value:.2f} [{self.low:.2f}–{self.high:.2f}]"


@dataclass(frozen=True)
class Probe:
    """Ratios by cell and access; those of a target for what was not measured again."""

    ratios: Mapping[tuple[str, str], Ratio]
    of_access: Mapping[tuple[str, str], Ratio]  # target, access
    rounds: int
    seconds: float

    def scaled(self, target: str, one: Forecast) -> Forecast:
        """Both ranges count: that of the runs and that of the ratio."""
        ratio = self.ratios.get((one.cell, one.phase.access)) or self.of_access.get(
            (target, one.phase.access)
        )
        if one.predicted is None or ratio is None:
            return replace(one, predicted=None, far=(*one.far, "no cell of its access was measured again"))
        times = one.predicted
        return replace(
            one,
            predicted=Times(
                times.median_s / ratio.value, times.low_s / ratio.high, times.high_s / ratio.low, times.runs
            ),
        )

    def __str__(self) -> str:
        parts = [f"{access} {target} {ratio}" for (target, access), ratio in sorted(self.of_access.items())]
        return f"probe, {self.rounds} rounds: rate now over then: {', '.join(parts)}"


def probe(records: Path, rows: Sequence[Row], found: Mapping[str, Sequence[Forecast]]) -> Probe:
    """The fastest cell for each access of a target, and more of them as far as the seconds last."""
    chosen, rounds = _chosen(rows, found)
    study = records.resolve().parent
    finder = Finder(study / f"probe-{secrets.token_hex(4)}", rounds)
    jobs = []
    for cell in chosen:
        job = finder.cell_job(study, cell)
        if isinstance(job, str):
            raise WeirError(
                f"the probe cannot measure cell {cell}: {job}",
                file=str(records),
                hint="probe on the machine of the study, beside its plan.json; or --measure the phases",
                exit_code=3,
            )
        jobs.append(job)
    now = measure_in_turns(jobs)
    ratios = {}
    for cell, measured in now.items():
        then = [row for row in rows if row["cell"] == cell]
        for access in {row["access"] for row in measured}:
            ratio = _ratio(_logs(then, access), _logs(measured, access))
            if ratio is not None:
                ratios[cell, access] = ratio
    if not ratios:
        raise WeirError("the probe has no usable record", hint="look at its runs: weir audit", exit_code=3)
    target_of = {row["cell"]: row["target"] for row in rows}
    groups: dict[tuple[str, str], list[Ratio]] = defaultdict(list)
    for (cell, access), ratio in ratios.items():
        groups[target_of[cell], access].append(ratio)
    spent = sum(_seconds(rows, cell) for cell in chosen) * rounds
    return Probe(ratios, {key: _together(each) for key, each in groups.items()}, rounds, spent)


def _chosen(rows: Sequence[Row], found: Mapping[str, Sequence[Forecast]]) -> tuple[list[str], int]:
    """One cell for each access of each target first, then more; rounds as the time allows."""
    wanted: list[str] = []
    for each in found.values():
        for access in dict.fromkeys(one.phase.access for one in each if one.predicted):
            fitting = {one.cell for one in each if one.predicted and one.phase.access == access}
            wanted.append(min(fitting, key=lambda cell: _seconds(rows, cell)))
    cells = list(dict.fromkeys(wanted))
    a_round = sum(_seconds(rows, cell) for cell in cells)
    others = {one.cell for each in found.values() for one in each if one.predicted} - set(cells)
    for cell in sorted(others, key=lambda cell: _seconds(rows, cell)):
        if (a_round + _seconds(rows, cell)) * FEWEST_ROUNDS <= SECONDS:
            cells.append(cell)
            a_round += _seconds(rows, cell)
    return cells, min(max(int(SECONDS / a_round), FEWEST_ROUNDS), MOST_ROUNDS)


def _seconds(rows: Iterable[Row], cell: str) -> float:
    """Of one run of the cell, as its records have it."""
    runs: dict[object, float] = defaultdict(float)
    for row in rows:
        if row["cell"] == cell:
            runs[row.get("run")] += row.get("total_s") or row.get("io_s") or 0.0
    return OVERHEAD_S + (statistics.median(runs.values()) if runs else 0.0)


def _logs(rows: Iterable[Row], access: str) -> list[float]:
    """Of the rate of each run, in their order."""
    runs: dict[int, list[float]] = defaultdict(list)
    for row in rows:
        if row["access"] == access and row["bw_mib_s"] and row["verdict"] in USABLE:
            runs[row.get("run") or 0].append(log(row["bw_mib_s"]))
    return [statistics.fmean(runs[run]) for run in sorted(runs)]


def _ratio(then: Sequence[float], now: Sequence[float]) -> Ratio | None:
    if min(len(then), len(now)) < 2:
        return None
    found = difference(mean_of(then, ASSUMED), mean_of(now, ASSUMED))
    return Ratio(found.ratio(), *found.interval(LEVEL))


def _together(each: Sequence[Ratio]) -> Ratio:
    """For a cell that was not measured again: it may have changed as any of these."""
    value = exp(statistics.fmean(log(one.value) for one in each))
    return Ratio(value, min(one.low for one in each), max(one.high for one in each))
