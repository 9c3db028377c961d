"""Counters of nodes, from before pieces to after them: of the devices below a mount and of its servers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from weir.prove.pieces import Piece

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
