"""Whether the data reached the storage before the clock stopped."""

from __future__ import annotations

from weir.audit.registry import DEGRADED, Said, rule
from weir.audit.subject import Subject


@rule(DEGRADED, needs_output=True)
def sync_not_applied(subject: Subject) -> Said | None:
    """A synchronisation to storage at the end of the write was requested and did not happen, so that part
    of the data may still be in the memory of the clients when the clock stops: the bandwidth can be too
    high. IOR 3.0 synchronises with POSIX only, IOR 4 not with IME; both drop the wish with a warning.

    Hint: use a version that synchronises with this interface (weir-io does), or ask for sync: false and say
    so.
    """
    row = subject.row
    if row.get("access") not in ("write", "update-write") or not row.get("sync") or not subject.has_result:
        return None
    calls, tasks = subject.observed.get("sync_calls"), subject.observed.get("tasks")
    if calls is not None:
        too_few = calls < (tasks or 1)
        return Said(DEGRADED, f"{calls} synchronisations by {tasks or 1} ranks") if too_few else None
    dropped = [text for text in subject.texts("warning") if text.startswith("fsync() ")]
    if dropped:
        return Said(DEGRADED, dropped[0])
    return _known_to_drop(subject)


def _known_to_drop(subject: Subject) -> Said | None:
    """Tables of results keep no warnings, but the version and the interface tell."""
    row = subject.row
    if row.get("program") != "IOR":
        return None
    version, api = str(row.get("tool_version") or ""), row.get("api")
    if version.startswith(("2.", "3.0")) and api != "POSIX":
        return Said(DEGRADED, f"IOR {version} synchronises with POSIX only, this ran on {api}")
    if version.startswith("4.") and api == "IME":
        return Said(DEGRADED, f"IOR {version} does not synchronise with IME")
    return None
