"""A history is a folder of campaigns, one folder each; nothing in it is ever changed."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from weir.base.errors import WeirError
from weir.base.files import printable
from weir.decide.compare.sides import RECORDS_FILE, records_file
from weir.decide.history.reframe_results import sessions
from weir.records.table import read_records, write_records
from weir.terms.model import Row

FACTS_FILE = "facts.json"


def add_campaign(history: Path, study: Path) -> Path:
    """Copy the records of a study into a folder named after their day and content: nothing is there twice."""
    file = records_file(study)
    rows = read_records(file)
    folder = _folder(history, rows, file, hashlib.sha256(file.read_bytes()).hexdigest())
    if folder.exists():
        raise WeirError(
            "this campaign is in the history already", file=str(folder), hint="nothing to do", exit_code=2
        )
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
        raise WeirError("no session has a rate", file=str(database), hint=hint, exit_code=2)
    return Added(tuple(folders), known, frozenset(others))


def _folder(history: Path, rows: Sequence[Row], file: Path, digest: str) -> Path:
    """Named after the day of the first measurement and the content."""
    began = sorted(str(row["began"]) for row in rows if row.get("began"))
    if not began:
        raise WeirError(
            "no record has the time of its measurement",
            file=str(file),
            hint="a history needs the column began",
            exit_code=2,
        )
    try:
        day = datetime.fromisoformat(began[0]).date()
    except ValueError:
        raise WeirError(
            f"is {printable(began[0][:40])!r}, not a time",
            file=str(file),
            key="began",
            hint="records of `weir collect` have it as ISO 8601, such as 2026-11-27T04:31:00Z",
            exit_code=2,
        ) from None
    return history / f"{day}-{digest[:12]}"
