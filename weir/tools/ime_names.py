"""Names of files behind IME, as the libraries above MPI-IO take them."""

from __future__ import annotations

from collections.abc import Iterator

from weir.terms.model import Target

IME_PREFIX = "ime://"


def netcdf_name(path: str) -> str:
    """NetCDF takes ime://... for an address; ime:... is the same file to MPI-IO, and one to NetCDF too."""
    return f"ime:{path.removeprefix(IME_PREFIX)}" if path.startswith(IME_PREFIX) else path


def format_problems(api: str, target: Target) -> Iterator[str]:
    """Why a library of a file format cannot reach the target by its prefix."""
    if api == "PNETCDF" and target.prefix.startswith("ime:"):
        yield (
            "PnetCDF looks into a file past MPI-IO before it opens it, and the files of target"
            f" {target.name} are in the burst buffer: what was written could not be read"
        )
