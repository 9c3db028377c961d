"""Options of the mounts below a folder that prevent a synchronisation."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from weir.measure.members import members_of_device
from weir.measure.memory_below import SYSTEM
from weir.mounts import lower_folders, mount_of

_DEEPEST = 8
# Of an overlay: a synchronisation returns at once. Of file systems on disks: it does not empty their caches.
_IGNORED = ("volatile", "fsync=volatile")
_NOT_FLUSHED = ("nobarrier", "barrier=0", "barrier=none", "fsync_mode=nobarrier")


def synchronisation_off(folder: Path, system: Path = SYSTEM) -> dict[str, str] | None:
    """The option of a mount and what it does, ignored before not flushed: of the file system of a folder, and
    of those that its bytes go through (below an overlay, a FUSE file system over a directory, a loop)."""
    found = sorted(_options(folder, system, 0))
    return {"effect": found[0][0], "mount": found[0][1]} if found else None


def _options(folder: Path, system: Path, depth: int) -> Iterator[tuple[str, str]]:
    mount = mount_of(folder)
    if mount is None or depth > _DEEPEST:
        return
    options = mount.get("super_options", "").split(",")
    for one in options:
        known = _IGNORED if mount["type"] == "overlay" else _NOT_FLUSHED
        if one in known:
            effect = "ignored" if known is _IGNORED else "not flushed"
            yield effect, f"{one} of {mount['type']} at {mount['mount_point']}"
    for lower in (*lower_folders(mount), *_files_of_loops(mount["device"], system)):
        if lower.is_dir():
            yield from _options(lower, system, depth + 1)


def _files_of_loops(source: str, system: Path) -> Iterator[Path]:
    """Directories of the files that are the loop devices below a device."""
    try:
        facts = os.stat(source)
    except OSError:
        return
    if stat.S_ISBLK(facts.st_mode):
        yield from _files_below(system, f"{os.major(facts.st_rdev)}:{os.minor(facts.st_rdev)}", 0)


def _files_below(system: Path, number: str, depth: int) -> Iterator[Path]:
    entry = system / number
    if depth > _DEEPEST or not entry.exists():
        return
    file = entry / "loop" / "backing_file"
    if file.is_file():
        yield Path(file.read_text(encoding="utf-8").rstrip("\n")).parent
    for member in members_of_device(entry):
        yield from _files_below(system, member, depth + 1)
