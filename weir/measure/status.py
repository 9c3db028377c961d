"""The status file of weir-io, which has a line for each cell of a shared launch that has ended; and the
run files that are made of what a killed weir left of such a launch."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

from weir.base.files import from_json
from weir.base.read_back import fault_of
from weir.measure.document import SUMMARY_FILE, RunEnd, after, now
from weir.runs.files import is_kept, run_folder
from weir.runs.ledger import Judge, end_run

STATUS_FILE = "status"
_LONGEST_S = 1e9  # more than any cell takes, and less than a date can be away
TRUNCATED = f"{SUMMARY_FILE} is missing or truncated: the program ended with exit code 0"


@dataclass(frozen=True)
class StatusLine:
    """The line of weir-io about a finished cell."""

    name: str
    exit_code: int
    elapsed_s: float


def read_status(file: Path) -> list[StatusLine]:
    """Whole lines only: weir-io may be writing the next one."""
    try:
        text = file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    found = []
    for line in text.split("\n")[:-1]:
        try:
            name, code, seconds = line.split("\t")
            one = StatusLine(name, int(code), float(seconds))
        except ValueError:
            continue
        if 0 <= one.elapsed_s < _LONGEST_S:  # not in a damaged file
            found.append(one)
    return found


def end_of(line: StatusLine, outputs: Path, ended: datetime | None = None) -> RunEnd | None:
    """The end of the cell; None if the folder of its outputs is gone: then it is measured again.

    ended: when weir saw the line. Of a killed weir only the time is left at which weir-io, which opens its
    stdout before, wrote to that for the last time, by a clock that may have been set meanwhile.
    """
    try:
        written_s = (outputs / "stdout.txt").stat().st_mtime
    except FileNotFoundError:
        return None
    error = TRUNCATED if line.exit_code == 0 and not is_complete(outputs) else None
    at = ended or datetime.fromtimestamp(written_s, now().tzinfo)
    return RunEnd(line.exit_code, False, at, line.elapsed_s, error)


def is_complete(outputs: Path) -> bool:
    """Whether the document of weir-io is there to its end."""
    try:
        return isinstance(from_json((outputs / SUMMARY_FILE).read_bytes()), dict)
    except (OSError, ValueError):
        return False


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
