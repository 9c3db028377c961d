"""A history is a folder of campaigns, one folder each, of which nothing is ever changed.

Machines, and the storage behind a target, may differ from one campaign to the next: a level that changes on
that day need not be the storage's.
"""

import hashlib
import shutil
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

from weir.base.errors import InputError
from weir.base.files import printable
from weir.collect.study_facts import read_study_facts
from weir.collect.table import read_records, write_records
from weir.collect.tally import described
from weir.decide.compare.sides import RECORDS_FILE, records_file
from weir.decide.history.band import BandVerdict
from weir.decide.history.reframe_results import sessions
from weir.records.model import Row

FACTS_FILE = "facts.json"


def add_campaign(history: Path, study: Path) -> Path:
    """Copy the records of a study into a folder named after their day and content: nothing is there twice."""
    file = records_file(study)
    rows = read_records(file)
    folder = _folder(history, rows, file, hashlib.sha256(file.read_bytes()).hexdigest())
    if folder.exists():
        raise InputError("this campaign is in the history already", file=folder, hint="nothing to do")
    beside = folder.with_name(f".{folder.name}.part")
    shutil.rmtree(beside, ignore_errors=True)
    beside.mkdir(parents=True)
    shutil.copy2(file, beside / RECORDS_FILE)
    facts = file.with_name(FACTS_FILE)
    if facts.is_file():
        shutil.copy2(facts, beside / FACTS_FILE)
    beside.rename(folder)
    return folder


@dataclass(frozen=True)
class Added:
    """The result of adding the sessions of a results database."""

    folders: tuple[Path, ...]
    known: int  # sessions that are in the history already
    other_units: frozenset[str]  # of values that are no rates


def add_sessions(history: Path, database: Path) -> Added:
    """Each session of ReFrame as a campaign, unless it is there: a database is added again and again."""
    folders: list[Path] = []
    others: set[str] = set()
    known = 0
    for session in sessions(database):
        others |= session.other_units
        if not session.rows:
            continue
        folder = _folder(history, session.rows, database, hashlib.sha256(session.uuid.encode()).hexdigest())
        if folder.exists():
            known += 1
            continue
        write_records(folder / RECORDS_FILE, session.rows)
        folders.append(folder)
    if not folders and not known:
        hint = f"its values are in {', '.join(sorted(others))}" if others else "no test has measured a rate"
        raise InputError("no session has a rate", file=database, hint=hint)
    return Added(tuple(folders), known, frozenset(others))


def _folder(history: Path, rows: Sequence[Row], file: Path, digest: str) -> Path:
    """Named after the day of the first measurement and the content."""
    began = sorted(str(row["began"]) for row in rows if row.get("began"))
    if not began:
        raise InputError(
            "no record has the time of its measurement",
            file=file,
            hint="a history needs the column began: collect the study again, or import its log with"
            " --facts FILE, which has columns: {began: 2026-11-27T04:31:00Z}",
        )
    try:
        day = datetime.fromisoformat(began[0]).date()
    except ValueError:
        raise InputError(
            f"is {printable(began[0][:40])!r}, not a time",
            file=file,
            key="began",
            hint="records of `weir collect` have it as ISO 8601, such as 2026-11-27T04:31:00Z",
        ) from None
    return history / f"{day}-{digest[:12]}"


_STORAGE = ("file_system", "device", "mount_options")
_EARLIER = timedelta(days=2)  # a change may have happened so long before the day that it is dated to


@dataclass(frozen=True)
class ChangedFact:
    """A fact that is not what it was in the campaign before."""

    day: str
    text: str


def conditions_of(history: Path) -> dict[str, list[ChangedFact]]:
    """Changed facts of each site, oldest first. A fact is compared with the last campaign that has it; a
    table, which is a file, has none."""
    last: dict[str, dict[str, str]] = defaultdict(dict)
    found: dict[str, list[ChangedFact]] = defaultdict(list)
    for file in sorted(history.glob(f"[!.]*/{FACTS_FILE}")):
        facts = read_study_facts(file, "collect the study again, and add it anew")
        site = str((facts.get("site") or {}).get("site") or "")
        day, before = file.parent.name[:10], last[site]
        for name, value in _facts(facts).items():
            if before.get(name, value) != value:
                found[site].append(ChangedFact(day, f"{name} was {before[name]}, is {value}"))
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


def notes_of(one: BandVerdict, conditions: Mapping[str, Sequence[ChangedFact]]) -> list[str]:
    """The changes at the time from which on its news are dated, or later."""
    if one.news_day is None:
        return []
    since = (date.fromisoformat(one.news_day) - _EARLIER).isoformat()
    return [f"{known.day}: {known.text}" for known in conditions.get(one.system, ()) if known.day >= since]
