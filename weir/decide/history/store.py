"""A history is a folder of campaigns, one folder each; nothing in it is ever changed."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

from weir.base.errors import WeirError
from weir.decide.compare.sides import RECORDS_FILE, records_file
from weir.records.table import read_records

FACTS_FILE = "facts.json"


def add_campaign(history: Path, study: Path) -> Path:
    """Copy the records of a study into a folder named after their day and content: nothing is there twice."""
    file = records_file(study)
    rows = read_records(file)
    began = sorted(str(row["began"]) for row in rows if row.get("began"))
    if not began:
        raise WeirError(
            "no record has the time of its measurement",
            file=str(file),
            hint="a history needs the column began",
            exit_code=2,
        )
    digest = hashlib.sha256(file.read_bytes()).hexdigest()[:12]
    folder = history / f"{began[0][:10]}-{digest}"
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
