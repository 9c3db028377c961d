"""Each access of each phase on each mount, judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from weir.audit.judge import judge_all
from weir.audit.subject import FETCHED_SHARE, SPAN_SHARE, Subject
from weir.prove.killed import Process
from weir.prove.mounts import Growth, Mount, Phase
from weir.prove.records import LEAST_BYTES, MOVED, Judged, facts_of, growth_of, row_of, without_counts

_COUNTS = ("fetched_bytes", "device_read_bytes")
_HIDDEN = "mappings, streams or queues of the program may have fetched as much as the reads"
_AHEAD = "advice fetched bytes before the result began"


def judged_mounts(
    mounts: Sequence[Mount], processes: Sequence[Process], command: Sequence[str]
) -> list[Judged]:
    """Records of all that is worth one."""
    found = []
    for mount in mounts:
        counters = dict.fromkeys(MOVED, 0)
        for phase in mount.phases:
            for access, name in MOVED.items():
                if getattr(phase, name) >= LEAST_BYTES:
                    row = row_of(mount, access, [phase], command) | {"iteration": counters[access]}
                    counters[access] += 1
                    facts = facts_of(mount, access, [phase], processes) | {"of_calls": True}
                    subject = with_what_reads_fetched(Subject(row, facts), [phase])
                    found.append((mount, access, [phase], subject))
    judgements = judge_all([subject for *_, subject in found])
    return [
        Judged(subject, judgement, mount, access, phases)
        for (mount, access, phases, subject), judgement in zip(found, judgements, strict=True)
    ]


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
    if growth.ahead_bytes and fetched >= FETCHED_SHARE * moved > fetched - growth.ahead_bytes:
        return without_counts(subject, _COUNTS, _AHEAD)
    return subject


def _lasts_as_long(subject: Subject, growth: Growth, phases: Sequence[Phase]) -> bool:
    """Whether the time of the result has the advice, too: then what it fetched is of the result."""
    ends = [phase.ends_ns["read"] for phase in phases if "read" in phase.ends_ns]
    if not ends or not growth.ahead_from_ns:
        return False
    began_ns = min(growth.ahead_from_ns, *(began for began, _ in ends))
    return (subject.number("total_s") or 0.0) >= SPAN_SHARE * (max(end for _, end in ends) - began_ns) / 1e9


def _with(subject: Subject, fetched: int) -> Subject:
    counts = {"fetched_bytes": fetched}
    return replace(subject, row=subject.row | counts, observed={**subject.observed, **counts})
