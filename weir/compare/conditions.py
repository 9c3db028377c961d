"""In what else than the cells the sides differ: programs, machines, storage behind a name, order in time.

A ratio belongs to the storage only if these are alike. What the records and run files tell is a note.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

from weir.compare.pairs import Pair, Sample
from weir.compare.sides import Campaign, Side
from weir.runfiles import read_run_file
from weir.units import about_size

_MACHINE = ("processor", "cores", "memory_bytes", "kernel", "system")
_STORAGE = ("type", "device", "mount_point", "options")
_MOST_VALUES = 3


def unlike_conditions(sides: tuple[Side, Side], pairs: Sequence[Pair], across: Collection[str]) -> list[str]:
    """Notes; across: columns in which the sides are meant to differ."""
    first, second = (_of_side(one, across) for one in sides)
    notes = [
        f"note: {name} differs: {_listed(first[name])} in A, {_listed(second[name])} in B"
        for name in dict.fromkeys((*first, *second))
        if first.get(name) and second.get(name) and first[name] != second[name]
    ]
    return [*notes, *_order(pairs)]


def _of_side(side: Side, across: Collection[str]) -> dict[str, set[str]]:
    """All values of each condition, by its name."""
    found: dict[str, set[str]] = defaultdict(set)
    for campaign in side.campaigns:
        for row in campaign.rows:
            if "program" not in across and row.get("tool_version"):
                found[f"version of {row.get('program') or row['tool']}"].add(str(row["tool_version"]))
        for run in _runs(campaign):
            host = run.get("host") or {}
            for name in _MACHINE:
                if host.get(name) is not None:
                    value = about_size(host[name]) if name == "memory_bytes" else str(host[name])
                    found[name.removesuffix("_bytes")].add(value)
            storage = host.get("file_system") or {}
            if "target" not in across and storage:
                text = " ".join(str(storage[name]) for name in _STORAGE if storage.get(name))
                found[f"storage of target {run['cell'].get('target')}"].add(text)
    return found


def _runs(campaign: Campaign) -> Iterator[Mapping[str, Any]]:
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
    """Those with a zone, which can be compared."""
    times = []
    for text in (text for one in samples for text in one.began):
        with suppress(ValueError):
            times.append(datetime.fromisoformat(text))
    return [time for time in times if time.tzinfo is not None]
