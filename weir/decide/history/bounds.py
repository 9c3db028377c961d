"""The file of bounds that weir history reference writes and checks of ReFrame read."""

from __future__ import annotations

from pathlib import Path

from weir.base.read_back import NUMBER, read_shaped

_SHAPE = {"bounds": [{"cell": str, "access": str, "median": NUMBER, "low": NUMBER}]}
Bound = dict[str, float | str | int]
Access = tuple[str, str]  # cell and access


def read_bounds(file: Path) -> list[Bound]:
    """The bounds in the file, each with a cell, its access, the median and the low end."""
    content = read_shaped(file, _SHAPE, "write it again: weir history reference HISTORY --out FILE")
    bounds: list[Bound] = content["bounds"]
    return bounds


def limits_of(bounds: list[Bound]) -> dict[Access, tuple[float, float]]:
    """The median of a cell, and the share of it that noise may take away; none of a median of 0."""
    found = {}
    for one in bounds:
        median, low = float(one["median"]), float(one["low"])
        if median > 0:
            found[str(one["cell"]), str(one["access"])] = median, min(low / median - 1, 0.0)
    return found
