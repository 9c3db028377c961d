"""Counts for a mount: its devices and servers by node, the control groups and processors of its processes,
and the entries of directories that they read, as a search does.

Where the bytes of a mount are in memory, its devices tell nothing of a storage.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import Any

from weir.audit.subject import IN_MEMORY
from weir.base.mounts import mount_of
from weir.measure.machine.block_limits import devices_below
from weir.measure.machine.memory_below import memory_below
from weir.prove.pieces import Piece
from weir.prove.reports import Process
from weir.witness.nodes import groups, processors

_DEVICE_COUNTS = 5  # older libraries have 4


def _by(name: str, pieces: Sequence[Piece]) -> Iterator[list[Piece]]:
    for value in dict.fromkeys(getattr(piece, name) for piece in pieces):
        yield [piece for piece in pieces if getattr(piece, name) == value]


def device_of(pieces: Sequence[Piece]) -> tuple[int, ...] | None:
    total = [0] * _DEVICE_COUNTS
    for part in _by("disk", pieces):
        before = [piece.before["device"] for piece in part if piece.before["device"]]
        after = [piece.after["device"] for piece in part if piece.after["device"]]
        if not before or not after:
            return None
        grown = zip(map(max, zip(*after, strict=True)), map(min, zip(*before, strict=True)), strict=True)
        total = [sum + high - low for sum, (high, low) in zip(total, grown, strict=False)]
    return tuple(total)


def servers_of(pieces: Sequence[Piece]) -> tuple[tuple[int | None, ...], ...]:
    """The growth by observer: on every node that of the process which saw most of it."""
    hosts = []
    for part in _by("host", pieces):
        grown = [_server_growth(piece) for piece in part if piece.before["servers"]]
        if grown:
            hosts.append([_column(max, columns) for columns in zip(*grown, strict=True)])
    return tuple(_column(sum, columns) for columns in zip(*hosts, strict=True)) if hosts else ()


def _server_growth(piece: Piece) -> list[tuple[int | None, ...]]:
    pairs = zip(piece.before["servers"], piece.after["servers"], strict=True)
    return [
        tuple(None if a is None or b is None else max(b - a, 0) for a, b in zip(one, two, strict=True))
        for one, two in pairs
    ]


def _column(reduce: Any, parts: Sequence[Sequence[int | None]]) -> tuple[int | None, ...]:
    return tuple(None if None in values else reduce(values) for values in zip(*parts, strict=True))


def group_of(
    mount: Mapping[str, Any], users: Sequence[Process], held: Mapping[str, float] | None
) -> Mapping[str, Any] | None:
    """The group with the limits of the devices below the mount; none of another node, whose devices are not
    known here. held: shares of the time in which something held processes of the node back."""
    group: dict[str, Any] | None = groups(users).get("group")
    if group is None:
        return None
    here = all(one["host"] == socket.gethostname() for one in users)
    devices = devices_below(Path(mount["point"] or "/")) if group["block_limits"] and here else set()
    group["block_limits"] = [one for one in group["block_limits"] if one["device"] in devices]
    return group | {"is_below": True, **(held or {})}


def processors_of(users: Sequence[Process]) -> Mapping[str, int] | None:
    """Counts the processors of the ranks, beside those of weir itself: the launcher had them."""
    found: dict[str, int] | None = processors(users).get("processors")
    return found and found | {"cores": len(os.sched_getaffinity(0))}


def in_memory(mount: Mapping[str, Any], host: str) -> str | None:
    """The reason why the bytes of a mount are in memory. It is None elsewhere, and where nobody can look: on
    another node, in another namespace, or after an unmount that the library did not see."""
    point = mount["point"] or "/"
    if (mount["device"] or "").endswith(IN_MEMORY):  # as the library saw it, in its own namespace
        return f"the bytes are in memory: {mount['device'].removesuffix(IN_MEMORY)}"
    if mount["device"] is None or host != socket.gethostname():
        return None
    here = mount_of(Path(point))
    if here is None or here["mount_point"] != point or here["type"] != mount["file_system"]:
        return None
    where = memory_below(Path(point))
    return where and f"the bytes are in memory: {where}"


def without_device(mount: Mapping[str, Any], reason: str) -> dict[str, Any]:
    """The account of a mount as if its device had no counters."""
    phases = [{**phase, "before": _cleared(phase["before"])} for phase in mount["phases"]]
    ends = {name: _cleared(mount[name]) for name in ("start", "end")}
    return {**mount, "device": None, "device_reason": reason, "phases": phases, **ends}


def _cleared(counters: Mapping[str, Any]) -> dict[str, Any]:
    return {**counters, "device": None}


_READS = ("readdir", "readdir64")
_NONE = {"entries": 0, "busy_ns": 0}


@dataclass(frozen=True)
class Listed:
    """A program has read so many entries; None: an older library did not count them, or another one answers
    such reads."""

    entries: int | None = 0
    busy_s: float = 0.0  # at least, of the process with most
    moved_bytes: int = 0


def listed_of(
    parts: Sequence[tuple[int, Mapping[str, Any]]], processes: Sequence[Process]
) -> dict[str, Listed]:
    """Adds up the entries by program. parts: of one mount, each with the number of its process."""
    found: dict[str, Listed] = {}
    for at, mount in parts:
        process = processes[at]
        name, listed = PurePath(process["program"] or "").name, mount.get("listed") or _NONE
        one = found.get(name, Listed())
        is_known = "listed" in mount and not any(call["call"] in _READS for call in process["calls"])
        found[name] = replace(
            one,
            entries=one.entries + listed["entries"] if is_known and one.entries is not None else None,
            busy_s=max(one.busy_s, listed["busy_ns"] / 1e9),
            moved_bytes=one.moved_bytes + mount["read_bytes"] + mount["written_bytes"],
        )
    return found


def searched(program: str, listed: Mapping[str, Listed]) -> Listed:
    """Finds the program of that name, else the one that moved most: IO500 searches in its own processes."""
    if not listed:
        return Listed(None)
    return listed.get(program) or max(listed.values(), key=lambda one: one.moved_bytes)


def most_listed(listed: Mapping[str, Listed]) -> int:
    return max((one.entries or 0 for one in listed.values()), default=0)
