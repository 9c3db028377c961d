"""The devices below a folder, and whether their bytes are in the memory of the node."""

import fcntl
import os
import stat
import struct
from collections.abc import Mapping
from pathlib import Path

from weir.base.mounts import MEMORY_FILE_SYSTEMS, lower_folders, mount_of

SYSTEM = Path("/sys/dev/block")
DEEPEST = 8  # devices and file systems below each other


def devices_below(folder: Path, system: Path = SYSTEM, depth: int = 0) -> set[str]:
    """Numbers of all block devices that the bytes of a folder pass, as 8:0."""
    mount = mount_of(folder)
    if mount is None or depth > DEEPEST:
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
    if depth > DEEPEST or not entry.exists():
        return set()
    found, entry = {entry.name}, entry.resolve()
    if (entry / "partition").exists():
        entry = entry.parent
        found.add((entry / "dev").read_text(encoding="utf-8").strip())
    for member in members_of_device(entry):
        found |= _and_below(system / member, system, depth + 1)
    file = file_of_loop(entry)
    if file is not None and file.exists():
        found |= devices_below(file.parent, system, depth + 1)
    return found


def file_of_loop(entry: Path) -> Path | None:
    """The file that is a loop device; None of any other device."""
    named = entry / "loop" / "backing_file"
    return Path(named.read_text(encoding="utf-8").rstrip("\n")) if named.is_file() else None


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


_MEMORY_DEVICES = ("ram", "zram", "nullb")
_MEMORY_MODELS = ("scsi_debug", "RAMDISK-MCP")  # disks that drivers of tests and of targets make of memory


def memory_below(folder: Path, system: Path = SYSTEM, depth: int = 0) -> str | None:
    """The part of memory that holds the bytes; None for a file system of memory itself, and where nothing
    shows it."""
    mount = mount_of(folder)
    if mount is None or depth > DEEPEST:
        return None
    lower = lower_folders(mount)
    if lower:
        found = (_memory_of(one, system, depth) for one in lower if one.is_dir())
        where = next((one for one in found if one), None)
        return where and f"a file system of type {mount['type']} over {where}"
    for part, device in {"": mount["device"], **_other_devices(mount)}.items():
        number = number_of(device)
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


def number_of(device: str) -> str | None:
    try:
        facts = os.stat(device)
    except OSError:
        return None
    return f"{os.major(facts.st_rdev)}:{os.minor(facts.st_rdev)}" if stat.S_ISBLK(facts.st_mode) else None


def type_below(folder: Path, depth: int = 0) -> str | None:
    """Type of the file system that holds the bytes of a folder on a stacked one (overlay, a FUSE file system
    over a directory); None where nothing is known to be below, or where several are."""
    mount = mount_of(folder)
    lower = lower_folders(mount) if mount is not None and depth <= DEEPEST else []
    if not lower or not all(one.is_dir() for one in lower):
        return None
    found = {type_below(one, depth + 1) or (mount_of(one) or {}).get("type") for one in lower}
    return found.pop() if len(found) == 1 else None


def memory_of_device(number: str, system: Path = SYSTEM, depth: int = 0) -> str | None:
    """The same of a block device (8:0): of memory itself, a loop over a file there, made of such devices, or
    of none at all."""
    entry = system / number
    if depth > DEEPEST or not entry.exists():
        return None
    if (entry / "partition").exists():
        entry = entry.resolve().parent
    name = entry.resolve().name
    if name.rstrip("0123456789") in _MEMORY_DEVICES or _model(entry) in _MEMORY_MODELS:
        return f"the memory device {name}"
    if (backing := file_of_loop(entry)) is not None:
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
        path = file_of_loop(system / number)
        if path is None:
            continue
        name = (system / number).resolve().name
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
