"""The terms of IOR and those of the project for the same things."""

from __future__ import annotations

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
IOR_OPTIONS = {"NULL": "DUMMY", "URING": "AIO"}  # where IOR's own -a differs from weir-io's
API_NAMES = {option: name for names in (API_OPTIONS, IOR_OPTIONS) for name, option in names.items()}
