"""Asks libraries and programs for their versions, each in a process of its own: one may be broken."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache

_LIMIT_S = 30

# Run by a Python of its own: one library, one call, the answer on stdout.
# MPI_Get_library_version may be called before MPI_Init.
_CALLS = {
    "mpi": (
        "text = ctypes.create_string_buffer(8192); length = ctypes.c_int();"
        "lib.MPI_Get_library_version(text, ctypes.byref(length)); print(text.value.decode())"
    ),
    "hdf5": (
        "parts = [ctypes.c_uint() for _ in range(3)];"
        "lib.H5get_libversion(*map(ctypes.byref, parts)); print('.'.join(str(part.value) for part in parts))"
    ),
    "netcdf": (
        "lib.nc_inq_libvers.restype = ctypes.c_char_p;"
        "print(lib.nc_inq_libvers().decode().split()[0].strip('\"'))"
    ),
    "pnetcdf": (
        "lib.ncmpi_inq_libvers.restype = ctypes.c_char_p; print(lib.ncmpi_inq_libvers().decode().split()[0])"
    ),
}
_MPI_FAMILIES = {
    "Open MPI": re.compile(r"Open MPI v(\d[^\s,]*)"),
    "MPICH": re.compile(r"^MPICH Version:\s*(\S+)", re.MULTILINE),
    "Intel MPI": re.compile(r"Intel\(R\) MPI Library (\S+)"),
    "MVAPICH": re.compile(r"MVAPICH2? Version\s*:\s*(\S+)"),
    "Cray MPICH": re.compile(r"CRAY MPICH version (\S+)"),
}


def ask_library(kind: str, path: str, environment: Mapping[str, str]) -> str:
    """The library's own version; empty if it cannot be loaded or is silent."""
    code = f"import ctypes, os; lib = ctypes.CDLL({path!r}, os.RTLD_GLOBAL | os.RTLD_LAZY); {_CALLS[kind]}"
    return _output((sys.executable, "-c", code), tuple(sorted(environment.items()))).strip()


def has_symbol(path: str, symbol: str, environment: Mapping[str, str]) -> bool:
    """Whether the library defines the symbol."""
    code = f"import ctypes, os; lib = ctypes.CDLL({path!r}, os.RTLD_LAZY); print(hasattr(lib, {symbol!r}))"
    return _output((sys.executable, "-c", code), tuple(sorted(environment.items()))).strip() == "True"


def mpi_name(answer: str) -> tuple[str, str]:
    """Family and version from the text of MPI_Get_library_version."""
    # Cray's MPI calls itself an MPICH too, so the most particular name is looked for first.
    for family in ("Cray MPICH", "MVAPICH", "Intel MPI", "Open MPI", "MPICH"):
        match = _MPI_FAMILIES[family].search(answer)
        if match:
            return family, match[1]
    return "unknown MPI", ""


def launcher_family(version_text: str) -> str:
    """The MPI a launcher belongs to, from its --version; empty for srun and for what nobody knows."""
    if "Open MPI" in version_text or "OpenRTE" in version_text or "PRRTE" in version_text:
        return "Open MPI"
    if "Intel(R) MPI" in version_text:
        return "Intel MPI"
    if "HYDRA" in version_text:
        return "MPICH"
    return ""


def ask_program(arguments: Sequence[str], environment: Mapping[str, str]) -> str:
    """Output of a program that ends by itself; empty if it does not."""
    return _output(tuple(arguments), tuple(sorted(environment.items())))


@cache
def _output(arguments: tuple[str, ...], environment: tuple[tuple[str, str], ...]) -> str:
    try:
        done = subprocess.run(
            list(arguments),
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_LIMIT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout + (done.stderr if not done.stdout else "")
