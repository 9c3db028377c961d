"""The segments of MPI in /dev/shm: without them it cannot start, and killed ranks leave theirs."""

from __future__ import annotations

import contextlib
import os
import re
import time
from pathlib import Path

FOLDER = Path("/dev/shm")
# Of Open MPI before and since version 5.
_NAMES = ("vader_segment.*", "sm_segment.*")
# A segment may be made but not mapped yet by a rank of another launch.
_SETTLED_S = 2.0
# What MPICH over UCX and Open MPI print without room or permission in /dev/shm.
_NO_SEGMENT = re.compile(
    r"shm_open\(.*failed|Shared memory error|not enough space for .*(/dev/shm|shared-memory)"
    r"|system call failed during shared memory initialization"
)
_LONGEST = 160


def no_segment(stderr: str) -> str | None:
    """One line with the reason and the fix where MPI could not make its shared-memory segment; else None."""
    for line in stderr.splitlines():
        if found := _NO_SEGMENT.search(line):
            text = " ".join(line[max(0, found.start() - _LONGEST // 2) :].split())[:_LONGEST]
            return (
                f"MPI could not make its shared-memory segment ({text}): {FOLDER} must be writable and have"
                f" several MiB for each rank; look at df {FOLDER} and its mount options"
            )
    return None


def remove_orphans(since: float, folder: Path = FOLDER) -> list[Path]:
    """Delete this user's segments that were made since then (in seconds since 1970) and no process maps."""
    found = [file for name in _NAMES for file in folder.glob(name) if _is_ours(file, since)]
    mapped = _mapped(folder) if found else set()
    orphans = [file for file in found if str(file) not in mapped]
    for file in orphans:
        with contextlib.suppress(OSError):
            file.unlink()
    return orphans


def _is_ours(file: Path, since: float) -> bool:
    try:
        facts = file.lstat()
    except OSError:
        return False
    return facts.st_uid == os.geteuid() and since <= facts.st_mtime <= time.time() - _SETTLED_S


def _mapped(folder: Path) -> set[str]:
    """Files of the folder that processes map."""
    found: set[str] = set()
    for maps in Path("/proc").glob("[0-9]*/maps"):
        with contextlib.suppress(OSError):
            lines = maps.read_text(encoding="utf-8", errors="replace").splitlines()
            found |= {line[line.index(str(folder)) :] for line in lines if f" {folder}/" in line}
    return found
