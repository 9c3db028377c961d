"""Why a cell is not a valid combination: what the libraries refuse, and what would have no effect."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from weir.terms.model import Cell, Target
from weir.tools.ime_names import IME_PREFIX, format_problems
from weir.tools.netcdf_bench.geometry import GeometryError, layout_of
from weir.tools.stripes import stripe_problems

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
