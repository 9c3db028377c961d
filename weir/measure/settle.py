"""Makes run files of what a killed weir left of a shared launch, for the cells that had ended."""

from __future__ import annotations

import shutil
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

from weir.base.files import from_json
from weir.base.read_back import fault_of
from weir.measure.document import after
from weir.measure.status import STATUS_FILE, end_of, read_status
from weir.runs.files import is_kept, run_folder
from weir.runs.ledger import Judge, end_run

LAUNCH_FILE = "launch.json"


def settle(folder: Path, results: Path, judge: Judge | None = None) -> None:
    """Write the run files of the cells that have succeeded, and remove the launch folder.

    Whether the machine failed the others, nobody knows any more: they are measured again. A launch whose file
    is damaged is set aside; its cells have no run file either.
    """
    try:
        known = from_json((folder / LAUNCH_FILE).read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        shutil.rmtree(folder, ignore_errors=True)
        return
    except ValueError:
        known = None
    if fault_of(known, {"*": {"host": dict, "cell?": {"cell": str, "rounds": int}, "run?": int}}):
        _set_aside(folder)
        return
    latest: datetime | None = None
    for line in read_status(folder / STATUS_FILE):
        cell, _, number = line.name.rpartition("-")
        if line.name in known and not is_kept(results, cell, int(number)):
            outputs = run_folder(results, cell, int(number))
            end = end_of(line, outputs)
            if end is not None and end.status == "done":
                # Cells ran in the order of their lines, whatever the clock of their files did.
                earliest = latest + timedelta(seconds=end.elapsed_s) if latest else end.ended_at
                latest = max(end.ended_at, earliest)
                end = replace(end, ended_at=latest)
                end_run(outputs, after(known[line.name], end, outputs), judge)
    shutil.rmtree(folder)


def _set_aside(folder: Path) -> None:
    attempts = len(list(folder.parent.glob(f"{folder.name}.damaged-*")))
    folder.rename(folder.with_name(f"{folder.name}.damaged-{attempts + 1}"))
