"""The 4D decomposition: rank r has slab r / ppn of x and slab r % ppn of y, and all of time and z. Why a cell
is not a valid combination: its shapes, what the libraries refuse, and what would have no effect.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from weir.records.model import Cell, Target
from weir.tools.target_files import IME_PREFIX, format_problems, stripe_problems

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
    """The shapes that follow from a cell's geometry."""

    data: Shape
    share: Shape
    block: Shape
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
    _require_chunk(params["chunking"], block, file)
    return Layout((t, x, y, z), share, block, TYPE_BYTES[params["type"]])


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


def _require_chunk(text: str, block: Shape, file: Shape) -> None:
    if text == "contiguous":
        return
    chunk = (1, *block[1:]) if text == "auto" else parse_geometry("chunking", text)
    for axis, whole, part in zip(AXES, file, chunk, strict=True):
        if part > whole:
            raise GeometryError(
                f"the chunk {text} is larger than the variable: {axis} is {whole} in the file"
            )
    if file[0] % chunk[0]:
        raise GeometryError(f"{file[0]} time steps are no multiple of the chunk's {chunk[0]}")


_LEVEL_MAX = 9


def find_problems(cell: Cell, target: Target) -> Sequence[str]:
    """Sentences; empty if the cell can run."""
    return [
        *_geometry(cell),
        *_formats(cell),
        *_requests(cell),
        *_reach(cell, target),
        *stripe_problems(cell, target),
    ]


def _geometry(cell: Cell) -> Iterator[str]:
    try:
        layout_of(cell.params, cell.nodes, cell.ppn)
    except GeometryError as error:
        yield str(error)


def _formats(cell: Cell) -> Iterator[str]:
    params = cell.params
    if params["layout"] == "file-per-process" and params["collective"]:
        yield "a file of one process has nobody to be collective with"
    if params["api"] == "PNETCDF":
        if params["chunking"] != "contiguous":
            yield "CDF-5 has no chunks: chunking must be contiguous with PNETCDF"
        if params["deflate_level"]:
            yield "CDF-5 has no compression: deflate_level must be 0 with PNETCDF"
        if params["fill"] and params["unlimited"]:
            yield "PnetCDF does not fill records as they come: fill or unlimited, not both"
    elif not params["collective"]:
        if params["unlimited"]:
            yield "HDF5 extends a variable by collective calls only: unlimited needs collective"
        if params["deflate_level"]:
            yield "HDF5 writes compressed chunks by collective calls only: deflate_level needs collective"


def _requests(cell: Cell) -> Iterator[str]:
    params = cell.params
    if params["deflate_level"] > _LEVEL_MAX:
        yield f"deflate_level is 0 to {_LEVEL_MAX}, not {params['deflate_level']}"
    if params["shuffle"] and not params["deflate_level"]:
        yield "shuffle needs a deflate_level: alone it only moves bytes about"
    if params["wear_out"] and not params["stonewall"]:
        yield "wear_out needs a stonewall"
    if not params["access"]:
        yield "nothing is requested: access is empty"
    elif "write" not in params["access"]:
        yield "there is nothing to read: every run starts with an empty directory, so access needs write"


def _reach(cell: Cell, target: Target) -> Iterator[str]:
    # A short prefix, such as xpd:, is a driver of MPI-IO; what looks like an address is one to NetCDF.
    api = cell.params["api"]
    yield from format_problems(api, target)
    if target.prefix.endswith("://") and target.prefix != IME_PREFIX:
        yield f"{api} cannot open a path with the prefix {target.prefix} of target {target.name}"
