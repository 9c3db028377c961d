"""The segments of MPI in /dev/shm: without them it cannot start, and killed ranks leave theirs.

A killed launcher leaves its session directory in the same way: on one node in a directory of our own (see
temporary), otherwise in TMPDIR.
"""

import contextlib
import math
import os
import re
import shutil
import time
from pathlib import Path

from weir.base.processes import started
from weir.measure.clean_up.directories import held_open, owned, remove_entry

FOLDER = Path("/dev/shm")
# Segments of Open MPI before and since version 5.
_NAMES = ("vader_segment.*", "sm_segment.*")
# ompi.HOST.USER/pid.PID of the launcher.
_SESSIONS = f"ompi.*.{os.geteuid()}/pid.*"
# A segment may be made but not mapped yet by a rank of another launch.
_STARTING_S = 2.0
# Messages that MPICH over UCX and Open MPI print without room or permission in /dev/shm.
_NO_SEGMENT = re.compile(
    r"shm_open\(.*failed|Shared memory error|not enough space for .*(/dev/shm|shared-memory)"
    r"|system call failed during shared memory initialization"
)
_LONGEST = 160
_SEGMENT_BYTES = 4 * 2**20  # default size of a rank's segment


def no_segment(stderr: str) -> str | None:
    """One line with the reason and the fix if MPI could not make its shared-memory segment; else None."""
    for line in stderr.splitlines():
        if found := _NO_SEGMENT.search(line):
            text = " ".join(line[max(0, found.start() - _LONGEST // 2) :].split())[:_LONGEST]
            return _without_segment(text)
    return None


def no_room() -> str | None:
    """The same where MPI loses its own message, as Open MPI does now and then."""
    try:
        free = shutil.disk_usage(FOLDER).free
    except OSError:
        return None
    if free >= _SEGMENT_BYTES:
        return None
    from weir.base.units import about_size  # each guardian would wait for this import

    return _without_segment(f"{about_size(free)} are free")


def _without_segment(reason: str) -> str:
    return (
        f"MPI could not make its shared-memory segment ({reason}): {FOLDER} must be writable and have"
        f" several MiB for each rank; look at df {FOLDER} and its mount options"
    )


def remove_orphans(since: float, folder: Path = FOLDER) -> list[Path]:
    """Delete this user's segments that were made since then (in seconds since 1970) and no process maps.

    Before it deletes any it waits until ranks that are starting now have mapped theirs.
    """
    if not _unmapped(since, folder):
        return []
    time.sleep(_STARTING_S)
    orphans = _unmapped(since, folder, until=time.time() - _STARTING_S)
    for file in orphans:
        with contextlib.suppress(OSError):
            file.unlink()
    return orphans


def _unmapped(since: float, folder: Path, until: float = math.inf) -> list[Path]:
    found = [file for name in _NAMES for file in folder.glob(name) if _is_ours(file, since, until)]
    mapped = _mapped(folder) if found else set()
    return [file for file in found if str(file) not in mapped]


def _is_ours(file: Path, since: float, until: float = math.inf) -> bool:
    try:
        facts = file.lstat()
    except OSError:
        return False
    return facts.st_uid == os.geteuid() and since <= facts.st_mtime <= until


def remove_sessions(since: float, folder: Path) -> None:
    """Delete the session directories that killed launchers of Open MPI left in folder, which is TMPDIR."""
    for session in folder.glob(_SESSIONS):
        pid = session.name.rpartition(".")[2]
        if not (pid.isdigit() and started(int(pid)) is None and _is_ours(session, since)):
            continue
        with contextlib.suppress(OSError):
            with held_open(folder) as above, held_open(session.parent.name, above) as sessions:
                if owned(sessions):
                    remove_entry(session.name, sessions)
            session.parent.rmdir()  # unless another launch has its session there


def _mapped(folder: Path) -> set[str]:
    """Files of the folder that processes map."""
    found: set[str] = set()
    for maps in Path("/proc").glob("[0-9]*/maps"):
        with contextlib.suppress(OSError):
            lines = maps.read_text(encoding="utf-8", errors="replace").splitlines()
            found |= {line[line.index(str(folder)) :] for line in lines if f" {folder}/" in line}
    return found
