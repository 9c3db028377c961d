"""Loop devices below a folder whose files cannot be looked at: removed, hidden by a mount, or elsewhere."""

from __future__ import annotations

import fcntl
import os
import struct
from pathlib import Path

from weir.measure.block_limits import devices_below
from weir.measure.memory_below import SYSTEM

_DEVICES = Path("/dev")
_LOOP_GET_STATUS64, _STATUS_BYTES = 0x4C05, 232


def hidden_below(folder: Path, system: Path = SYSTEM, devices: Path = _DEVICES) -> str | None:
    """What hides; None where all files of loop devices are known, and where there are none."""
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
    """Of the file of a loop device, by the kernel; None for those who may not ask."""
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
