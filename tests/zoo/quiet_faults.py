"""Faults that no preloaded library shows: programs and libraries that are built for the zoo."""

import platform
import shutil
import struct
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.compiled import built
from tests.programs import ran
from tests.zoo.animals import (
    AUDIT_LIBRARY,
    CHANGING_AUDIT,
    IDLE_AUDIT,
    LOOKED_UP,
    LOOKED_UP_READS,
    OTHER_MPI,
    PATCHED_LIBC,
    QUIET_MPI,
)
from tests.zoo.errors import CannotStageError

_SOURCE = Path(__file__).parent / "faults.c"
_SUPERVISOR, _LOOKUPS = (_SOURCE.with_name(name) for name in ("supervisor.c", "lookups.c"))
_RETURN_0 = b"\x31\xc0\xc3"  # xor eax, eax; ret


def filter_program(folder: Path) -> Path:
    """Starts its arguments with fsync filtered."""
    return _compiled(folder / "no-fsync", "-DFILTER")


def supervisor_program(folder: Path) -> Path:
    """Starts its arguments with some of their system calls answered."""
    return _compiled(folder / "supervisor", source=_SUPERVISOR)


def environment_of(library: str, folder: Path) -> dict[str, str]:
    """What a stack sets to run with the library."""
    made: Mapping[str, Callable[[Path], dict[str, str]]] = {
        AUDIT_LIBRARY: _audit_library,
        IDLE_AUDIT: _idle_audit_library,
        PATCHED_LIBC: _patched_libc,
        QUIET_MPI: _quiet_mpi,
        LOOKED_UP: _looked_up,
        LOOKED_UP_READS: _looked_up_reads,
        CHANGING_AUDIT: _changing_audit_library,
        OTHER_MPI: _other_mpi,
    }
    folder.mkdir(parents=True, exist_ok=True)
    return made[library](folder)


def _audit_library(folder: Path) -> dict[str, str]:
    return {"LD_AUDIT": str(_compiled(folder / "audit.so", "-DAUDIT", "-shared", "-fPIC"))}


def _idle_audit_library(folder: Path) -> dict[str, str]:
    return {"LD_AUDIT": str(_compiled(folder / "idle.so", "-DAUDIT", "-DIDLE", "-shared", "-fPIC"))}


def _changing_audit_library(folder: Path) -> dict[str, str]:
    if platform.machine() != "x86_64":
        raise CannotStageError("the registers that it is given are those of x86-64")
    options = ("-DAUDITOR", "-DREADS", "-shared", "-fPIC")
    return {"LD_AUDIT": str(_compiled(folder / "changing.so", *options, source=_LOOKUPS))}


def _looked_up(folder: Path, *options: str) -> dict[str, str]:
    made = _compiled(folder / "lookups.so", *options, "-shared", "-fPIC", source=_LOOKUPS)
    return {"LD_PRELOAD": str(made)}


def _looked_up_reads(folder: Path) -> dict[str, str]:
    return _looked_up(folder, "-DREADS")


def _quiet_mpi(folder: Path) -> dict[str, str]:
    return {"LD_PRELOAD": str(_compiled(folder / "libmpi-quick.so", "-DMPI", "-shared", "-fPIC"))}


def _other_mpi(folder: Path) -> dict[str, str]:
    """A library of the name that weir-io needs, over a copy of the original that has another name."""
    name, renamed = "libmpi.so.40", "libmpo.so.40"
    found = ran(["ldconfig", "-p"]).stdout
    paths = [line.split(" => ")[1] for line in found.splitlines() if line.split()[:1] == [name]]
    if not paths:
        raise CannotStageError(f"{name} of Open MPI is not installed")
    original = Path(paths[0]).read_bytes()
    (folder / renamed).write_bytes(original.replace(f"{name}\0".encode(), f"{renamed}\0".encode()))
    options = ["-DMPI_READS", "-shared", "-fPIC", f"-Wl,-soname,{name}", "-Wl,--no-as-needed"]
    _compiled(folder / name, *options, f"-L{folder}", f"-l:{renamed}")
    return {"LD_LIBRARY_PATH": str(folder)}


def _patched_libc(folder: Path) -> dict[str, str]:
    """This machine's C library with another fsync."""
    found = ran(["cc", "-print-file-name=libc.so.6"], check=True)
    original = Path(found.stdout.strip()).resolve()
    content = bytearray(original.read_bytes())
    if content[:5] != b"\x7fELF\x02" or struct.unpack_from("<H", content, 18)[0] != 62:
        raise CannotStageError("the patch is one for x86-64")
    symbols = ran(["nm", "-D", original], check=True).stdout
    for line in symbols.splitlines():
        if line.split()[-1].partition("@")[0] in ("fsync", "fdatasync"):
            at = _offset(content, int(line.split()[0], 16))
            content[at : at + len(_RETURN_0)] = _RETURN_0
    (folder / "libc.so.6").write_bytes(content)
    return {"LD_LIBRARY_PATH": str(folder)}


def _offset(content: bytearray, address: int) -> int:
    """Where the file has an address, by the headers of its segments."""
    (start,) = struct.unpack_from("<Q", content, 32)
    size, count = struct.unpack_from("<HH", content, 54)
    for index in range(count):
        kind, _, offset, virtual, _, length = struct.unpack_from("<IIQQQQ", content, start + index * size)
        if kind == 1 and virtual <= address < virtual + length:
            return int(offset + address - virtual)
    raise CannotStageError("the C library has no such segment")


def _compiled(made: Path, *options: str, source: Path = _SOURCE) -> Path:
    if shutil.which("cc") is None:
        raise CannotStageError("needs a C compiler")
    return built(made, source, "-std=c11", "-Wall", "-Wextra", "-Werror", *options)
