"""Facts of the nodes that the processes of a launch ran on: their control groups and processors, and the
traffic between them and the servers of a network file system.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from weir.base.units import numbers_in

Limit = Mapping[str, Any]
Process = Mapping[str, Any]
Number = TypeVar("Number", int, float)


def groups(processes: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The process that was held back most, and the limits of all; older libraries do not look."""
    known = [process["group"] for process in processes if process.get("group")]
    if not known:
        return {}
    limits = dict.fromkeys(tuple(sorted(one.items())) for group in known for one in group["block_limits"])
    return {
        "group": {
            "throttled_periods": max(group["throttled_periods"] for group in known),
            "block_limits": [dict(one) for one in limits],
        }
    }


def processors(processes: Sequence[Process]) -> dict[str, Any]:
    """Looks for the node where most ranks share a processor. There is nothing without ranks, and of older
    libraries, which do not look."""
    ranks = [one for one in processes if one["rank"] >= 0 and one.get("processors")]
    hosts = dict.fromkeys(str(one["host"]) for one in ranks)
    found = [_of_node([one for one in ranks if one["host"] == host]) for host in hosts]
    if not found:
        return {}
    count, allowed = max(found, key=lambda node: node[0] / node[1])
    return {"processors": {"ranks": count, "allowed": allowed}}


def _of_node(processes: Sequence[Process]) -> tuple[int, int]:
    """Counts ranks, and the processors that these may run on together. A rank may be several processes."""
    numbers = {number for one in processes for number in numbers_in(one["processors"])}
    return len({one["rank"] for one in processes}), len(numbers)


Counts = list[Any]
SERVER_COUNTS = (
    "sent_bytes",
    "received_bytes",
    "requests",
    "writes",
    "commits",
    "ended_connections",
    "unanswered_ms",  # older witnesses do not have these two
    "timeouts",
)
_UNANSWERED = SERVER_COUNTS.index("unanswered_ms")
_FLUSHES = 4  # among the counts of a device


def servers_of(
    processes: Mapping[int, Process], spans: Mapping[int, Sequence[Mapping[str, Any]]]
) -> dict[str, Any] | None:
    """Growth of each observer's counts: on every node that of the rank that saw most of it."""
    first = processes[min(processes)]
    observers = first.get("observers") or []
    if not observers:
        return None
    names = [one["observer"] for one in observers]
    by_host: dict[str, list[list[Counts]]] = {}
    for rank, part in spans.items():
        grown = [growth_of(span["servers_before"], span["servers_after"]) for span in part]
        by_host.setdefault(processes[rank]["host"], []).append(
            _in_order(names, processes[rank], summed_of(grown))
        )
    counts = _of_nodes([most_of(ranks) for ranks in by_host.values()])
    rest_s, idle = _before_the_first(names, processes)
    seen = [counts_of_observer(*one) for one in zip(observers, counts, idle, strict=True)]
    return {"idle_s": rest_s, "observers": seen}


def counts_of_observer(
    one: Mapping[str, Any], counts: Sequence[int | None], idle: Sequence[int | None] = (None, None)
) -> dict[str, Any]:
    """The counts of an observer, of which an older witness has less; idle: bytes sent and received before."""
    known = one["known"]
    return {
        "observer": one["observer"],
        "counted": one["counted"],
        "what": one["what"] if known else None,
        "reason": None if known else one["what"],
        **dict.fromkeys(SERVER_COUNTS),
        **dict(zip(SERVER_COUNTS, counts, strict=False)),
        "idle_sent_bytes": idle[0],
        "idle_received_bytes": idle[1],
    }


def mirrors_of(devices: Iterable[Mapping[str, Any]]) -> tuple[int, int]:
    """Joins several looks at a device to the least and the most; older libraries do not look."""
    looks = [one.get("device_mirrors") or (1, 1) for one in devices]
    return max(min(look[0] for look in looks), 1), max(*(look[1] for look in looks), 1)


def facts_of_device(
    name: str | None,
    reason: str | None,
    grown: Sequence[int] | None,
    copies: int | None,
    has_flushes: bool,
    mirrors: Sequence[int],
) -> dict[str, Any]:
    """A device beside the bytes that the files read and wrote. grown: its counts; None where nothing counted
    them. mirrors: the copies of each byte that a synchronisation waits for, at least and at most."""
    return {
        "name": name if grown else None,
        "reason": reason,
        "disk_read_bytes": grown[2] if grown else None,
        "disk_written_bytes": grown[3] if grown else None,
        "copies": (copies or 1) if grown else None,
        "mirrors_least": mirrors[0] if grown else None,
        "mirrors_most": mirrors[1] if grown else None,
        "flushes": grown[_FLUSHES] if grown and has_flushes and len(grown) > _FLUSHES else None,
    }


def _in_order(names: Sequence[str], process: Process, counts: Sequence[Counts]) -> list[Counts]:
    """The counts of a node in the order of the first node's observers; a count that the node lacks is
    unknown."""
    own = {one["observer"]: part for one, part in zip(process.get("observers") or (), counts, strict=True)}
    return [own.get(name, [None] * len(SERVER_COUNTS)) for name in names]


def growth_of(before: Sequence[Counts], after: Sequence[Counts]) -> list[Counts]:
    return [
        [None if None in (a, b) else max(b - a, 0) for a, b in zip(one, two, strict=True)]
        for one, two in zip(before, after, strict=True)
    ]


def known_sum(counts: Iterable[Number | None]) -> Number | None:
    """The sum of counts; None without any, or where one is not known."""
    known = list(counts)
    return None if None in known or not known else sum(one for one in known if one is not None)


def summed_of(parts: Sequence[Sequence[Counts]]) -> list[Counts]:
    """The sum of each count over all parts; unknown where one part does not know."""
    return [
        [known_sum(values) for values in zip(*observer, strict=False)]
        for observer in zip(*parts, strict=True)
    ]


def _of_nodes(nodes: Sequence[Sequence[Counts]]) -> list[Counts]:
    """The counts of all nodes together; the longest wait is that of the node that waited longest."""
    counts, longest = summed_of(nodes), most_of(nodes)
    return [one[:_UNANSWERED] + most[_UNANSWERED:] for one, most in zip(counts, longest, strict=True)]


def most_of(parts: Sequence[Sequence[Counts]]) -> list[Counts]:
    """The counters are the node's, and each rank has seen a part of the access."""
    return [
        [None if None in values else max(values) for values in zip(*observer, strict=False)]
        for observer in zip(*parts, strict=True)
    ]


def _before_the_first(
    names: Sequence[str], processes: Mapping[int, Process]
) -> tuple[float, list[list[int | None]]]:
    """The time from the start of the program to its first open, in which nothing of the mount is its own, and
    the bytes of all nodes in it, as if each had rested as long as the first one. A node that does not count
    adds none."""
    rest_s: float = 0.0
    total: list[list[int | None]] = [[None, None] for _ in names]
    seen: set[str] = set()
    for rank in sorted(processes):
        process = processes[rank]
        if process["host"] in seen or not process["spans"]:
            continue
        seen.add(process["host"])
        first = process["spans"][0]
        own_s = max(first["began_ns"] - process["started_ns"], 0) / 1e9
        rest_s = rest_s or own_s
        if not own_s:
            continue
        grown = growth_of(process["servers_at_start"], first["servers_before"])
        for sum_, one in zip(total, _in_order(names, process, grown), strict=True):
            for way in (0, 1):
                if one[way] is not None:
                    sum_[way] = (sum_[way] or 0) + round(one[way] * rest_s / own_s)
    return rest_s, total
