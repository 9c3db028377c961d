"""The block devices that another one, or a file system, is made of: by their numbers, as 8:0."""

from __future__ import annotations

from pathlib import Path

BTRFS = Path("/sys/fs/btrfs")


def members_of_device(entry: Path) -> list[str]:
    """entry: of a device in /sys/dev/block. Of a RAID, a volume or a mapping those below it."""
    return _numbers(entry / "slaves")


def members_of_file_system(entry: Path) -> list[str]:
    """Of a btrfs that has this device all of its devices; the mount names one of them. Else nothing."""
    name = entry.resolve().name
    found = (devices for devices in sorted(BTRFS.glob("*/devices")) if (devices / name).exists())
    return next((_numbers(devices) for devices in found), [])


def _numbers(folder: Path) -> list[str]:
    return [one.read_text(encoding="utf-8").strip() for one in sorted(folder.glob("*/dev"))]
