"""The differences of the sides beyond their cells: programs, machines, storage behind a name, order in time.

A ratio belongs to the storage only if these are alike. What the records and run files tell is a note.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

from weir.decide.compare.pairs import Pair, Sample
from weir.decide.compare.sides import Campaign, Side
from weir.records.tally import described, machine_of
from weir.runs.files import read_run_file

Run = Mapping[str, Any]  # a run.json
_STORAGE = ("type", "device", "mount_point", "options")
_MOST_VALUES = 3
_CLOCK = 1.1  # ratio of frequencies at the beginning of a run: a smaller one may be a moment


def unlike_conditions(sides: tuple[Side, Side], pairs: Sequence[Pair], across: Collection[str]) -> list[str]:
    """Notes; across: columns in which the sides are meant to differ."""
    runs = [[run for campaign in one.campaigns for run in _runs(campaign)] for one in sides]
    first, second = (_of_side(one, of_side, across) for one, of_side in zip(sides, runs, strict=True))
    notes = [
        f"note: {name} differs: {_listed(first[name])} in A, {_listed(second[name])} in B"
        for name in dict.fromkeys((*first, *second))
        if first.get(name) and second.get(name) and first[name] != second[name]
    ]
    return [*notes, *_clocks(*runs), *_order(pairs)]


def _of_side(side: Side, runs: Iterable[Run], across: Collection[str]) -> dict[str, set[str]]:
    """All values of each condition, by its name."""
    found: dict[str, set[str]] = defaultdict(set)
    for campaign in side.campaigns:
        for row in campaign.rows:
            if "program" not in across and row.get("tool_version"):
                found[f"version of {row.get('program') or row['tool']}"].add(str(row["tool_version"]))
    for run in runs:
        host = run.get("host") or {}
        for name, value in described(machine_of(host)).items():
            found[name].add(value)
        storage = host.get("file_system") or {}
        if "target" not in across and storage:
            text = " ".join(str(storage[name]) for name in _STORAGE if storage.get(name))
            found[f"storage of target {run['cell'].get('target')}"].add(text)
    return found


def _clocks(first: Iterable[Run], second: Iterable[Run]) -> Iterator[str]:
    """A note where every run of a side began at a higher frequency than every run of the other."""
    found = [
        [mhz for run in side if (mhz := ((run.get("host") or {}).get("power") or {}).get("mhz"))]
        for side in (first, second)
    ]
    if not all(found):
        return
    low, high = sorted((min(side), max(side)) for side in found)
    if high[0] > _CLOCK * low[1]:
        texts = (
            f"{min(side):.0f} to {max(side):.0f} MHz in {name}"
            for side, name in zip(found, "AB", strict=True)
        )
        yield f"note: frequency of the processors before a run differs: {', '.join(texts)}"


def _runs(campaign: Campaign) -> Iterator[Run]:
    """One of each cell."""
    if campaign.study is None:
        return
    results = campaign.study.resolve().parent
    for cell, number in {
        row["cell"]: row["run"] for row in campaign.rows if row.get("run") is not None
    }.items():
        document = read_run_file(results, cell, number)
        if document is not None and "cell" in document:
            yield document


def _listed(values: Collection[str]) -> str:
    shown = sorted(values)[:_MOST_VALUES]
    more = f" and {len(values) - len(shown)} more" if len(values) > len(shown) else ""
    return ", ".join(shown) + more


def _order(pairs: Sequence[Pair]) -> Iterator[str]:
    """B is the later one for whoever asks whether something became slower."""
    first = _times(one for pair in pairs for one in pair.first)
    second = _times(one for pair in pairs for one in pair.second)
    if first and second and max(second) < min(first):
        yield "note: B was measured before A: if A is meant to be the state before, exchange them"


def _times(samples: Iterable[Sample]) -> list[datetime]:
    """The times with a zone, which can be compared."""
    times = []
    for text in (text for one in samples for text in one.began):
        with suppress(ValueError):
            times.append(datetime.fromisoformat(text))
    return [time for time in times if time.tzinfo is not None]
