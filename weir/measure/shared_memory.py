"""Segments that killed MPI ranks leave in /dev/shm: megabytes for each rank, until the next boot."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

FOLDER = Path("/dev/shm")
# Of Open MPI before and since version 5.
_NAMES = ("vader_segment.*", "sm_segment.*")
# A segment may be made but not mapped yet by a rank of another launch.
_SETTLED_S = 2.0


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
