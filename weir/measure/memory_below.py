"""Whether a file system that looks like one of storage keeps its bytes in the memory of the node."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path

from weir.measure.mounts import mount_of

SYSTEM = Path("/sys/dev/block")
_MEMORY = ("tmpfs", "ramfs", "hugetlbfs")
_MEMORY_DEVICES = ("ram", "zram", "nullb")
_DEEPEST = 8  # devices and file systems below each other


def memory_below(folder: Path, system: Path = SYSTEM, depth: int = 0) -> str | None:
    """Where in memory the bytes are; None for a file system of memory itself, and where nothing shows it."""
    mount = mount_of(folder)
    if mount is None or depth > _DEEPEST:
        return None
    if mount["type"] == "overlay":
        upper = next(
            (one[9:] for one in mount["super_options"].split(",") if one.startswith("upperdir=")), ""
        )
        where = _memory_of(Path(upper), system, depth) if upper and Path(upper).is_dir() else None
        return where and f"an overlay whose upper directory is {where}"
    try:
        source = os.stat(mount["device"])
    except OSError:
        return None
    if not stat.S_ISBLK(source.st_mode):
        return None
    return memory_of_device(os.major(source.st_rdev), os.minor(source.st_rdev), system, depth)


def memory_of_device(major: int, minor: int, system: Path = SYSTEM, depth: int = 0) -> str | None:
    """The same of a block device: of memory itself, a loop over a file there, or made of such devices."""
    entry = system / f"{major}:{minor}"
    if depth > _DEEPEST or not entry.exists():
        return None
    if (entry / "partition").exists():
        entry = entry.resolve().parent
    name = entry.resolve().name
    if name.rstrip("0123456789") in _MEMORY_DEVICES:
        return f"the memory device {name}"
    if (entry / "loop" / "backing_file").is_file():
        backing = Path((entry / "loop" / "backing_file").read_text(encoding="utf-8").rstrip("\n"))
        where = _memory_of(backing.parent, system, depth) if backing.exists() else None
        return where and f"{name}, a file in {where}"
    for member in sorted((entry / "slaves").glob("*/dev")):
        numbers = member.read_text(encoding="utf-8").strip().partition(":")
        if where := memory_of_device(int(numbers[0]), int(numbers[2]), system, depth + 1):
            return f"{name} on {where}"
    return None


def _memory_of(folder: Path, system: Path, depth: int) -> str | None:
    mount: Mapping[str, str] | None = mount_of(folder)
    if mount is not None and mount["type"] in _MEMORY:
        return f"{folder} on {mount['type']}"
    return memory_below(folder, system, depth + 1)
