"""Whether the data reached the storage before the clock stopped."""

from __future__ import annotations

from weir.audit.registry import DEGRADED, Said, rule
from weir.audit.subject import Subject


@rule(DEGRADED)
def sync_not_applied(subject: Subject) -> Said | None:
    """A synchronisation to storage at the end of the write was asked for and did not happen, so that part of
    the data may still be in the memory of the clients when the clock stops: the bandwidth can be too high.

    Mend: use a tool version that synchronises with this interface (weir-io does), or ask for
    sync: false and say so.
    """
    if subject.row.get("access") != "write" or not subject.row.get("sync"):
        return None
    calls, tasks = subject.observed.get("sync_calls"), subject.observed.get("tasks")
    if calls is not None and calls < (tasks or 1):
        return Said(DEGRADED, f"{calls} synchronisations by {tasks} ranks")
    return None
