"""Phases of single processes, and which of them are one phase of the program."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
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
    parts: tuple[Piece, ...] = ()  # where phases of the process continue one another (continuing.py)


@dataclass
class Group:
    """Pieces of one phase."""

    pieces: list[Piece] = field(default_factory=list)

    def takes(self, piece: Piece) -> bool:
        ended_ns = max(one.phase["last_ns"] for one in self.pieces)
        if piece.phase["first_ns"] >= ended_ns + GAP_NS:
            return False
        return piece.phase["first_ns"] < ended_ns or not self._turns(piece)

    def _turns(self, piece: Piece) -> bool:
        reads, writes = (sum(one.phase[name] for one in self.pieces) for name in BYTES.values())
        read, written = piece.phase["read_bytes"], piece.phase["written_bytes"]
        return bool((writes and not reads and read and not written) or (reads and not writes and written))


def groups_of(pieces: Sequence[Piece]) -> list[list[Piece]]:
    groups: list[Group] = []
    for piece in sorted(pieces, key=lambda one: one.phase["first_ns"]):
        if groups and groups[-1].takes(piece):
            groups[-1].pieces.append(piece)
        else:
            groups.append(Group([piece]))
    return _cut([one.pieces for one in groups])


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
