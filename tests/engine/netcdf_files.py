"""What the files of weir-io netcdf-bench must hold."""

from pathlib import Path
from typing import Any

import netCDF4
import numpy as np

Shape = tuple[int, int, int, int]
NAMES = ("time", "dim_1", "dim_2", "dim_3")


def values(data: Shape, block: Shape, nodes: int, ppn: int) -> np.ndarray[Any, Any]:
    """What all ranks together write: in each block 100 t + x + 10 y + 1 and the rank's number."""
    t, x, y, _ = np.indices(block)
    one = 100 * t + x + 10 * y + 1
    share = (data[0], data[1] // nodes, data[2] // ppn, data[3])
    tiled = np.tile(one, [whole // part for whole, part in zip(share, block, strict=True)])
    whole = np.zeros(data, dtype=np.int64)
    for rank in range(nodes * ppn):
        x0, y0 = rank // ppn * share[1], rank % ppn * share[2]
        whole[:, x0 : x0 + share[1], y0 : y0 + share[2], :] = tiled + rank
    return whole


def stored(path: Path) -> np.ndarray[Any, Any]:
    """The variable, with the names of everything in the file checked first."""
    with netCDF4.Dataset(path) as file:
        file.set_auto_mask(False)
        assert tuple(file.dimensions) == NAMES
        assert list(file.variables) == ["data"]
        assert file.variables["data"].dimensions == NAMES
        assert not file.ncattrs()
        assert not file.variables["data"].ncattrs()
        return np.asarray(file.variables["data"][:])
