"""The mounts of this machine, as the kernel lists them, and the kinds of storage that a file system can be: a
target declares one, and its files are on one.
"""

import os
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

# File systems whose files are pages of the node's memory.
MEMORY_FILE_SYSTEMS = ("tmpfs", "ramfs", "hugetlbfs", "devtmpfs")
_PROC = Path("/proc")
_OCTAL = re.compile(r"\\([0-3][0-7]{2})")


def mount_of(folder: Path, proc: Path = _PROC) -> dict[str, str] | None:
    """The mount that holds folder, by the kernel's number of it; else the longest mount point above it.

    Where the root was changed to an ordinary directory, as for a chroot, the process's own table lacks the
    file system of its root; that of the first process has it, by its device.
    """
    number = _mount_id(folder, proc)
    if number is not None:
        for table in ("self", "1"):
            for fields, tail in _lines(proc / table / "mountinfo"):
                if fields[0] == number:
                    return _mount(fields, tail)
    return _longest_above(str(folder.resolve()), proc) or _mount_of_device(folder, proc)


def noexec_hint(path: Path) -> str:
    """Advice where nothing that is there can be started because of its mount; empty where that is not the
    cause."""
    if not path.exists() or not os.statvfs(path).f_flag & os.ST_NOEXEC:
        return ""
    return f"{path} is mounted noexec: put the checkout where programs may be started"


def place_of(path: Path, proc: Path = _PROC) -> str:
    """The device and the path in its file system, "8:1 /home/ana": the same in a container, and for each bind
    mount. Empty where it is not known."""
    number = _mount_id(path, proc)
    for fields, _ in _lines(proc / "self" / "mountinfo"):
        if fields[0] == number:
            below = os.path.relpath(os.path.realpath(path), decoded(fields[4]))
            return f"{fields[2]} {os.path.normpath(os.path.join(decoded(fields[3]), below))}"
    return ""


def named_mount(path: str, proc: Path = _PROC) -> str:
    """The mount above a path, for a message: nfs4 of server:/export. It does not touch the path, whose
    storage may hang; empty where no table is readable."""
    found = _longest_above(os.path.abspath(path), proc)
    return f"{found['type']} of {found['device']}" if found else ""


def decoded(text: str) -> str:
    """A field of the table: the kernel writes spaces and some other characters as three octal digits."""
    return _OCTAL.sub(lambda found: chr(int(found[1], 8)), text)


def lower_folders(mount: dict[str, str]) -> list[Path]:
    """Directories of other file systems that take the bytes of this one: the upper directory of an overlay,
    the source of a FUSE file system where it is a path, several of them separated by colons."""
    if mount["type"] == "overlay":
        options = mount["super_options"].split(",")
        return [Path(decoded(one[9:])) for one in options if one.startswith("upperdir=") and one[9:]]
    source = mount["device"]
    if not mount["type"].startswith("fuse") or not source.startswith("/") or Path(source).is_block_device():
        return []
    return [Path(one) for one in source.split(":")]


def _mount_id(folder: Path, proc: Path) -> str | None:
    with suppress(OSError):
        descriptor = os.open(folder, os.O_PATH)
        try:
            text = (proc / "self" / "fdinfo" / str(descriptor)).read_text(encoding="utf-8")
        finally:
            os.close(descriptor)
        return next((line.split()[1] for line in text.splitlines() if line.startswith("mnt_id:")), None)
    return None


def _longest_above(resolved: str, proc: Path) -> dict[str, str] | None:
    best: dict[str, str] | None = None
    for fields, tail in _lines(proc / "self" / "mountinfo"):
        point = decoded(fields[4])
        inside = point == "/" or resolved == point or resolved.startswith(point + "/")
        # A later mount on the same point hides the earlier one, hence >=.
        if inside and (best is None or len(point) >= len(best["mount_point"])):
            best = _mount(fields, tail)
    return best


def _mount_of_device(folder: Path, proc: Path) -> dict[str, str] | None:
    try:
        number = folder.stat().st_dev
    except OSError:
        return None
    wanted = f"{os.major(number)}:{os.minor(number)}"
    for fields, tail in _lines(proc / "1" / "mountinfo"):
        if fields[2] == wanted:
            return {**_mount(fields, tail), "mount_point": "/"}
    return None


def _mount(fields: list[str], tail: list[str]) -> dict[str, str]:
    found = {"mount_point": decoded(fields[4]), "type": tail[0], "device": decoded(tail[1])}
    return found | {"options": fields[5], "super_options": tail[2] if len(tail) > 2 else ""}


def _lines(table: Path) -> Iterable[tuple[list[str], list[str]]]:
    try:
        lines = table.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return
    for line in lines:
        left, _, right = line.partition(" - ")
        yield left.split(), right.split()


_NETWORK = ("nfs", "nfs4", "cifs", "smb3", "9p", "ceph", "glusterfs", "afs", "sshfs", "s3fs", "rclone")
_PARALLEL = (
    "lustre",
    "gpfs",
    "beegfs",
    "fhgfs_nodev",
    "pvfs2",
    "orangefs",
    "panfs",
    "wekafs",
    "ceph",
    "moosefs",
    "mfs",
    "juicefs",
)
_LOCAL = ("ext2", "ext3", "ext4", "xfs", "btrfs", "zfs", "f2fs", "bcachefs", "overlay", "jfs", "nilfs2")
# host:/export, user@host:, mfs#host:port, https://...
_SERVER = re.compile(r"^[^/].*(:/|@.*:|#|:\d+$)|://")


def family(found: str, mount: Mapping[str, Any]) -> str:
    """The name that decides the kind of a file system: its type; behind FUSE the name after `fuse.`, or the
    address of a server.

    mount: its own, with type and device."""
    if not found.startswith("fuse"):
        return found
    known = [part for part in re.split("[.-]", found) if part in (*_NETWORK, *_PARALLEL)]
    is_remote = mount.get("type") == found and _SERVER.search(mount.get("device") or "")
    return known[0] if known else "nfs" if is_remote else found


def fits(declared: str, found: str, in_memory: bool, emulated: bool) -> bool:
    """File systems that are in none of the lists fit every kind but memory."""
    if declared == "memory":
        return in_memory or found in MEMORY_FILE_SYSTEMS
    if emulated:
        return True
    if in_memory or found in MEMORY_FILE_SYSTEMS:
        return False
    if declared == "disk":
        return found not in _NETWORK and found not in _PARALLEL
    if declared in ("parallel", "network"):
        return found not in _LOCAL
    return found.startswith("fuse") if declared == "burst-buffer-fuse" else True
