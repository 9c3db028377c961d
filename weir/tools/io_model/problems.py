"""Why a cell is not a valid combination: what weir-io refuses, and what would have no effect."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from weir.base.units import format_size
from weir.terms.model import Cell, Target
from weir.tools.target_files import reach_problems, stripe_problems

FORMS = "off0, seq, rnd, rndX, strideX, strideX,Y or reverseX, X and Y in bytes or with k, m, g"
_SIZE = r"([0-9]+[kmgtKMGT]?)"
_FORM = re.compile(rf"off0|seq|rnd|rnd{_SIZE}|stride{_SIZE}(?:,{_SIZE})?|reverse{_SIZE}?")
_SHIFTS = {"k": 10, "m": 20, "g": 30, "t": 40}


@dataclass(frozen=True)
class Locality:
    """A locality as written; reach_bytes is the larger of X and Y."""

    word: str
    reach_bytes: int

    @property
    def is_random(self) -> bool:
        return self.word.startswith("rnd") or "," in self.word


def parse_locality(word: str) -> Locality | None:
    """Nothing where it is none."""
    match = _FORM.fullmatch(word)
    if match is None:
        return None
    return Locality(word, max((_bytes(size) for size in match.groups() if size), default=0))


def file_locality(params: Mapping[str, Any]) -> str:
    """The one that was given, else that of the order."""
    by_order = "rnd" if params["order"] == "random" else "seq"
    return by_order if params["locality"] == "auto" else str(params["locality"])


def _bytes(size: str) -> int:
    unit = size[-1].lower()
    return int(size[:-1]) << _SHIFTS[unit] if unit in _SHIFTS else int(size)


_OPERATIONS_MAX = 2**24
_DIRECT_BYTES = 512
_KINDS_IN_MEMORY = ("memory", "pool")


def file_bytes_of(cell: Cell) -> int:
    """The part of each file that is walked through."""
    given: int = cell.params["file_size_bytes"]
    return given or cell.params["operations"] * cell.params["xfer_bytes"]


def find_problems(cell: Cell, target: Target) -> Sequence[str]:
    """Sentences; empty if the cell can run."""
    return [
        *_localities(cell),
        *_geometry(cell),
        *_requests(cell),
        *_cache(cell, target),
        *_reach(cell, target),
        *stripe_problems(cell, target),
    ]


def _localities(cell: Cell) -> Iterator[str]:
    params, xfer_bytes = cell.params, cell.params["xfer_bytes"]
    in_file = parse_locality(file_locality(params))
    if in_file is None:
        yield f"locality '{params['locality']}' is none of {FORMS}"
    elif in_file.is_random != (params["order"] == "random"):
        order = "random" if in_file.is_random else "sequential"
        yield f"locality {in_file.word} is {order}: order must be {order} too"
    elif in_file.reach_bytes > file_bytes_of(cell) - xfer_bytes:
        yield f"locality {in_file.word} reaches further than the file of {format_size(file_bytes_of(cell))}"
    in_memory = parse_locality(params["memory_locality"])
    memory_bytes = params["memory_bytes"]
    if in_memory is None:
        yield f"memory_locality '{params['memory_locality']}' is none of {FORMS}"
    elif memory_bytes and in_memory.reach_bytes > memory_bytes - xfer_bytes:
        yield f"memory_locality {in_memory.word} reaches further than memory, {format_size(memory_bytes)}"


def _geometry(cell: Cell) -> Iterator[str]:
    params = cell.params
    xfer_bytes, operations, file_bytes = params["xfer_bytes"], params["operations"], file_bytes_of(cell)
    if operations > _OPERATIONS_MAX:
        yield f"{operations} operations are more than the {_OPERATIONS_MAX} whose times can be kept"
    for name, space_bytes in (("file_size", file_bytes), ("memory", params["memory_bytes"])):
        if space_bytes and space_bytes < xfer_bytes:
            yield f"{name} {format_size(space_bytes)} cannot hold {format_size(xfer_bytes)}"
    fit = file_bytes // xfer_bytes
    if file_locality(params) == "seq" and operations > fit:
        yield f"only {fit} of {operations} sequential operations fit into a file of {format_size(file_bytes)}"
    if params["direct"] and (xfer_bytes % _DIRECT_BYTES or params["align_bytes"] % _DIRECT_BYTES):
        yield f"direct needs xfer and align in multiples of {_DIRECT_BYTES} bytes, such as align: 4 KiB"


def _requests(cell: Cell) -> Iterator[str]:
    params = cell.params
    access = set(params["access"])
    part = file_locality(params) != "seq" or params["operations"] * params["xfer_bytes"] < file_bytes_of(cell)
    if not access:
        yield "nothing is requested: access is empty"
    if access == {"read", "write"} and part and not params["overwrite"] and params["cache"] != "discarded":
        yield "the write leaves holes that the read would meet: give overwrite, or a cell for each access"
    if params["counters"] and not params["sample"]:
        yield "counters are files to sample: give sample, the time between two samples"
    if params["verify"] and params["api"] == "NULL":
        yield "NULL stores nothing that could be compared"
    if params["direct"] and params["api"] != "POSIX":
        yield f"{params['api']} cannot open a file with O_DIRECT"


def _cache(cell: Cell, target: Target) -> Iterator[str]:
    params = cell.params
    cache, api = params["cache"], params["api"]
    if cache == "discarded":
        if api != "POSIX":
            yield f"cache: discarded goes to /dev/null, which {api} does not reach"
        if params["verify"] or params["direct"] or params["overwrite"]:
            yield "cache: discarded has no file: no verify, direct or overwrite"
    elif cache != "untouched" and (target.prefix or api in ("IME", "NULL")):
        yield f"cache: {cache} steers the page cache of the node, which {api} on {target.name} does not use"
    elif cache == "uncached" and target.kind in _KINDS_IN_MEMORY:
        yield f"cache: uncached has no effect on {target.name}, which is memory itself"
    elif cache == "cached" and params["direct"]:
        yield "cache: cached and direct exclude each other"


def _reach(cell: Cell, target: Target) -> Iterator[str]:
    if cell.params["api"] != "POSIX" or cell.params["cache"] != "discarded":
        yield from reach_problems(cell.params["api"], target)
