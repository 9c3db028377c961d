"""The files of a cell on its target: their stripes, which weir sets before the program starts, and names
behind IME, as the libraries above MPI-IO take them.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from weir.records.model import Cell, Target
from weir.tools.base import Parameter

STRIPE_COUNT = Parameter(
    "count", "Stripes of each file, where the file system has stripes; 0 leaves it to the file system.", 0
)
POOL = Parameter("text", "Pool of storage targets for the files, where the file system has pools.", "")
OSTS = Parameter(
    "text", "Storage targets of the files by their indices, such as '0,2-4', where they can be chosen.", ""
)
_INDICES = re.compile(r"\d{1,6}(?:-\d{1,6})?(?:,\d{1,6}(?:-\d{1,6})?)*")


def stripe_problems(cell: Cell, target: Target) -> Iterator[str]:
    """The problems of stripes that the target's files cannot have."""
    count, most = cell.params.get("stripe_count", 0), target.max_stripe_count
    if count and not most:
        yield f"files of target {target.name} have no stripes: stripe_count must be 0"
    elif count > most:
        yield f"files of target {target.name} have at most {most} stripes, not {count}"
    pool, osts = cell.params.get("pool", ""), cell.params.get("osts", "")
    for name, value, command in (("pool", pool, target.set_pool), ("osts", osts, target.set_osts)):
        if value and not command:
            yield f"target {target.name} names no command for {name} (stripes.{name})"
    if osts and (pool or count):
        yield "osts excludes pool and stripe_count: a file has as many stripes as osts are named"
    if osts and not _INDICES.fullmatch(osts):
        yield f"osts are indices such as '0,2-4', not '{osts}'"


def stripe_terms(params: Mapping[str, Any]) -> list[str]:
    """The terms about stripes in the label of a cell."""
    terms = {"stripe_count": "stripes", "pool": "pool", "osts": "osts"}
    return [f"{term}-{params[name]}" for name, term in terms.items() if params.get(name)]


IME_PREFIX = "ime://"


def netcdf_name(path: str) -> str:
    """NetCDF takes ime://... for an address; ime:... is the same file to MPI-IO, and one to NetCDF too."""
    return f"ime:{path.removeprefix(IME_PREFIX)}" if path.startswith(IME_PREFIX) else path


def reach_problems(api: str, target: Target) -> Iterator[str]:
    """Why an interface cannot reach the target by its prefix."""
    if api == "IME" and target.prefix != IME_PREFIX:
        yield f"IME needs a target with the prefix {IME_PREFIX}, which {target.name} does not have"
    if api == "POSIX" and target.prefix:
        yield f"POSIX cannot open a path with the prefix {target.prefix} of target {target.name}"


def ime_problems(api: str, target: Target) -> Iterator[str]:
    """The same of interfaces to a target that may be a burst buffer by its prefix."""
    has_ime_prefix = target.prefix.startswith(IME_PREFIX)
    if api == "IME" and not has_ime_prefix:
        yield f"IME needs a target with the prefix {IME_PREFIX}, which {target.name} does not have"
    if api in ("POSIX", "MMAP", "URING") and has_ime_prefix:
        yield f"{api} cannot open a path with the prefix {IME_PREFIX} of target {target.name}"


def format_problems(api: str, target: Target) -> Iterator[str]:
    """Why a library of a file format cannot reach the target by its prefix."""
    if api == "PNETCDF" and target.prefix.startswith("ime:"):
        yield (
            "PnetCDF looks into a file past MPI-IO before it opens it, and the files of target"
            f" {target.name} are in the burst buffer: what was written could not be read"
        )
