"""The kinds of storage that a file system can be: a target declares one, and its files are on one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from weir.base.mounts import MEMORY_FILE_SYSTEMS

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
    address of a server. mount: its own, with type and device.

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
