"""Limits that control groups set on the block devices below a folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from weir.base.mounts import lower_folders, mount_of

_PROC, _CGROUPS, _SYSTEM = Path("/proc"), Path("/sys/fs/cgroup"), Path("/sys/dev/block")
_DEEPEST = 8
# Control groups of version 1 have these files, those of version 2 these keys in io.max.
_LIMITS = {
    "read_bps": ("blkio.throttle.read_bps_device", "rbps"),
    "write_bps": ("blkio.throttle.write_bps_device", "wbps"),
    "read_iops": ("blkio.throttle.read_iops_device", "riops"),
    "write_iops": ("blkio.throttle.write_iops_device", "wiops"),
}

Limits = list[dict[str, int | str]]


def block_limits(
    folder: Path, proc: Path = _PROC, cgroups: Path = _CGROUPS, system: Path = _SYSTEM
) -> Limits:
    """One entry for each device and level of this process's control groups that has a limit: the device's
    number, read_bps, write_bps, read_iops and write_iops as far as they are set."""
    devices = devices_below(folder, system)
    found: Limits = []
    for level in _levels(proc, cgroups):
        limits: dict[str, dict[str, int]] = {}
        for name, (file, key) in _LIMITS.items():
            for number, text in (*_lines(level / file), *_keys(level / "io.max", key)):
                if number in devices and text.isdigit() and int(text) > 0:
                    limits.setdefault(number, {})[name] = int(text)
        found += [{"device": number, **values} for number, values in limits.items()]
    return found


def devices_below(folder: Path, system: Path = _SYSTEM, depth: int = 0) -> set[str]:
    """Numbers of all block devices that the bytes of a folder pass, as 8:0."""
    mount = mount_of(folder)
    if mount is None or depth > _DEEPEST:
        return set()
    lower = lower_folders(mount)
    if lower:
        return {one for part in lower if part.is_dir() for one in devices_below(part, system, depth + 1)}
    try:
        number, source = folder.stat().st_dev, Path(mount["device"])
        if os.major(number) == 0 and source.is_block_device():
            number = source.stat().st_rdev
    except OSError:
        return set()
    entry = system / f"{os.major(number)}:{os.minor(number)}"
    members = members_of_file_system(entry) or [entry.name]
    return {one for member in members for one in _and_below(system / member, system, depth)}


def _and_below(entry: Path, system: Path, depth: int) -> set[str]:
    """The device, its disk where it is a partition, its members, and what is below the file of a loop."""
    if depth > _DEEPEST or not entry.exists():
        return set()
    found, entry = {entry.name}, entry.resolve()
    if (entry / "partition").exists():
        entry = entry.parent
        found.add((entry / "dev").read_text(encoding="utf-8").strip())
    for member in members_of_device(entry):
        found |= _and_below(system / member, system, depth + 1)
    backing = entry / "loop" / "backing_file"
    if backing.is_file():
        file = Path(backing.read_text(encoding="utf-8").rstrip("\n"))
        found |= devices_below(file.parent, system, depth + 1) if file.exists() else set()
    return found


def _levels(proc: Path, cgroups: Path) -> Iterator[Path]:
    """The directories of the control groups of blkio (version 1) and of version 2, up to the root."""
    try:
        lines = (proc / "self" / "cgroup").read_text(encoding="utf-8").splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, group = line.split(":", 2)
        if controllers and "blkio" not in controllers.split(","):
            continue
        top = cgroups / "blkio" if controllers else cgroups
        own = top / group.lstrip("/")
        for level in (own, *own.parents):
            yield level
            if level == top:
                break


def _lines(file: Path) -> list[tuple[str, str]]:
    """Devices and limits in a file of version 1."""
    try:
        lines = [line.split() for line in file.read_text(encoding="utf-8").splitlines()]
    except OSError:
        return []
    return [(line[0], line[1]) for line in lines if len(line) == 2]


def _keys(file: Path, key: str) -> list[tuple[str, str]]:
    """Devices and limits in a file of version 2: 8:16 rbps=2097152 wbps=max riops=max wiops=120."""
    try:
        lines = [line.split() for line in file.read_text(encoding="utf-8").splitlines()]
    except OSError:
        return []
    return [
        (line[0], one.partition("=")[2]) for line in lines for one in line[1:] if one.startswith(f"{key}=")
    ]


BTRFS = Path("/sys/fs/btrfs")


def members_of_device(entry: Path) -> list[str]:
    """entry: of a device in /sys/dev/block. Of a RAID, a volume or a mapping those below it."""
    return _numbers(entry / "slaves")


def members_of_file_system(entry: Path) -> list[str]:
    """All devices of the btrfs that has this one, as its mount names only one; empty: no btrfs has it."""
    name = entry.resolve().name
    found = (devices for devices in sorted(BTRFS.glob("*/devices")) if (devices / name).exists())
    return next((_numbers(devices) for devices in found), [])


def _numbers(folder: Path) -> list[str]:
    return [one.read_text(encoding="utf-8").strip() for one in sorted(folder.glob("*/dev"))]
