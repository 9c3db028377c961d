"""Each access of each phase on each mount, judged; the counters of a device include what the program moved on
its other mounts meanwhile.

Reports may contradict what weir counted itself: of a program that wrote them, or changed them.
"""

import math
import re
import socket
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from weir.audit.judge import judge, judge_all
from weir.audit.subject import FETCHED_SHARE, SPAN_SHARE, Subject
from weir.base.units import about_size
from weir.prove.mounts import Growth, Mount, Phase
from weir.prove.records import LEAST_BYTES, MOVED, JudgedRecord, facts_of, growth_of, row_of, without_counts
from weir.prove.reports import BY_CALLS, Process

_PARTITION = re.compile(r"(?:(?<=^[svh]d[a-z])|(?<=^xvd[a-z])|(?<=\dn\d)p|(?<=^mmcblk\d)p)\d+$")


def with_others(mounts: Sequence[Mount]) -> list[Mount]:
    """The same mounts with the bytes of the others in their phases."""
    return [replace(mount, phases=tuple(_phases(mount, mounts))) for mount in mounts]


def _phases(mount: Mount, mounts: Sequence[Mount]) -> Iterator[Phase]:
    others = [one for one in mounts if one is not mount]
    name = _first(mount)
    on_device = [one for one in others if name and _first(one) == name]
    on_disk = [one for one in others if name and disk_of(_first(one)) == disk_of(name)]
    # The counters of a phase go on until the next one begins.
    ends = [*(one.counted_ns for one in mount.phases[1:]), math.inf]
    for phase, until_ns in zip(mount.phases, ends, strict=False):  # a mount may have no phase
        span_ends = [*(one.counted_ns for one in phase.spans[1:]), until_ns]
        spans = zip(phase.spans, span_ends, strict=False)
        yield replace(
            _with_moved(phase, until_ns, on_device, on_disk),
            spans=tuple(_with_moved(one, end_ns, on_device, on_disk) for one, end_ns in spans),
        )


def _with_moved(phase: Phase, until_ns: float, on_device: Sequence[Mount], on_disk: Sequence[Mount]) -> Phase:
    return replace(
        phase,
        beside=_moved(on_device, phase.counted_ns, until_ns),
        beside_on_disk=_moved(on_disk, phase.counted_ns, until_ns),
    )


def _first(mount: Mount) -> str:
    """The first device of a mount; the report names one of several."""
    return (mount.device or "").split(" ")[0]


def disk_of(device: str) -> str:
    return _PARTITION.sub("", device)


def _moved(mounts: Sequence[Mount], from_ns: int, until_ns: float) -> tuple[int, int]:
    """Bytes read and written by calls between the two times."""
    phases = [one for mount in mounts for one in mount.phases]
    found = [one for one in phases if one.began_ns < until_ns and one.ended_ns > from_ns]
    return sum(one.read_bytes for one in found), sum(one.written_bytes for one in found)


_COUNTS = ("fetched_bytes", "device_read_bytes")
_HIDDEN = "mappings, streams or queues of the program may have fetched as much as the reads"
_AHEAD = "bytes were fetched by no read of the result: by advice, or before it began"


def judged_mounts(
    mounts: Sequence[Mount], processes: Sequence[Process], command: Sequence[str]
) -> list[JudgedRecord]:
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
        JudgedRecord(subject, judgement, mount, access, phases)
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
        counts = {"fetched_bytes": fetched + growth.ahead_before_bytes}
        return replace(subject, row=subject.row | counts, observed={**subject.observed, **counts})
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


# Bytes and share that may be counts of a process that ends while others run, or reads of weir's own outputs.
_LEAST_BYTES = 1 << 20
_SHARE = 0.01
_LATER_NS = 5_000_000_000
_APART_NS = 1_000_000_000  # clocks that threads have read before they store them
_OF_REPORTS = (
    *("called_bytes", "called_operations", "called_syncs", "sync_calls", "shortest_span_s", "direct"),
    *("fetched_bytes", "dirtied_bytes", "cancelled_bytes", "device_read_bytes", "device_written_bytes"),
    "servers",
)


def without_reports(judged: JudgedRecord, why: str) -> JudgedRecord:
    """Judges the record again as if no process had reported."""
    subject = without_counts(judged.subject, _OF_REPORTS, why)
    return replace(judged, subject=subject, judgement=judge(subject))


def doubts(processes: Sequence[Process], whole: Mapping[str, int] | None) -> list[str]:
    """Each contradiction as a sentence. whole: what the kernel counted for all that weir started; processes
    that others started (srun, the daemon of a container) are not in there."""
    here = [one for one in processes if one["host"] == socket.gethostname()]
    own = [one for one in here if one["started"] and not any(mount["watched"] for mount in one["mounts"])]
    return [*_more_than_the_kernel(own, whole or {}), *_beyond_the_watchers(here), *_at_other_times(here)]


def _more_than_the_kernel(processes: Sequence[Process], whole: Mapping[str, int]) -> Iterator[str]:
    for name, counted in whole.items():
        reported = sum(one["io"][name] for one in processes if one["io"])
        if name in BY_CALLS:
            reported = max(reported, sum(_called(one, BY_CALLS[name]) for one in processes))
        if reported > (1 + _SHARE) * counted + _LEAST_BYTES:
            yield f"reports have {about_size(reported)} as {name}, the kernel counted {about_size(counted)}"


def _called(process: Process, moved: str) -> int:
    calls = sum(mount[moved] for mount in process["mounts"])
    of_phases = sum(phase[moved] for mount in process["mounts"] for phase in mount["phases"])
    return int(max(calls, of_phases) - process[f"uncounted_{moved}"])


def _beyond_the_watchers(processes: Sequence[Process]) -> Iterator[str]:
    """The device's counters only grow: those of a process are between what was before it and after it."""
    watched = {_place(one): one for process in processes for one in process["mounts"] if one["watched"]}
    for process in processes:
        for mount in process["mounts"]:
            around = watched.get(_place(mount))
            if around is not None and not _is_between(mount, around):
                yield f"process {process['pid']} reports counts of {mount['device']} that nobody else saw"
                return


def _at_other_times(processes: Sequence[Process]) -> Iterator[str]:
    """Calls are made while the watchers run; of what ends after them nobody knows how much later."""
    watched = [mount for process in processes for mount in process["mounts"] if mount["watched"]]
    least = min((one["start"]["raw_ns"] for one in watched), default=0)
    most = max((one["end"]["raw_ns"] for one in watched), default=0) + _LATER_NS
    for process in processes if most - _LATER_NS > least else ():
        for phase in (phase for mount in process["mounts"] for phase in mount["phases"]):
            begins, ends = phase["first_ns"], phase["last_ns"]
            if begins < least or ends > most or ends < begins - _APART_NS:
                yield f"process {process['pid']} reports calls at times when it did not run"
                return


def _place(mount: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(str(mount[name]) for name in ("point", "file_system", "source", "device"))


def _is_between(mount: Mapping[str, Any], around: Mapping[str, Any]) -> bool:
    looks = [mount["start"], mount["end"], *(phase["before"] for phase in mount["phases"])]
    seen = [look["device"] for look in looks if look["device"]]
    least, most = around["start"]["device"], around["end"]["device"]
    if least is None or most is None:
        return True
    return all(low <= one <= high for look in seen for low, one, high in zip(least, look, most, strict=True))
