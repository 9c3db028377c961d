"""The terms of IOR and those of the project for the same things."""

from __future__ import annotations

import re

from weir.data import data_folder

# The project's interface and IOR's -a. IOR has no NetCDF-4 back end; weir-io takes NETCDF4 as it is.
# Asynchronous I/O is URING in weir-io and AIO in IOR.
API_OPTIONS = {
    "POSIX": "POSIX",
    "MPIIO": "MPIIO",
    "HDF5": "HDF5",
    "NETCDF4": "NETCDF4",
    "PNETCDF": "NCMPI",
    "IME": "IME",
    "MMAP": "MMAP",
    "URING": "URING",
    "NULL": "NULL",
}
for _file in sorted((data_folder("config").resolve().parent / "src/engine/backends").glob("*.c")):
    # A checkout may have back ends of its own: the engine takes their names as they are.
    if _found := re.search(r'\.name = "([A-Z0-9]+)"', _file.read_text()):
        API_OPTIONS.setdefault(_found[1], _found[1])
IOR_OPTIONS = {"NULL": "DUMMY", "URING": "AIO"}  # names of IOR's -a that differ from weir-io's
API_NAMES = {option: name for names in (API_OPTIONS, IOR_OPTIONS) for name, option in names.items()}
