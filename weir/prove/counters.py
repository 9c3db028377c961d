"""Counts of nodes that processes read for a mount: its devices and servers, their own control groups and
processors."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from weir.measure.machine.block_limits import devices_below
from weir.prove.killed import Process
from weir.prove.pieces import Piece
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
