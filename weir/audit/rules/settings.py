"""Options of mounts and clients that change what a rate means."""

from __future__ import annotations

from collections.abc import Callable

from weir.audit.outcome import Outcome, note, passed
from weir.audit.registry import rule
from weir.audit.rules.servers import received_share
from weir.audit.subject import Subject
from weir.measure.machine.mount_settings import deciding, shown

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
    host = (subject.run.host.get("file_system") or {}) if subject.run else {}
    settings = host.get("settings")
    if not settings or not subject.has_result or host.get("type") != subject.file_system:
        return None
    found = deciding(host["type"], host.get("device") or "", settings)
    texts = [f"{option}: {one.means}" for one, option in found if ACCESSES[one.of](subject)]
    return note("; ".join(texts)) if texts else passed(f"{shown(settings)}: none of them decides")


def _from_caches(subject: Subject) -> bool:
    share = received_share(subject)
    return subject.is_read and not subject.observed.get("direct") and (share is None or share < _NEARLY_ALL)


def _looks_at_names(subject: Subject) -> bool:
    return subject.is_metadata and subject.row.get("access") in ("stat", "read")


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
    "stat": _looks_at_names,
    "create": lambda subject: subject.is_metadata and subject.row.get("access") in ("create", "remove"),
}
