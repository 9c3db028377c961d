"""Facts about processes of this machine, from /proc: a pid alone may meanwhile belong to another process."""

from __future__ import annotations

import os
from pathlib import Path

_STATE, _STARTED = 0, 19  # fields of /proc/PID/stat after the name, which may hold spaces


def started(pid: int) -> int | None:
    """When a process began, in clock ticks since boot; None if there is none, or only its exit status."""
    facts = _facts(pid)
    return None if facts is None or facts[_STATE] in "ZX" else int(facts[_STARTED])


def is_the_same(pid: int, started_ticks: int) -> bool:
    """Whether the process that began then is still there."""
    return started(pid) == started_ticks


def waits_in(pid: int) -> str:
    """What a process does: `D in fuse_simple_request` for one that waits for a file system."""
    facts = _facts(pid)
    if facts is None:
        return "gone"
    try:
        place = Path(f"/proc/{pid}/wchan").read_text(encoding="utf-8").strip("\0\n0")
    except OSError:
        place = ""
    return f"{facts[_STATE]} in {place}" if place else facts[_STATE]


def engines_of_others(name: str) -> list[str]:
    """Processes of this name that other users run on this machine: `user 1000, process 4711`."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            user = entry.stat().st_uid
            if user != os.geteuid() and (entry / "comm").read_text(encoding="utf-8").strip() == name:
                found.append(f"user {user}, process {entry.name}")
        except OSError:
            continue
    return sorted(found)


def _facts(pid: int) -> list[str] | None:
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    return text.rpartition(")")[2].split()
