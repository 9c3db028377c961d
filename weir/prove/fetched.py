"""The part of the fetched bytes that the reads of a result waited for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from weir.audit.subject import Subject
from weir.prove.mounts import Growth, Phase
from weir.prove.records import growth_of, without_counts

_MOST = 0.8  # as read-from-cache has it
_TIME_SHARE = 0.8  # as shorter-than-its-calls has it
_COUNTS = ("fetched_bytes", "device_read_bytes")
_HIDDEN = "mappings, streams or queues of the program may have fetched as much as the reads"
_AHEAD = "advice fetched bytes before the result began"


def with_what_reads_fetched(subject: Subject, phases: Sequence[Phase]) -> Subject:
    """The same result with what its reads fetched; of a read whose bytes may have been fetched before it, or
    for something else, without counts that tell where they came from."""
    growth = growth_of(phases)
    if subject.row["access"] != "read" or growth.fetched_bytes is None:
        return subject
    if growth.by_reads_bytes is None:
        return without_counts(subject, _COUNTS, _HIDDEN)
    moved, fetched = subject.number("moved_bytes") or 0.0, growth.by_reads_bytes
    if _lasts_as_long(subject, growth, phases):
        return _with(subject, fetched + growth.ahead_before_bytes)
    if growth.ahead_bytes and fetched >= _MOST * moved > fetched - growth.ahead_bytes:
        return without_counts(subject, _COUNTS, _AHEAD)
    return subject


def _lasts_as_long(subject: Subject, growth: Growth, phases: Sequence[Phase]) -> bool:
    """Whether the time of the result has the advice, too: then what it fetched is of the result."""
    ends = [phase.ends_ns["read"] for phase in phases if "read" in phase.ends_ns]
    if not ends or not growth.ahead_from_ns:
        return False
    began_ns = min(growth.ahead_from_ns, *(began for began, _ in ends))
    return (subject.number("total_s") or 0.0) >= _TIME_SHARE * (max(end for _, end in ends) - began_ns) / 1e9


def _with(subject: Subject, fetched: int) -> Subject:
    counts = {"fetched_bytes": fetched}
    return replace(subject, row=subject.row | counts, observed={**subject.observed, **counts})
