"""Measures once more what looks different: both sides in turns if both can still be measured, else B alone.

The largest differences of a table are partly chance. A new measurement of the same cells is free of it, and
measured in turns also free of what changed between the two old ones.
"""

import os
import secrets
import socket
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from weir.base.errors import InputError, WeirError
from weir.base.files import WRONG_CONTENT, from_json
from weir.collect.measured import batch_of, batch_of_cell, measure_in_turns
from weir.collect.metrics import Metric
from weir.collect.table import write_records
from weir.decide.compare.estimate import Days
from weir.decide.compare.output import sorted_for_reading
from weir.decide.compare.pairs import Pair, samples
from weir.decide.compare.sides import RECORDS_FILE, Side
from weir.decide.compare.verdict import FASTER, SLOWER, UNDECIDED, JudgedPair, judge_pairs
from weir.measure.batches import preflight
from weir.measure.handover import PLAN_FILES
from weir.measure.session import PlannedBatch, planned_batch
from weir.plan import Plan, read_plan
from weir.records.model import Row
from weir.site.schedulers import surrounding

FACTS_FILE = "facts.json"


@dataclass(frozen=True)
class Confirmed:
    """One pair before and after; fresh is None where nothing could be measured."""

    before: JudgedPair
    fresh: JudgedPair | None
    both: bool  # measured in turns; False: B alone, against the old records of A
    why: str  # why A, or neither, was measured

    @property
    def holds(self) -> bool:
        if self.fresh is None:
            return False
        same = self.fresh.verdict == self.before.verdict
        return self.fresh.verdict in (SLOWER, FASTER) if self.before.by_day else same

    @property
    def settles_days(self) -> bool:
        """Whether another day can no longer have made the difference."""
        return self.before.by_day and self.fresh is not None and self.fresh.verdict != UNDECIDED


@dataclass(frozen=True)
class Confirmation:
    """All pairs that looked different; records is the table of the new measurement."""

    pairs: tuple[Confirmed, ...]
    records: Path | None


@dataclass(frozen=True)
class Settings:
    """The settings of the first comparison; the second is made alike."""

    metric: Metric
    margin: float
    limit: float
    days: Days
    rounds: int


def confirm(sides: tuple[Side, Side], judged: Sequence[JudgedPair], settings: Settings) -> Confirmation:
    """Measure the pairs that look different, and judge the new records by themselves."""
    ordered = sorted_for_reading(judged)
    different = [one for one in ordered if one.verdict in (SLOWER, FASTER) or one.by_day]
    if not different:
        return Confirmation((), None)
    folder = _folder(sides[1])
    finder = Finder(folder, settings.rounds)
    found = [(one, *_jobs(finder, sides, one.pair)) for one in different]
    jobs = {job.cells[0].cell: job for _, chosen, _ in found for job in chosen}
    if not jobs:
        return Confirmation(tuple(Confirmed(one, None, False, why) for one, _, why in found), None)
    rows = measure_in_turns(list(jobs.values()))
    records = folder / RECORDS_FILE
    write_records(records, (row for of_cell in rows.values() for row in of_cell))
    again = [(one.pair, chosen) for one, chosen, _ in found if chosen]
    fresh = iter(
        judge_pairs(
            [_new_pair(old, chosen, rows, settings.metric) for old, chosen in again],
            *(settings.metric, settings.margin, settings.limit, settings.days),
            dated=[old for old, _ in again],
        )
    )
    pairs = (
        Confirmed(one, next(fresh) if chosen else None, len(chosen) == 2, why) for one, chosen, why in found
    )
    return Confirmation(tuple(pairs), records)


def _folder(side: Side) -> Path:
    study = side.campaigns[-1].study
    if study is None:
        raise InputError(
            "B cannot be measured again: it is a bundle",
            key="--confirm",
            hint="name the folder of its study, with plan.json",
        )
    return study.resolve() / f"confirm-{secrets.token_hex(4)}"


def _jobs(finder: "Finder", sides: tuple[Side, Side], pair: Pair) -> tuple[tuple[PlannedBatch, ...], str]:
    """The cells to measure, A first; if A is missing, why, and if both are, why."""
    second = finder.job(sides[1], pair.cells[1])
    if isinstance(second, str):
        return (), f"B cannot be measured again: {second}"
    if pair.cells[0] == pair.cells[1]:
        return (second,), "A is the same cell as B and would be measured as B is: B again"
    first = finder.job(sides[0], pair.cells[0])
    if isinstance(first, str):
        return (second,), f"A cannot be measured again: {first}: B again"
    return (first, second), ""


class Finder:
    """Cells of old studies as jobs of a new measurement on this machine."""

    def __init__(self, results: Path, rounds: int) -> None:
        self._results, self._rounds = results, rounds
        self._plan, self.cell_job = cache(_plan_of), cache(self._cell_job)
        self._sound: dict[tuple[Path, str], bool] = {}  # batches whose preflight has no problem

    def job(self, side: Side, cells: frozenset[str]) -> PlannedBatch | str:
        """The job, or the reason why there is none."""
        if len(cells) != 1:
            return f"the pair joins {len(cells)} cells"
        return self.cell_job(side.campaigns[-1].study, *cells)

    def _cell_job(self, study: Path | None, name: str) -> PlannedBatch | str:
        if study is None:
            return "it is a bundle"
        plan = self._plan(study)
        if isinstance(plan, str):
            return plan
        batch = batch_of(plan, name)
        if batch is None:
            return f"{study} has no plan with this cell"
        partition = plan.site.partitions[batch.partition]
        if partition.scheduler == "local" and (reason := _elsewhere(study)):
            return reason
        if partition.scheduler != "local" and surrounding(os.environ) is None:
            return f"this is not a job of {partition.scheduler}"
        whole = planned_batch(plan, batch, self._results)
        cells = tuple(replace(one, rounds=self._rounds, until=None) for one in whole.cells)
        job = batch_of_cell(plan, next(one for one in cells if one.cell == name), self._results)
        return self._problems(study, replace(whole, cells=cells), job) or job

    def _problems(self, study: Path, whole: PlannedBatch, job: PlannedBatch) -> str:
        """A preflight starts all ranks: what a whole batch passes, each of its cells passes."""
        key = (study, whole.batch)
        if key not in self._sound:
            self._sound[key] = not _problems(whole)
        return "" if self._sound[key] else _problems(job)


def _plan_of(study: Path) -> Plan | str:
    files = [study / name for name in PLAN_FILES if (study / name).is_file()]
    return read_plan(files[0]) if files else f"{study} has no plan.json"


def _problems(job: PlannedBatch) -> str:
    try:
        return "; ".join(check.problem for check in preflight(job) if check.problem)
    except WeirError as error:
        return str(error.problems[0].message)


def _elsewhere(study: Path) -> str:
    """The machine of the study, if it is known and another one than this."""
    try:
        facts = from_json((study / FACTS_FILE).read_text(encoding="utf-8"))
        nodes = [str(machine["node"]) for machine in facts["machines"]]
    except (OSError, *WRONG_CONTENT):
        return ""
    here = socket.gethostname()
    return "" if not nodes or here in nodes else f"{study} was measured on {', '.join(nodes)}, this is {here}"


def _new_pair(
    old: Pair, jobs: Sequence[PlannedBatch], rows: Mapping[str, Sequence[Row]], metric: Metric
) -> Pair:
    """Both sides fresh; or B fresh against the old records of A."""
    fresh = [
        [("confirmation", row) for row in rows[job.cells[0].cell] if row["access"] == old.access]
        for job in jobs
    ]
    verdicts = Counter(str(row["verdict"]) for side in fresh for _, row in side)
    made = [samples(side, metric) for side in fresh]
    return replace(old, first=made[0] if len(made) == 2 else old.first, second=made[-1], verdicts=verdicts)


def as_text(found: Confirmation) -> list[str]:
    """A headline, then a line for each pair."""
    if not found.pairs:
        return ["confirmation: nothing looks different, nothing was measured"]
    held = sum(one.holds for one in found.pairs)
    lines = [f"confirmation: {held} of {len(found.pairs)} differences are confirmed by new measurements"]
    lines += [f"  {_line(one)}" for one in found.pairs]
    notes = Counter(one.why for one in found.pairs if one.why)
    lines += [f"note: {note} ({count} of {len(found.pairs)} pairs)" for note, count in notes.items()]
    return [*lines, *([f"new records: {os.path.relpath(found.records)}"] if found.records else [])]


def _line(one: Confirmed) -> str:
    name = f"{one.before.pair.access} {one.before.pair.label}"
    if one.fresh is None:
        return f"not measured: was {one.before.verdict}  {name}"
    verdicts = f"was {one.before.verdict}, now {one.fresh.verdict}"
    text = f"{'confirmed' if one.holds else 'not confirmed'}: {verdicts}"
    if one.fresh.estimate is None:
        return f"{text}  {name}: {'; '.join(one.fresh.notes)}"
    how = "A and B in turns" if one.both else "B again"
    rounds = min(one.fresh.estimate.rounds)
    return f"{text} {one.fresh.estimate}  {name} ({how}, n = {rounds})"


def facts(found: Confirmation) -> dict[str, Any]:
    return {
        "records": str(found.records) if found.records else None,
        "pairs": [_facts(one) for one in found.pairs],
    }


def _facts(one: Confirmed) -> dict[str, Any]:
    fresh = one.fresh.estimate if one.fresh else None
    low, high = fresh.interval() if fresh else (None, None)
    return {
        "label": one.before.pair.label,
        "access": one.before.pair.access,
        "before": one.before.verdict,
        "verdict": one.fresh.verdict if one.fresh else None,
        "ratio": fresh.ratio() if fresh else None,
        "low": low,
        "high": high,
        "rounds": list(fresh.rounds) if fresh else [0, 0],
        "design": fresh.design if fresh else None,
        "confirmed": one.holds,
        "in_turns": one.both,
        "why": one.why or None,
    }


def still_failing(
    failed: Iterable[JudgedPair], fresh_failures: Iterable[JudgedPair], found: Confirmation
) -> list[JudgedPair]:
    """The failures without those that a new measurement did not confirm; what could not be measured stays."""
    bad = {id(one) for one in fresh_failures}
    fresh = {id(one.before): one.fresh for one in found.pairs if one.fresh and one.fresh.estimate}
    kept = [one for one in failed if id(one) not in fresh or id(fresh[id(one)]) in bad]
    settled = [one.fresh for one in found.pairs if one.settles_days and one.fresh]
    return kept + [one for one in settled if id(one) in bad]
