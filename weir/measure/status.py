"""The status file of weir-io, which has a line for each cell of a shared launch that has ended."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from weir.base.files import from_json
from weir.measure.document import SUMMARY_FILE, RunEnd, now

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
