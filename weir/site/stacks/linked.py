"""The shared libraries that a file is linked with, and the kind of each."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

# Stems of file names: Debian puts the MPI into the names (libhdf5_openmpi, libnetcdf_mpi, libmpich).
_KINDS = {
    "mpi": re.compile(r"lib(mpi|mpich|mpi_cray|mpi_gnu_\d+|mpi_intel|mpi_nvidia|mpi_abi)\.so"),
    "hdf5": re.compile(r"libhdf5(_serial|_openmpi|_mpich|_parallel)?\.so"),
    "netcdf": re.compile(r"libnetcdf(_mpi|_parallel)?\.so"),
    "pnetcdf": re.compile(r"libpnetcdf\.so"),
    "ime": re.compile(r"libim_client\.so"),
}
_LINE = re.compile(r"^\s*(\S+)(?: => (not found|\S+))?(?: \(0x[0-9a-f]+\))?$")


@dataclass(frozen=True)
class Linked:
    """The libraries of a file, those of its libraries included: by kind, as real paths."""

    kinds: Mapping[str, tuple[str, ...]]
    missing: tuple[str, ...]

    def all(self, kind: str) -> tuple[str, ...]:
        return self.kinds.get(kind, ())

    def first(self, kind: str) -> str:
        return self.all(kind)[0] if self.all(kind) else ""


def kind_of(file_name: str) -> str | None:
    """mpi, hdf5, netcdf, pnetcdf or ime; None for any other library (libhdf5_hl, libmpi_cxx, libc)."""
    return next((kind for kind, pattern in _KINDS.items() if pattern.match(file_name)), None)


def parse_ldd(text: str) -> Linked:
    """Reads the output of ldd. Two names of one file are one library."""
    kinds: dict[str, dict[str, None]] = {}
    missing = []
    for line in text.splitlines():
        match = _LINE.match(line)
        if not match:
            continue
        name, path = match[1], match[2]
        if path == "not found":
            missing.append(name)
            continue
        file = Path(path or name)
        kind = kind_of(Path(name).name) or kind_of(file.name)
        if kind and file.is_absolute():
            kinds.setdefault(kind, {})[str(file.resolve())] = None
    return Linked({kind: tuple(paths) for kind, paths in kinds.items()}, tuple(missing))


def linked(file: str, environment: Mapping[str, str]) -> Linked:
    """The libraries that the loader would load for the file in this environment; none for a script or static
    program."""
    return _linked(file, tuple(sorted(environment.items())))


@cache
def _linked(file: str, environment: tuple[tuple[str, str], ...]) -> Linked:
    if not is_binary(file):
        return Linked({}, ())
    done = subprocess.run(
        ["ldd", file], env=dict(environment), capture_output=True, text=True, timeout=30, check=False
    )
    return parse_ldd(done.stdout)


def is_binary(file: str) -> bool:
    """Whether the loader has a say; a script starts something else."""
    try:
        with open(file, "rb") as stream:
            return stream.read(4) == b"\x7fELF"
    except OSError:
        return False
