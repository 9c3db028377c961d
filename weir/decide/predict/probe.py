"""Whether the machine is as it was when the records of a prediction were measured.

Records of a busy hour predict that hour: its load stands beside that of now. Elsewhere than on their machine
nothing is known. A probe of seconds measures cells behind the prediction again. The ratio of the rates now
and then, with its interval, carries them over to this one, as far as all phases became slower or faster
alike.
"""

import os
import secrets
import socket
import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import log
from pathlib import Path

from weir.audit.judge import USABLE
from weir.base.errors import WeirError
from weir.base.units import counted
from weir.collect.measured import measure_in_turns
from weir.decide.compare.confirmation import Finder
from weir.decide.predict.forecast import Forecast, shown_target
from weir.decide.predict.rates import pooled_spread
from weir.records.model import Row, grouped
from weir.runs.files import read_run_file
from weir.statistics.inference import Effect, Mean, difference, mean_of, variance_of
from weir.statistics.median import ASSUMED, LEVEL

OTHER_PROCESSES = 1.0  # load above or below that of every run: so many more processes compete, or fewer


@dataclass(frozen=True)
class Circumstances:
    """Days and loads of the runs behind a prediction. Loads are None where no run file of this machine has
    them."""

    first_day: str
    last_day: str
    lowest_load: float | None
    highest_load: float | None
    load_now: float

    @property
    def differ(self) -> bool:
        if self.lowest_load is None or self.highest_load is None:
            return False
        return not (
            self.lowest_load - OTHER_PROCESSES <= self.load_now <= self.highest_load + OTHER_PROCESSES
        )

    def __str__(self) -> str:
        days = self.first_day if self.first_day == self.last_day else f"{self.first_day} to {self.last_day}"
        text = f"measured {days}" if self.first_day else "measured at an unknown time"
        if self.lowest_load is None:
            return f"{text}; the load of this machine then is not known"
        loads = f"at load {self.lowest_load:.1f} to {self.highest_load:.1f}"
        return f"{text} {loads}; load now: {self.load_now:.1f}"


def circumstances_of(records: Path, rows: Iterable[Row]) -> Circumstances:
    """rows: of the cells that predict; records: their table in the folder of a study."""
    days, runs = set(), set()
    for row in rows:
        if row.get("began"):
            days.add(str(row["began"])[:10])
        if row.get("run") is not None:
            runs.add((row["cell"], row["run"]))
    documents = [read_run_file(records.resolve().parent.parent, *run) for run in sorted(runs)]
    hosts = [document["host"] for document in documents if document]
    loads = [
        host["load_1min"]
        for host in hosts
        if host.get("node") == socket.gethostname() and host.get("load_1min") is not None
    ]
    return Circumstances(
        min(days, default=""),
        max(days, default=""),
        min(loads, default=None),
        max(loads, default=None),
        os.getloadavg()[0],
    )


SECONDS = 10.0
FEWEST_ROUNDS, MOST_ROUNDS = 4, 8
OVERHEAD_S = 1.0  # seconds of a run beside the times in its records


@dataclass(frozen=True)
class RateChange:
    """Rate now over rate then; now: logarithms of its runs; measured: their mean."""

    ratio: Effect
    now: tuple[float, ...]
    measured: Mean
    over_median: float  # logarithm of the mean now over the median then


# Rate now over rate then; variance of one run now, and its degrees.
Others = tuple[Effect, tuple[float, float]]


@dataclass(frozen=True)
class Probe:
    """Changes by cell and access; those of a target for what was not measured again."""

    changes: Mapping[tuple[str, str], RateChange]
    of_access: Mapping[tuple[str, str], Others]  # target, access
    rounds: int
    targets: Mapping[str, str]  # names as texts have them, in the order of the prediction

    def scaled(self, target: str, one: Forecast) -> Forecast:
        """The rate of now, of its cell or as the others changed; runs may differ more than they did."""
        access = one.phase.access
        change, others = self.changes.get((one.cell, access)), self.of_access.get((target, access))
        if one.rate is None or others is None:
            return replace(one, rate=None, far=(*one.far, "no cell of its access was measured again"))
        ratio, spread = others
        if change:
            return replace(one, rate=one.rate.now(change.over_median, change.measured, spread))
        return replace(one, rate=one.rate.changed(ratio, spread))

    def __str__(self) -> str:
        parts = [
            f"{access} {name} {_interval(self.of_access[target, access][0])}"
            for target, name in self.targets.items()
            for access in sorted(access for one, access in self.of_access if one == target)
        ]
        return f"probe, {counted(self.rounds, 'round')}: rate now over then: {', '.join(parts)}"


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
                file=records,
                hint="probe on the machine of the study, beside its plan.json; or --measure the phases",
                exit_code=3,
            )
        jobs.append(job)
    now = measure_in_turns(jobs)
    changes = {}
    for cell, measured in now.items():
        then = [row for row in rows if row["cell"] == cell]
        for access in {row["access"] for row in measured}:
            change = _change(_logs(then, access), _logs(measured, access))
            if change is not None:
                changes[cell, access] = change
    if not changes:
        raise WeirError("the probe has no usable record", hint="look at its runs: weir audit", exit_code=3)
    target_of = {row["cell"]: row["target"] for row in rows}
    groups = grouped(((target_of[cell], access), change) for (cell, access), change in changes.items())
    targets = {target: shown_target(target, each) for target, each in found.items()}
    return Probe(changes, {key: _together(each) for key, each in groups.items()}, rounds, targets)


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
    """Median duration of a run of the cell by its records, with the overhead of a start."""
    runs: dict[object, float] = defaultdict(float)
    for row in rows:
        if row["cell"] == cell:
            runs[row.get("run")] += row.get("total_s") or row.get("io_s") or 0.0
    return OVERHEAD_S + (statistics.median(runs.values()) if runs else 0.0)


def _logs(rows: Iterable[Row], access: str) -> list[float]:
    """Logarithm of the rate of each run, in their order."""
    known = (row for row in rows if row["access"] == access and row["bw_mib_s"] and row["verdict"] in USABLE)
    runs = grouped((row.get("run") or 0, log(row["bw_mib_s"])) for row in known)
    return [statistics.fmean(runs[run]) for run in sorted(runs)]


def _change(then: Sequence[float], now: Sequence[float]) -> RateChange | None:
    if min(len(then), len(now)) < 2:
        return None
    measured = mean_of(now, ASSUMED)
    over_median = measured.value - statistics.median(then)
    return RateChange(difference(mean_of(then, ASSUMED), measured), tuple(now), measured, over_median)


def _together(each: Sequence[RateChange]) -> Others:
    """The change of a cell that was not measured again: it may be any of these."""
    spread = pooled_spread([one.now for one in each]) or (0.0, 1.0)
    if len(each) == 1:
        return each[0].ratio, spread
    logs = [one.ratio.log_ratio for one in each]
    within = statistics.fmean(one.ratio.variance for one in each)
    degrees = min(len(logs) - 1.0, *(one.ratio.degrees for one in each))
    return Effect(statistics.fmean(logs), within + variance_of(logs), degrees), spread


def _interval(ratio: Effect) -> str:
    low, high = ratio.interval(LEVEL)
    return f"x{ratio.ratio():.2f} [{low:.2f}–{high:.2f}]"
