"""The status file of weir-io, which has a line for each cell of a shared launch that has ended."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from weir.base.files import from_json
from weir.measure.document import SUMMARY_FILE, RunEnd, now

STATUS_FILE = "status"
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
            found.append(StatusLine(name, int(code), float(seconds)))
        except ValueError:
            continue
    return found


def end_of(line: StatusLine, outputs: Path) -> RunEnd | None:
    """The end of the cell; None if the folder of its outputs is gone: then it is measured again. Its time is
    that at which weir-io, which opens its stdout before, wrote to it for the last time.

    It ended when weir-io, which opens its stdout before, wrote that at its end."""
    try:
        ended = datetime.fromtimestamp((outputs / "stdout.txt").stat().st_mtime, now().tzinfo)
    except FileNotFoundError:
        return None
    error = TRUNCATED if line.exit_code == 0 and not is_complete(outputs) else None
    return RunEnd(line.exit_code, False, ended, line.elapsed_s, error)


def is_complete(outputs: Path) -> bool:
    """Whether the document of weir-io is there to its end."""
    try:
        return isinstance(from_json((outputs / SUMMARY_FILE).read_bytes()), dict)
    except (OSError, ValueError):
        return False
