"""The words of IOR and those of the project for the same things."""

from __future__ import annotations

# The project's interface and IOR's -a. IOR has no NetCDF-4 back end; weir-io takes NETCDF4 as it is.
API_OPTIONS = {
    "POSIX": "POSIX",
    "MPIIO": "MPIIO",
    "HDF5": "HDF5",
    "NETCDF4": "NETCDF4",
    "PNETCDF": "NCMPI",
    "IME": "IME",
    "MMAP": "MMAP",
    "NULL": "NULL",
}
API_NAMES = {option: name for name, option in API_OPTIONS.items()} | {"DUMMY": "NULL"}
