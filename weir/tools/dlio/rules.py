"""The rule about records of DLIO: whether an epoch can have come from memory."""

from __future__ import annotations

from weir.audit.outcome import Outcome, degraded, not_observable, passed
from weir.audit.registry import rule
from weir.audit.subject import Subject


@rule("DEGRADED", needs_output=True)
def epoch_from_memory(subject: Subject) -> Outcome | None:
    """An epoch after the first read a data set that fits into the memory of the hosts: the first epoch may
    have left it there. The summary of DLIO and MLPerf Storage has no bytes of storage or network. Where
    counters of all hosts stand beside it, read-from-cache judges what they gave in the epoch.

    Hint: run it under `weir prove`, which counts for each phase what device or servers moved, or record
    `S_TIME_FORMAT=ISO iostat -dxtyk -o JSON 1` or `sar -n DEV 1` on each host, into iostat*.json or
    sar*.json (`sadf -j`) beside summary.json and per_epoch_stats.json; or take a data set of five times
    the memory.
    """
    row = subject.row
    if row.get("program") != "DLIO" or row.get("access") != "read" or not row.get("iteration"):
        return None
    if row.get("fetched_bytes") is not None:
        return None
    unclear = (subject.observed.get("device") or {}).get("reason")
    size, nodes, memory = subject.number("file_bytes"), row.get("nn"), subject.observed.get("memory_bytes")
    if not size or not nodes or not memory:
        return not_observable("the size of the data set or the memory of the hosts is unknown")
    text = f"each host read {size / nodes:.0f} bytes in an epoch and has {memory} bytes of memory"
    text += f"; {unclear}" if unclear else ""
    return degraded(text) if size / nodes < memory else passed(text)
