"""Whether the files were where the target declares them."""

from __future__ import annotations

from weir.audit.outcome import Outcome, invalid, not_observable, passed
from weir.audit.registry import rule
from weir.audit.subject import MEMORY_FILE_SYSTEMS, Subject

_NETWORK = ("nfs", "nfs4", "cifs", "smb3", "9p", "ceph", "fuse.glusterfs", "glusterfs", "afs")
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
    "fuse",
)
_LOCAL = ("ext2", "ext3", "ext4", "xfs", "btrfs", "zfs", "f2fs", "bcachefs", "overlay", "jfs", "nilfs2")


@rule("INVALID", needs_output=True)
def other_target(subject: Subject) -> Outcome | None:
    """The files were on a kind of file system that the target does not declare: a tmpfs declared as a disk,
    the node's root disk declared as a parallel file system (often because it was not mounted), a disk
    declared as memory, or a disk whose bytes are in memory (a loop device over a file of tmpfs, zram, an
    overlay with its upper directory on tmpfs).

    Hint: look at `findmnt -T PATH`; mount the file system, set mount: in the target's file so that weir
    checks it, or correct kind.
    """
    declared = (subject.run.target.get("kind") if subject.run else None) or None
    if declared is None or not subject.has_result or subject.stores_nothing:
        return None
    found = subject.file_system
    if declared in ("burst-buffer", "pool"):
        return passed(f"{declared} behind a library, without a file system to look at")
    if found is None:
        return not_observable("the file system of the files is unknown")
    below = (subject.run.host.get("file_system") or {}).get("in_memory") if subject.run else None
    text = f"the target declares {declared}, the files are on {found}" + (f" ({below})" if below else "")
    emulated = bool(subject.run and subject.run.target.get("emulated"))
    return passed(text) if _fits(declared, found, bool(below), emulated) else invalid(text)


def _fits(declared: str, found: str, in_memory: bool, emulated: bool) -> bool:
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
