"""Whether the files were where the target declares them, and options of mounts and clients that change what a
rate means."""

from collections.abc import Callable, Mapping
from typing import Any

from weir.audit.registry import Outcome, invalid, not_observable, note, passed, rule
from weir.audit.rules.servers import received_share
from weir.audit.subject import Subject
from weir.base.mounts import family, fits
from weir.measure.machine.mount_settings import deciding, shown

_LOCAL_KINDS = ("disk", "burst-buffer")


@rule("INVALID", needs_output=True)
def other_target(subject: Subject) -> Outcome | None:
    """The files were on a kind of file system that the target does not declare: a tmpfs or network file
    system as a disk, the root disk as a parallel file system that is not mounted, a disk whose bytes are in
    memory (loop device over tmpfs, zram, overlay). All ranks must see one type.

    Hint: look at `findmnt -T PATH`; mount the file system, set mount: in the target's file, or correct kind.
    """
    # FUSE is judged by the known directory below it or its server's address. Another FUSE file system proves
    # nothing. A node may lack the mount: hence all ranks are compared. Nothing is proven either of a loop
    # device whose file is removed, hidden by a mount, or not that of its name. Behind IME's library or a
    # prefix of the path there is no file system to look at.
    declared = (subject.run.target.get("kind") if subject.run else None) or None
    if subject.run is None or declared is None or not subject.has_result or subject.stores_nothing:
        return None
    if subject.row.get("api") == "IME" or subject.run.target.get("prefix"):
        return passed(f"{declared} behind a library, without a file system to look at")
    if subject.file_system is None:
        return not_observable("the file system of the files is unknown")
    several = subject.observed.get("file_systems") or ()
    if len(several) > 1:
        return invalid(f"the target declares {declared}, the ranks' files are on {', '.join(several)}")
    mount, is_fuse = subject.mount, declared == "burst-buffer-fuse"
    found = subject.file_system if is_fuse else family(str(subject.stored_on), mount)
    in_memory = bool(mount.get("in_memory")) or subject.device_in_memory
    device = subject.observed.get("device", {}).get("name") if subject.device_in_memory else None
    below = mount.get("in_memory") or device or (found != subject.file_system and f"over {found}")
    text = f"the target declares {declared}, the files are on {subject.file_system}"
    text += f" ({below})" if below else ""
    emulated = bool(subject.run.target.get("emulated"))
    if not fits(declared, found, in_memory, emulated):
        return invalid(text)
    if declared in _LOCAL_KINDS and not emulated and _is_anywhere(found, mount):
        return not_observable(f"{text}, and it does not tell where its bytes are")
    if declared in _LOCAL_KINDS and not emulated and mount.get("hidden"):
        return not_observable(f"{text}, and {mount['hidden']}")
    return passed(text)


@rule("NOTE", needs_output=True)
def files_in_memory(subject: Subject) -> Outcome | None:
    """The command of a log of one node names a file in /dev/shm, which is memory of the node.

    Hint: name a directory of the storage that is to be measured.
    """
    if subject.run is not None or not subject.has_result or not subject.observed.get("path"):
        return None
    path = subject.observed["path"]
    return note(f"{path} is in the memory of the node") if subject.named_in_memory else None


def _is_anywhere(found: str, mount: Mapping[str, Any]) -> bool:
    """A FUSE file system that has neither a directory nor a device as its source."""
    source = mount.get("device")
    return found.startswith("fuse") and bool(source) and not str(source).startswith("/")


_NEARLY_ALL = 0.95  # share of the bytes that came from the servers: then a cache decides nothing


@rule("NOTE", needs_output=True)
def mount_decides(subject: Subject) -> Outcome | None:
    """An option of the mount, or a setting of its client program, decides what the access measured
    (docs/how-to/storage.md; host.file_system.settings of run.json). A client does not see settings of a
    server, such as async of an NFS export.

    Hint: name the option beside the number, or mount without it; server_probe of the target shows what a
    server leaves in its memory.
    """
    # A read that was seen to come from the servers has no note about a cache.
    mount, settings = subject.mount, subject.mount.get("settings")
    if not settings or not subject.has_result or mount.get("type") != subject.file_system:
        return None
    found = deciding(mount["type"], mount.get("device") or "", settings)
    texts = [f"{option}: {one.means}" for one, option in found if ACCESSES[one.of](subject)]
    return note("; ".join(texts)) if texts else passed(f"{shown(settings)}: none of them decides")


def _from_caches(subject: Subject) -> bool:
    share = received_share(subject)
    return subject.is_read and not subject.observed.get("direct") and (share is None or share < _NEARLY_ALL)


def _is_shared(subject: Subject) -> bool:
    return (subject.row.get("nn") or 1) > 1


# The names of the table of settings for what a setting decides about.
ACCESSES: dict[str, Callable[[Subject], bool]] = {
    "write": lambda subject: subject.is_write and not subject.observed.get("direct"),
    "unsynchronised write": lambda subject: subject.is_write and not subject.leaves_client,
    "synchronised write": lambda subject: subject.is_write and subject.leaves_client,
    "shared write": lambda subject: (
        subject.is_write and _is_shared(subject) and subject.row.get("layout") == "shared"
    ),
    "read": _from_caches,
    "shared read": lambda subject: subject.is_read and _is_shared(subject),
    "stat": lambda subject: subject.is_metadata and subject.row.get("access") in ("stat", "read"),
    "create": lambda subject: subject.is_metadata and subject.row.get("access") in ("create", "remove"),
}
