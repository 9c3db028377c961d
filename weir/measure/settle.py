"""From the status lines of a launch to run files: also for a weir that comes back after it was killed."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from weir.base.files import from_json
from weir.measure.document import SUMMARY_FILE, RunEnd, after, now
from weir.runs.files import is_kept, run_folder
from weir.runs.ledger import Judge, end_run

LAUNCH_FILE = "launch.json"
STATUS_FILE = "status"


@dataclass(frozen=True)
class StatusLine:
    """What weir-io reports of a finished cell."""

    name: str
    exit_code: int
    elapsed_s: float


def settle(
    folder: Path,
    results: Path,
    faultless: bool = True,
    held: Mapping[str, Mapping[str, Any]] | None = None,
    judge: Judge | None = None,
) -> None:
    """Write the run files of the cells that the status names, and remove the launch folder.

    held: what held back the processes of the node while each cell ran, if this process watched the launch.

    After a fault of the environment (not faultless) a cell that failed is left unfinished. A launch whose
    file is damaged is set aside; its cells have no run file and are measured again.
    """
    try:
        known = from_json((folder / LAUNCH_FILE).read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        shutil.rmtree(folder, ignore_errors=True)
        return
    except ValueError:
        known = None
    if not isinstance(known, dict) or not all(
        isinstance(one, dict) and "host" in one for one in known.values()
    ):
        _set_aside(folder)
        return
    for line in read_status(folder / STATUS_FILE):
        cell, _, number = line.name.rpartition("-")
        if line.name in known and not is_kept(results, cell, int(number)):
            host = known[line.name]["host"] | (held or {}).get(line.name, {})
            outputs = run_folder(results, cell, int(number))
            _settle_one(line, known[line.name] | {"host": host}, outputs, faultless, judge)
    shutil.rmtree(folder)


def _settle_one(
    line: StatusLine, known: Mapping[str, Any], outputs: Path, faultless: bool, judge: Judge | None
) -> None:
    complete = is_complete(outputs)
    if (line.exit_code != 0 or not complete) and not faultless:
        return
    error = None
    if line.exit_code == 0 and not complete:
        error = f"{SUMMARY_FILE} is missing or truncated: the program ended with exit code 0"
    try:
        end = RunEnd(line.exit_code, False, _written_at(outputs), line.elapsed_s, error)
    except FileNotFoundError:
        return  # its folder is gone: the execution is measured again
    end_run(outputs, after(known, end, outputs), judge)


def is_complete(outputs: Path) -> bool:
    """Whether the document of weir-io is there to its end."""
    try:
        return isinstance(from_json((outputs / SUMMARY_FILE).read_bytes()), dict)
    except (OSError, ValueError):
        return False


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
            found.append(StatusLine(name, int(code), float(seconds)))
        except ValueError:
            continue
    return found


def _set_aside(folder: Path) -> None:
    attempts = len(list(folder.parent.glob(f"{folder.name}.damaged-*")))
    folder.rename(folder.with_name(f"{folder.name}.damaged-{attempts + 1}"))


def _written_at(outputs: Path) -> datetime:
    """When the cell ended: weir-io opens its stdout before and writes it at its end."""
    return datetime.fromtimestamp((outputs / "stdout.txt").stat().st_mtime, now().tzinfo)
