"""The 4D decomposition: rank r has slab r / ppn of x and slab r % ppn of y, and all of time and z."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

TYPE_BYTES = {
    "int": 4,
    "float": 4,
    "double": 8,
    "byte": 1,
    "ubyte": 1,
    "short": 2,
    "ushort": 2,
    "uint": 4,
    "int64": 8,
    "uint64": 8,
}
AXES = ("t", "x", "y", "z")
Shape = tuple[int, int, int, int]


class GeometryError(ValueError):
    """A geometry that is not valid; the message is a sentence."""


def parse_geometry(name: str, text: str) -> Shape:
    """(100, 16, 64, 4) of 100:16:64:4"""
    parts = text.split(":")
    if len(parts) != len(AXES) or not all(part.isdecimal() and int(part) > 0 for part in parts):
        raise GeometryError(f"{name} '{text}' is not t:x:y:z, four positive numbers such as 100:16:64:4")
    t, x, y, z = map(int, parts)
    return t, x, y, z


def geometry_text(shape: Shape) -> str:
    return ":".join(map(str, shape))


@dataclass(frozen=True)
class Layout:
    """The shapes that follow from a cell's geometry; the file has share or data, the library's own chunks
    have none."""

    data: Shape
    share: Shape
    block: Shape
    chunk: Shape | None
    file: Shape
    value_bytes: int

    @property
    def block_bytes(self) -> int:
        return prod(self.block) * self.value_bytes

    @property
    def data_bytes(self) -> int:
        return prod(self.data) * self.value_bytes

    @property
    def blocks_per_rank(self) -> int:
        return prod(self.share) // prod(self.block)


def layout_of(params: Mapping[str, Any], nodes: int, ppn: int) -> Layout:
    """The layout, or GeometryError with the reason why there is none."""
    t, x, y, z = parse_geometry("geometry", params["geometry"])
    if params["geometry_of"] == "rank":
        x, y = x * nodes, y * ppn
    if x % nodes or y % ppn:
        raise GeometryError(
            f"geometry {t}:{x}:{y}:{z} cannot be shared out: "
            f"x must be a multiple of the {nodes} nodes, y of the {ppn} processes per node"
        )
    share = (t, x // nodes, y // ppn, z)
    block = _block(params["block"], share)
    file = share if params["layout"] == "file-per-process" else (t, x, y, z)
    chunk = _chunk(params["chunking"], block, file)
    return Layout((t, x, y, z), share, block, chunk, file, TYPE_BYTES[params["type"]])


def _block(text: str, share: Shape) -> Shape:
    if text == "auto":
        return (1, *share[1:])
    block = parse_geometry("block", text)
    for axis, whole, part in zip(AXES, share, block, strict=True):
        if whole % part:
            raise GeometryError(
                f"the block {text} does not tile what a rank has: "
                f"{axis} is {whole} there, no multiple of {part}"
            )
    return block


def _chunk(text: str, block: Shape, file: Shape) -> Shape | None:
    if text == "contiguous":
        return None
    chunk = (1, *block[1:]) if text == "auto" else parse_geometry("chunking", text)
    for axis, whole, part in zip(AXES, file, chunk, strict=True):
        if part > whole:
            raise GeometryError(
                f"the chunk {text} is larger than the variable: {axis} is {whole} in the file"
            )
    if file[0] % chunk[0]:
        raise GeometryError(f"{file[0]} time steps are no multiple of the chunk's {chunk[0]}")
    return chunk
