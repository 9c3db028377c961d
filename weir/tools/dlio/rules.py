"""The rule about records of DLIO: whether an epoch can have come from memory."""

from weir.audit.registry import Outcome, degraded, not_observable, passed, rule
from weir.audit.subject import Subject
from weir.base.units import sizes

# One reader that opens a file and copies it from memory is not slower than this, whatever it unpacks.
_OPEN_S = 0.02
_COPY_BYTES_S = 250 * 2**20
_WAITING = 0.5  # accelerators that are busy for longer set the rate themselves


@rule("DEGRADED", needs_output=True)
def epoch_from_memory(subject: Subject) -> Outcome | None:
    """An epoch after the first read a data set that fits into the memory of the hosts; DLIO and MLPerf
    Storage report no bytes of the storage. Where counters of all hosts stand beside it, read-from-cache
    judges the epoch.

    Hint: run it under `weir prove`, or record counters on each host beside summary.json (docs/how-to/ai.md);
    or take a data set of five times the memory.
    """
    # Memory is not suspected where the accelerators waited for more than half of the epoch and each sample
    # took longer than at 250 MiB/s.
    row = subject.row
    if row.get("program") != "DLIO" or row.get("access") != "read" or not row.get("iteration"):
        return None
    if row.get("fetched_bytes") is not None:
        return None
    unclear = (subject.observed.get("device") or {}).get("reason")
    size, nodes, memory = subject.number("file_bytes"), row.get("nn"), subject.observed.get("memory_bytes")
    if not size or not nodes or not memory:
        return not_observable("the size of the data set or the memory of the hosts is unknown")
    read, held = sizes(size / nodes, memory)
    text = f"each host read {read} in an epoch and has {held} of memory"
    text += f"; {unclear}" if unclear else ""
    if size / nodes >= memory:
        return passed(text)
    slow = _slower_than_memory(subject, nodes)
    return passed(f"{text}; {slow}") if slow else degraded(text)


def _slower_than_memory(subject: Subject, nodes: int) -> str:
    """The duration of a sample as text, if memory would have given it sooner."""
    busy, sample_bytes = (subject.observed.get(name) for name in ("accelerators_busy", "sample_bytes"))
    samples_s = subject.number("ops_s")
    if busy is None or busy > _WAITING or not sample_bytes or not samples_s:
        return ""
    took_s, needed_s = nodes / samples_s, _OPEN_S + sample_bytes / _COPY_BYTES_S
    if took_s <= needed_s:
        return ""
    waited = f"the accelerators waited for {100 * (1 - busy):.0f} % of the epoch"
    return f"{waited}, and a sample took {took_s:.3g} s: from memory less than {needed_s:.3g} s"
