"""Whether a file system that looks like one of storage keeps its bytes in the memory of the node."""

from __future__ import annotations

import fcntl
import os
import stat
import struct
from collections.abc import Mapping
from pathlib import Path

from weir.base.mounts import MEMORY_FILE_SYSTEMS, lower_folders, mount_of
from weir.measure.machine.block_limits import devices_below, members_of_device, members_of_file_system

SYSTEM = Path("/sys/dev/block")
_MEMORY_DEVICES = ("ram", "zram", "nullb")
_MEMORY_MODELS = ("scsi_debug", "RAMDISK-MCP")  # disks that drivers of tests and of targets make of memory
_DEEPEST = 8  # devices and file systems below each other


def memory_below(folder: Path, system: Path = SYSTEM, depth: int = 0) -> str | None:
    """The part of memory that holds the bytes; None for a file system of memory itself, and where nothing
    shows it."""
    mount = mount_of(folder)
    if mount is None or depth > _DEEPEST:
        return None
    lower = lower_folders(mount)
    if lower:
        found = (_memory_of(one, system, depth) for one in lower if one.is_dir())
        where = next((one for one in found if one), None)
        return where and f"a file system of type {mount['type']} over {where}"
    for part, device in {"": mount["device"], **_other_devices(mount)}.items():
        number = _number(device)
        members = [] if number is None else members_of_file_system(system / number) or [number]
        where = next(filter(None, (memory_of_device(one, system, depth) for one in members)), None)
        if where:
            return part + where
    return None


def _other_devices(mount: Mapping[str, str]) -> dict[str, str]:
    """Devices of an XFS with its log, which a synchronisation waits for, and with its real-time files."""
    options = (option.partition("=") for option in mount["super_options"].split(","))
    parts = {"logdev": "its log on ", "rtdev": "its real-time files on "}
    return {parts[name]: device for name, _, device in options if name in parts}


def _number(device: str) -> str | None:
    try:
        facts = os.stat(device)
    except OSError:
        return None
    return f"{os.major(facts.st_rdev)}:{os.minor(facts.st_rdev)}" if stat.S_ISBLK(facts.st_mode) else None


def type_below(folder: Path, depth: int = 0) -> str | None:
    """Type of the file system that holds the bytes of a folder on a stacked one (overlay, a FUSE file system
    over a directory); None where nothing is known to be below, or where several are."""
    mount = mount_of(folder)
    lower = lower_folders(mount) if mount is not None and depth <= _DEEPEST else []
    if not lower or not all(one.is_dir() for one in lower):
        return None
    found = {type_below(one, depth + 1) or (mount_of(one) or {}).get("type") for one in lower}
    return found.pop() if len(found) == 1 else None


def memory_of_device(number: str, system: Path = SYSTEM, depth: int = 0) -> str | None:
    """The same of a block device (8:0): of memory itself, a loop over a file there, made of such devices, or
    of none at all."""
    entry = system / number
    if depth > _DEEPEST or not entry.exists():
        return None
    if (entry / "partition").exists():
        entry = entry.resolve().parent
    name = entry.resolve().name
    if name.rstrip("0123456789") in _MEMORY_DEVICES or _model(entry) in _MEMORY_MODELS:
        return f"the memory device {name}"
    if (entry / "loop" / "backing_file").is_file():
        backing = Path((entry / "loop" / "backing_file").read_text(encoding="utf-8").rstrip("\n"))
        if backing.is_block_device():
            file = backing.stat().st_rdev
            where = memory_of_device(f"{os.major(file)}:{os.minor(file)}", system, depth + 1)
            return where and f"{name} on {where}"
        where = _memory_of(backing.parent, system, depth) if backing.exists() else None
        return where and f"{name}, a file in {where}"
    members = members_of_device(entry)
    if not members and (entry / "dm").is_dir():
        return f"{name}, which has no device below it"
    found = (memory_of_device(one, system, depth + 1) for one in members)
    where = next(filter(None, found), None)
    return where and f"{name} on {where}"


def _model(entry: Path) -> str:
    file = entry / "device" / "model"
    return file.read_text(encoding="utf-8", errors="replace").strip() if file.is_file() else ""


def _memory_of(folder: Path, system: Path, depth: int) -> str | None:
    mount = mount_of(folder)
    if mount is not None and mount["type"] in MEMORY_FILE_SYSTEMS:
        return f"{folder} on {mount['type']}"
    return memory_below(folder, system, depth + 1)


_DEVICES = Path("/dev")
_LOOP_GET_STATUS64, _STATUS_BYTES = 0x4C05, 232


def hidden_below(folder: Path, system: Path = SYSTEM, devices: Path = _DEVICES) -> str | None:
    """The reason why files of loop devices are not known; None where all are, and where there are none."""
    for number in sorted(devices_below(folder, system)):
        backing = system / number / "loop" / "backing_file"
        if not backing.is_file():
            continue
        name = (system / number).resolve().name
        path = Path(backing.read_text(encoding="utf-8").rstrip("\n"))
        if not path.exists():
            return f"the file of {name} cannot be seen"
        inode = _inode_of(devices / name)
        if inode is not None and inode != path.stat().st_ino:
            return f"the file of {name} is another one than that of its name"
    return None


def _inode_of(device: Path) -> int | None:
    """Inode of the file of a loop device, by the kernel; None without permission."""
    try:
        descriptor = os.open(device, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        status = fcntl.ioctl(descriptor, _LOOP_GET_STATUS64, bytes(_STATUS_BYTES))
    except OSError:
        return None
    finally:
        os.close(descriptor)
    inode: int = struct.unpack_from("=QQ", status)[1]
    return inode
