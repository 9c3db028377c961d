"""Phases of single processes, and which of them are one phase of the program.

A phase may continue the one before it: the process had closed all files, and transferred the same way again,
such as in the next iteration of a benchmark. They count as one phase, which knows its parts.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

GAP_NS = 1_000_000_000  # the same as ACCOUNTS_GAP_NS of the library
BYTES = {"read": "read_bytes", "write": "written_bytes"}

Counters = Mapping[str, Any]


@dataclass(frozen=True)
class Kernel:
    """Bytes that the kernel counted for one process on one mount; None where that is not known."""

    fetched_bytes: int | None = None
    by_reads_bytes: int | None = None  # of these, what reads by calls may have waited for
    dirtied_bytes: int | None = None
    cancelled_bytes: int | None = None  # of these, what was taken away again before it was stored


@dataclass(frozen=True)
class Piece:
    """A phase of one process, with the counters before and after it."""

    host: str
    disk: tuple[str, str | None]  # the kernel and its device: nodes may share both, and the counts
    process: int
    phase: Mapping[str, Any]
    before: Counters
    after: Counters
    kernel: Kernel = Kernel()
    parts: tuple["Piece", ...] = ()  # where phases of the process continue one another
    unwritten: Mapping[str, Any] | None = None  # of the file that the process synchronised last


def groups_of(pieces: Sequence[Piece]) -> list[list[Piece]]:
    """The pieces of each phase."""
    groups: list[list[Piece]] = []
    for piece in sorted(pieces, key=lambda one: one.phase["first_ns"]):
        if groups and _takes(groups[-1], piece):
            groups[-1].append(piece)
        else:
            groups.append([piece])
    return _cut(groups)


def _takes(group: Sequence[Piece], piece: Piece) -> bool:
    """Whether the piece is of the same phase: it begins within it, or soon after it and does not read what
    was written."""
    ended_ns = max(one.phase["last_ns"] for one in group)
    if piece.phase["first_ns"] >= ended_ns + GAP_NS:
        return False
    reads, writes = (sum(one.phase[name] for one in group) for name in BYTES.values())
    read, written = piece.phase["read_bytes"], piece.phase["written_bytes"]
    turns = (writes and not reads and read and not written) or (reads and not writes and written)
    return piece.phase["first_ns"] < ended_ns or not turns


def _cut(groups: Sequence[Sequence[Piece]]) -> list[list[Piece]]:
    """A shell lives through the phases of all its programs: what the device moved from the next phase on is
    not of the phase in which the shell did something itself."""
    looks: dict[object, list[Counters]] = {}
    for piece in (one for pieces in groups for one in pieces if one.before["device"]):
        looks.setdefault(piece.disk, []).append(piece.before)
    for some in looks.values():
        some.sort(key=_raw_ns)
    return [[_until_next(one, pieces, looks.get(one.disk, ())) for one in pieces] for pieces in groups]


def _until_next(piece: Piece, group: Sequence[Piece], looks: Sequence[Counters]) -> Piece:
    """The piece up to the next look at the device. Its own counters belong to it, whatever others do."""
    ended_ns = max(one.phase["last_ns"] for one in group if one.disk == piece.disk)
    at = bisect_left(looks, ended_ns, key=_raw_ns)
    if at == len(looks) or _raw_ns(looks[at]) >= _raw_ns(piece.after) or not piece.after["device"]:
        return piece
    return replace(piece, after={**piece.after, "device": looks[at]["device"]})


def _raw_ns(counters: Counters) -> int:
    return int(counters["raw_ns"])


Phase = Mapping[str, Any]

LEAST_BYTES = 1 << 20  # as ACCOUNTS_WORTH_BYTES of the library; a launcher moves less all the time
_NEARLY_ALL = 0.99
_KINDS = ("read", "write", "sync", "name")
SIZES = (*BYTES.values(), "direct_read_bytes", "direct_written_bytes")


def runs_of(phases: Sequence[Phase]) -> Iterator[tuple[Phase, ...]]:
    """Each phase with those that continue it."""
    ends = [at for at, one in enumerate(phases) if at and not one.get("continues")]
    for begin, end in pairwise([0, *ends, len(phases)]):
        if end > begin:
            yield tuple(phases[begin:end])


def joined(run: Sequence[Phase]) -> Phase:
    """The report of the phases as if the library had seen one."""
    if len(run) == 1:
        return run[0]
    return {
        **run[0],
        "last_ns": max(one["last_ns"] for one in run),
        "most_at_once": max(one["most_at_once"] for one in run),
        **{name: sum(one[name] for one in run) for name in SIZES},
        **synced(run, run[0]["first_ns"]),
        **_fetched(run),
        **{kind: _calls([one[kind] for one in run]) for kind in _KINDS},
        **{key: _sums(run, key) for key in ("names", "named_ns") if key in run[0]},
    }


def synced(phases: Sequence[Phase], began_ns: int) -> dict[str, Any]:
    """Bytes that phases wrote since they began and a later one of them synchronised are their own: a rank may
    write, wait for another one, and synchronise then. What was written before is not."""
    late = [one for one in phases if one.get("synced_earlier_bytes")]
    before = [one for one in late if one["synced_from_ns"] < began_ns]
    within = sum(one["synced_earlier_bytes"] for one in late if one not in before)
    return {
        "synced_bytes": sum(one["synced_bytes"] for one in phases) + within,
        "synced_earlier_bytes": sum(one["synced_earlier_bytes"] for one in before),
        "synced_from_ns": min((one["synced_from_ns"] for one in before), default=0),
    }


def _fetched(run: Sequence[Phase]) -> dict[str, int]:
    """Advice before the first read of the run stays before it, all other advice is between the reads."""
    reads = [at for at, one in enumerate(run) if "fetched_before_bytes" in one]
    first = reads[0] if reads else len(run) - 1
    ahead = sum(one.get("ahead_bytes", 0) for one in run)
    ahead += sum(one.get("ahead_before_bytes", 0) for one in run[first + 1 :])
    found = {
        "ahead_bytes": ahead,
        "ahead_before_bytes": sum(one.get("ahead_before_bytes", 0) for one in run[: first + 1]),
        "ahead_from_ns": min((ns for one in run if (ns := one.get("ahead_from_ns"))), default=0),
    }
    if reads and "fetched_after_bytes" in run[reads[-1]]:
        found["fetched_after_bytes"] = run[reads[-1]]["fetched_after_bytes"]
    return found | ({"fetched_before_bytes": run[first]["fetched_before_bytes"]} if reads else {})


def _sums(run: Sequence[Phase], key: str) -> dict[str, int]:
    return {name: sum(one[key][name] for one in run) for name in run[0][key]}


def _calls(parts: Sequence[Mapping[str, int]]) -> dict[str, int]:
    return {
        "calls": sum(one["calls"] for one in parts),
        "busy_ns": sum(one["busy_ns"] for one in parts),
        "first_ns": next((one["first_ns"] for one in parts if one["first_ns"]), 0),
        "last_ns": max(one["last_ns"] for one in parts),
    }


def spans_of(group: Sequence[Piece]) -> list[list[Piece]]:
    """The parts of a phase of all processes that follow one another. There are none where a process has but
    one (programs may follow one another in another order than they print), where some overlap all others, or
    where many small transfers are in none."""
    every = [part for piece in group for part in (piece.parts or (piece,))]
    parts = [part for part in every if _moved(part) >= LEAST_BYTES]
    if 1 in Counter(part.process for part in parts).values():
        return []
    parts.sort(key=_began_ns)
    spans: list[list[Piece]] = []
    until_ns = 0
    for part in parts:
        if not spans or _began_ns(part) >= until_ns:
            spans.append([])
        spans[-1].append(part)
        until_ns = max(until_ns, _ended_ns(part))
    whole = sum(map(_moved, group))
    is_whole = sum(map(_moved, parts)) >= _NEARLY_ALL * whole
    return (_in_step(parts) or spans) if len(spans) > 1 and is_whole else []


def _in_step(parts: Sequence[Piece]) -> list[list[Piece]]:
    """The first parts of all processes, then the second ones, ..., where each process has as many and all
    wait for each other in between. A rank that gets its processor late overlaps no other in its iteration.
    """
    of_process: dict[tuple[str, int], list[Piece]] = {}
    for part in parts:
        of_process.setdefault((part.host, part.process), []).append(part)
    if len({len(own) for own in of_process.values()}) != 1:
        return []
    steps = [list(step) for step in zip(*of_process.values(), strict=True)]
    waits = all(
        max(map(_ended_ns, before)) <= min(map(_began_ns, after)) for before, after in pairwise(steps)
    )
    return steps if waits else []


def _moved(piece: Piece) -> int:
    return sum(piece.phase[name] for name in BYTES.values())


def _ended_ns(piece: Piece) -> int:
    return max(int(piece.phase[kind]["last_ns"]) for kind in ("read", "write", "sync"))


def _began_ns(piece: Piece) -> int:
    begins = [piece.phase[kind]["first_ns"] for kind in ("read", "write")]
    return int(min((ns for ns in begins if ns), default=piece.phase["first_ns"]))
