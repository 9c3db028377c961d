"""Why a cell cannot mean anything: what IOR refuses, crashes on, or silently does not do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from weir.model import Cell, Target
from weir.tools.ime_names import IME_PREFIX, format_problems
from weir.tools.stripes import stripe_problems
from weir.units import format_size

_FILE_FORMATS = ("HDF5", "PNETCDF", "NETCDF4")
_NO_COLLECTIVE = ("POSIX", "MMAP", "IME")
_WORD_BYTES = 8  # IOR fills and compares buffers in words of this size


def find_problems(cell: Cell, target: Target) -> Sequence[str]:
    """Sentences; empty if the cell can run."""
    return [*_geometry(cell), *_combinations(cell), *_reach(cell, target), *stripe_problems(cell, target)]


def what_the_original_cannot(params: Mapping[str, Any]) -> str | None:
    """Why IOR would not measure what weir-io does for the same cell; nothing where it does."""
    if params["api"] == "NETCDF4":
        return "IOR has no NetCDF-4 back end"
    if params["api"] == "PNETCDF" and params["reorder"] != "none":
        return "IOR's PnetCDF back end reads what each rank wrote itself, whatever the reorder"
    return None


def _geometry(cell: Cell) -> Iterator[str]:
    xfer_bytes, block_bytes = cell.params["xfer_bytes"], cell.params["block_bytes"]
    xfer, block = format_size(xfer_bytes), format_size(block_bytes)
    if block_bytes % xfer_bytes:
        yield f"the block of {block} is not a multiple of the transfer of {xfer}"
    for name, size_bytes in (("transfer", xfer_bytes), ("block", block_bytes)):
        if size_bytes % _WORD_BYTES:
            yield f"the {name} of {format_size(size_bytes)} is not a multiple of {_WORD_BYTES} bytes"
    if cell.params["order"] == "random" and block_bytes <= xfer_bytes:
        yield f"random order needs a block larger than the transfer: {block} holds one transfer of {xfer}"


def _combinations(cell: Cell) -> Iterator[str]:
    params = cell.params
    api = params["api"]
    if params["order"] == "random" and api in _FILE_FORMATS:
        yield f"random order is refused for {api}"
    if params["order"] == "random" and api == "MPIIO" and params["collective"]:
        yield "random order is refused for collective MPI-IO"
    if params["order"] == "random" and params["layout"] == "shared" and params["reorder"] != "none":
        yield "random order in a shared file already deals the blocks out anew: reorder must be none"
    if params["collective"] and api in _NO_COLLECTIVE:
        yield f"{api} has no collective calls"
    if api == "PNETCDF" and params["layout"] == "file-per-process":
        yield "PnetCDF has no file per process"
    if params["direct"] and api != "POSIX":
        yield f"O_DIRECT can be requested of POSIX only: with {api} the option is ignored silently"
    if params["drop_caches"] and "read" not in params["access"]:
        yield "drop_caches acts before a read: it needs read in access"
    if params["drop_caches"] and api == "NULL":
        yield "NULL stores nothing that could be cached"
    if params["hints"] and api not in ("MPIIO", *_FILE_FORMATS):
        yield f"MPI-IO hints do not reach {api}"
    if params["stonewall"] != int(params["stonewall"]):
        yield f"a stonewall has whole seconds in IOR, and this one has {params['stonewall']:g}"
    if params["wear_out"] and not params["stonewall"]:
        yield "wear_out needs a stonewall"
    if params["verify_write"] and "write" not in params["access"]:
        yield "verify_write needs write in access"
    if params["verify_read"] and "read" not in params["access"]:
        yield "verify_read needs read in access"
    if not params["access"]:
        yield "nothing is requested: access is empty"
    elif "write" not in params["access"]:
        yield "there is nothing to read: every run starts with an empty directory, so access needs write"


def _reach(cell: Cell, target: Target) -> Iterator[str]:
    api = cell.params["api"]
    has_ime_prefix = target.prefix.startswith(IME_PREFIX)
    if api == "IME" and not has_ime_prefix:
        yield f"IME needs a target with the prefix {IME_PREFIX}, which {target.name} does not have"
    if api != "IME" and has_ime_prefix and api in ("POSIX", "MMAP"):
        yield f"{api} cannot open a path with the prefix {IME_PREFIX} of target {target.name}"
    yield from format_problems(api, target)
