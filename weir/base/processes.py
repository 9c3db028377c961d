"""Facts about processes of this machine, from /proc: a pid alone may meanwhile belong to another process."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_libc = ctypes.CDLL(None, use_errno=True)
_POLL_S = 0.05
_STATE, _PARENT, _STARTED = 0, 1, 19  # fields of /proc/PID/stat after the name, which may hold spaces


def started(pid: int) -> int | None:
    """The start of a process in clock ticks since boot; None if there is none, or only its exit status."""
    facts = _facts(pid)
    return None if facts is None or facts[_STATE] in "ZX" else int(facts[_STARTED])


def is_the_same(pid: int, started_ticks: int) -> bool:
    """Whether the process that began then is still there."""
    return started(pid) == started_ticks


def takes(pid: int, number: signal.Signals) -> bool:
    """Whether the process has a handler of the signal, or ignores it."""
    try:
        text = Path(f"/proc/{pid}/status").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    masks = [
        int(line.split()[1], 16) for line in text.splitlines() if line.startswith(("SigIgn:", "SigCgt:"))
    ]
    return any(mask & 1 << (number - 1) for mask in masks)


def name_of(pid: int) -> str | None:
    """The first 15 characters of its program's name, as the kernel has it."""
    try:
        return Path(f"/proc/{pid}/comm").read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return None


def waits_in(pid: int) -> str:
    """The state of a process: `D in fuse_simple_request` if it waits for a file system."""
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


def die_with_parent(by: signal.Signals = signal.SIGTERM) -> None:
    """Let a process that was just forked get the signal when its parent is killed."""
    _libc.prctl(_PR_SET_PDEATHSIG, by)


def adopt_orphans() -> None:
    """Keeps all descendants below this process, whatever their session, when those between are gone."""
    _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1)


def children() -> set[int]:
    """Processes whose parent is this one. The counts of what has ended are in its own then."""
    while True:
        living = children_of(os.getpid())
        # One that ends while the others are listed is in neither, and its own children come to this process.
        if not _waited_for_any():
            return living


def _waited_for_any() -> bool:
    some = False
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG) != (0, 0):
            some = True
    return some


def children_of(parent: int) -> set[int]:
    """Children of any process, without those that have ended."""
    pids = (int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit())
    found = ((pid, facts) for pid in pids if (facts := _facts(pid)))
    return {pid for pid, facts in found if facts[_PARENT] == str(parent) and facts[_STATE] not in "ZX"}


def descendants(pid: int) -> Iterator[int]:
    """All that it started and that still has a parent there; by its own lists, as it is looked at often."""
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            listed = [int(word) for word in task.read_text(encoding="ascii").split()]
        except OSError:
            continue
        for child in listed:
            yield child
            yield from descendants(child)


def wait_for_children(apart_from: set[int], limit_s: float) -> set[int]:
    """Waits for the children to end; returns those that are still there after the limit."""
    over = time.monotonic() + limit_s
    while (left := children() - apart_from) and time.monotonic() < over:
        time.sleep(_POLL_S)
    return left


def _facts(pid: int) -> list[str] | None:
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    return text.rpartition(")")[2].split()
