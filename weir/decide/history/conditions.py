"""Changes of machines and of the storage behind a target from one campaign of a history to the next.

A level that changes on that day need not be the storage's.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from weir.decide.history.band import Judgement
from weir.decide.history.store import FACTS_FILE
from weir.records.study_facts import read_study_facts
from weir.records.tally import described

_STORAGE = ("file_system", "device", "mount_options")
_EARLIER = timedelta(days=2)  # a change may have happened so long before the day that it is dated to


@dataclass(frozen=True)
class Condition:
    """A fact that is not what it was in the campaign before."""

    day: str
    text: str


def conditions_of(history: Path) -> dict[str, list[Condition]]:
    """Changed facts of each site, oldest first. A fact is compared with the last campaign that has it."""
    last: dict[str, dict[str, str]] = defaultdict(dict)
    found: dict[str, list[Condition]] = defaultdict(list)
    for file in sorted(history.glob(f"[!.]*/{FACTS_FILE}")):
        facts = read_study_facts(file, "collect the study again, and add it anew")
        site = str((facts.get("site") or {}).get("site") or "")
        day, before = file.parent.name[:10], last[site]
        for name, value in _facts(facts).items():
            if before.get(name, value) != value:
                found[site].append(Condition(day, f"{name} was {before[name]}, is {value}"))
            before[name] = value
    return found


def _facts(facts: Mapping[str, Any]) -> dict[str, str]:
    """Facts by name; several machines give all their values."""
    named: dict[str, set[str]] = defaultdict(set)
    for machine in facts.get("machines") or ():
        for name, value in described(machine).items():
            named[name].add(value)
    for target in facts.get("targets") or ():
        if storage := [str(target[key]) for key in _STORAGE if target.get(key)]:
            named[f"storage of target {target.get('target')}"].add(" ".join(storage))
    return {name: " and ".join(sorted(values)) for name, values in named.items()}


def notes_of(one: Judgement, conditions: Mapping[str, Sequence[Condition]]) -> list[str]:
    """The changes at the time from which on its news are dated, or later."""
    if one.news_day is None:
        return []
    since = (date.fromisoformat(one.news_day) - _EARLIER).isoformat()
    return [f"{known.day}: {known.text}" for known in conditions.get(one.system, ()) if known.day >= since]
