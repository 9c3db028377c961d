"""Why a cell is not a valid combination, and the sizes that follow from its matrices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from weir.base.units import format_size
from weir.terms.model import Cell, Target
from weir.tools.stripes import stripe_problems

ACCESSES = ("write", "update-read", "update-write", "read")
_IME_PREFIX = "ime://"
_ELEMENT_BYTES = 8
_BUSY_MAX = 2.0


def part_bytes_of(cell: Cell) -> int:
    """A rank's part of a matrix."""
    elements: int = cell.params["pixels"] ** 2
    return elements // cell.ranks * _ELEMENT_BYTES


def slot_bytes_of(cell: Cell) -> int:
    """The room that a part has in the file."""
    align_bytes: int = cell.params["align_bytes"]
    return -(-part_bytes_of(cell) // align_bytes) * align_bytes


def find_problems(cell: Cell, target: Target) -> Sequence[str]:
    """Sentences; empty if the cell can run."""
    return [*_geometry(cell), *_phases(cell), *_requests(cell), *_reach(cell, target)]


def _geometry(cell: Cell) -> Iterator[str]:
    params, ranks = cell.params, cell.ranks
    if params["pixels"] ** 2 % ranks:
        near = -(-params["pixels"] // ranks) * ranks
        yield f"{params['pixels']} x {params['pixels']} elements for {ranks} ranks: try pixels: {near}"
    if ranks % params["gangs"] or params["bins"] % params["gangs"]:
        yield f"{ranks} ranks and {params['bins']} bins must be multiples of the {params['gangs']} gangs"
    for name, size_bytes in (("call", params["call_bytes"]), ("align", params["align_bytes"])):
        if size_bytes % _ELEMENT_BYTES and not (name == "align" and size_bytes == 1):
            yield f"{name} {format_size(size_bytes)} is not a multiple of {_ELEMENT_BYTES} bytes"


def _phases(cell: Cell) -> Iterator[str]:
    access = set(cell.params["access"])
    if "write" not in access:
        yield "what is read must be written first: access needs write"
    if len(access & {"update-read", "update-write"}) == 1:
        yield "update-read and update-write are one phase: give both or none"
    if cell.params["gangs"] > 1 and "update-write" not in access:
        yield "gangs begin with the update: access needs update-read and update-write"
    if cell.params["verify"] and access == {"write"}:
        yield "verify needs an access that reads"


def _requests(cell: Cell) -> Iterator[str]:
    params = cell.params
    try:
        busy = float(params["busy"])
    except ValueError:
        yield f"busy '{params['busy']}' is not a number"
    else:
        if not 0 <= busy <= _BUSY_MAX:
            yield f"busy is 0 to {_BUSY_MAX:g}, not {busy:g}"
    if params["drop_caches"] and set(params["access"]) == {"write"}:
        yield "drop_caches acts before an access that reads"
    if params["drop_caches"] and params["api"] == "NULL":
        yield "NULL stores nothing that could be cached"
    if params["verify"] and params["api"] == "NULL":
        yield "NULL stores nothing that could be compared"


def _reach(cell: Cell, target: Target) -> Iterator[str]:
    api = cell.params["api"]
    if api == "IME" and target.prefix != _IME_PREFIX:
        yield f"IME needs a target with the prefix {_IME_PREFIX}, which {target.name} does not have"
    if api == "POSIX" and target.prefix:
        yield f"POSIX cannot open a path with the prefix {target.prefix} of target {target.name}"
    yield from stripe_problems(cell, target)
