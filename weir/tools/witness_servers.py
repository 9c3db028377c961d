"""What crossed between the nodes of a launch and the servers of a network file system, by libweir-witness."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Counts = list[Any]
SERVER_COUNTS = (
    "sent_bytes",
    "received_bytes",
    "requests",
    "writes",
    "commits",
    "ended_connections",
    "unanswered_ms",  # an older witness does not have it
)


def servers_of(
    processes: Mapping[int, Mapping[str, Any]], spans: Mapping[int, Sequence[Mapping[str, Any]]]
) -> dict[str, Any] | None:
    """Growth of each observer's counts: on every node that of the rank that saw most of it."""
    first = processes[min(processes)]
    observers = first.get("observers") or []
    if not observers:
        return None
    by_host: dict[str, list[list[list[int | None]]]] = {}
    for rank, part in spans.items():
        grown = [_grown(span["servers_before"], span["servers_after"]) for span in part]
        by_host.setdefault(processes[rank]["host"], []).append(_summed(grown))
    counts = _summed([_most(ranks) for ranks in by_host.values()])
    start_s, idle = _before_the_first(first)
    seen = []
    for index, one in enumerate(observers):
        known = one["known"]
        values = dict.fromkeys(SERVER_COUNTS) | dict(zip(SERVER_COUNTS, counts[index], strict=False))
        before = idle[index] if idle else [None] * len(SERVER_COUNTS)
        seen.append(
            {
                "observer": one["observer"],
                "counted": one["counted"],
                "what": one["what"] if known else None,
                "reason": None if known else one["what"],
                **values,
                "idle_sent_bytes": before[0],
                "idle_received_bytes": before[1],
            }
        )
    return {"idle_s": start_s, "observers": seen}


def _grown(before: Sequence[Counts], after: Sequence[Counts]) -> list[Counts]:
    return [
        [None if None in (a, b) else max(b - a, 0) for a, b in zip(one, two, strict=True)]
        for one, two in zip(before, after, strict=True)
    ]


def _summed(parts: Sequence[Sequence[Counts]]) -> list[Counts]:
    """Of each count over all parts; unknown where one part does not know."""
    return [
        [None if None in values else sum(values) for values in zip(*observer, strict=True)]
        for observer in zip(*parts, strict=True)
    ]


def _most(ranks: Sequence[Sequence[Counts]]) -> list[Counts]:
    """The counters are the node's, and each rank has seen a part of the access."""
    return [
        [None if None in values else max(values) for values in zip(*observer, strict=True)]
        for observer in zip(*ranks, strict=True)
    ]


def _before_the_first(process: Mapping[str, Any]) -> tuple[float, list[Counts]]:
    """From the start of the program to its first open nothing of the mount is its own."""
    if not process["spans"]:
        return 0.0, []
    first = process["spans"][0]
    lasted_ns = first["began_ns"] - process["started_ns"]
    return max(lasted_ns, 0) / 1e9, _grown(process["servers_at_start"], first["servers_before"])
