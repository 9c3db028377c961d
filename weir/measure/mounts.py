"""The mounts of this machine, as the kernel lists them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

_PROC = Path("/proc")


def mount_of(folder: Path, proc: Path = _PROC) -> dict[str, str] | None:
    """The mount that holds folder: the longest mount point above it.

    Where the root was changed to an ordinary directory, as for a chroot, the process's own table lacks the
    file system of its root; that of the first process has it, by its device.
    """
    resolved = str(folder.resolve())
    best: dict[str, str] | None = None
    for fields, tail in _lines(proc / "self" / "mountinfo"):
        point = fields[4].replace("\\040", " ")
        inside = point == "/" or resolved == point or resolved.startswith(point + "/")
        # A later mount on the same point hides the earlier one, hence >=.
        if inside and (best is None or len(point) >= len(best["mount_point"])):
            best = _mount(point, fields, tail)
    return best or _mount_of_device(folder, proc)


def _mount_of_device(folder: Path, proc: Path) -> dict[str, str] | None:
    try:
        number = folder.stat().st_dev
    except OSError:
        return None
    wanted = f"{os.major(number)}:{os.minor(number)}"
    for fields, tail in _lines(proc / "1" / "mountinfo"):
        if fields[2] == wanted:
            return _mount("/", fields, tail)
    return None


def _mount(point: str, fields: list[str], tail: list[str]) -> dict[str, str]:
    found = {"mount_point": point, "type": tail[0], "device": tail[1], "options": fields[5]}
    return found | {"super_options": tail[2] if len(tail) > 2 else ""}


def _lines(table: Path) -> Iterable[tuple[list[str], list[str]]]:
    try:
        lines = table.read_text(encoding="utf-8").splitlines()
    except OSError:
        return
    for line in lines:
        left, _, right = line.partition(" - ")
        yield left.split(), right.split()
