"""Reports that contradict what weir counted itself: of a program that wrote them, or changed them."""

from __future__ import annotations

import socket
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from weir.audit.judge import judge
from weir.base.units import about_size
from weir.prove.records import Judged, without_counts
from weir.prove.reports import Process

# Bytes and share that may be counts of a process that ends while others run, or reads of weir's own outputs.
_LEAST_BYTES = 1 << 20
_SHARE = 0.01
_LATER_NS = 5_000_000_000
_APART_NS = 1_000_000_000  # clocks that threads have read before they store them
_COUNTS = (
    *("called_bytes", "called_operations", "called_syncs", "sync_calls", "shortest_span_s", "direct"),
    *(
        "fetched_bytes",
        "dirtied_bytes",
        "cancelled_bytes",
        "device_read_bytes",
        "device_written_bytes",
        "servers",
    ),
)


def without_reports(judged: Judged, why: str) -> Judged:
    """Judges the record again as if no process had reported."""
    subject = without_counts(judged.subject, _COUNTS, why)
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
        if name in _CALLED:
            reported = max(reported, sum(_called(one, *_CALLED[name]) for one in processes))
        if reported > (1 + _SHARE) * counted + _LEAST_BYTES:
            yield f"reports have {about_size(reported)} as {name}, the kernel counted {about_size(counted)}"


_CALLED = {
    "rchar": ("read_bytes", "uncounted_read_bytes"),
    "wchar": ("written_bytes", "uncounted_written_bytes"),
}


def _called(process: Process, moved: str, uncounted: str) -> int:
    calls = sum(mount[moved] for mount in process["mounts"])
    of_phases = sum(phase[moved] for mount in process["mounts"] for phase in mount["phases"])
    return int(max(calls, of_phases) - process[uncounted])


def _beyond_the_watchers(processes: Sequence[Process]) -> Iterator[str]:
    """The device's counters only grow: those of a process are between what was before it and after it."""
    watched = {_place(one): one for process in processes for one in process["mounts"] if one["watched"]}
    for process in processes:
        for mount in process["mounts"]:
            around = watched.get(_place(mount))
            if around is not None and not _is_between(
                mount, around["start"]["device"], around["end"]["device"]
            ):
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


def _is_between(mount: Mapping[str, Any], least: Sequence[int] | None, most: Sequence[int] | None) -> bool:
    looks = [mount["start"], mount["end"], *(phase["before"] for phase in mount["phases"])]
    seen = [look["device"] for look in looks if look["device"]]
    if least is None or most is None:
        return True
    return all(low <= one <= high for look in seen for low, one, high in zip(least, look, most, strict=True))
