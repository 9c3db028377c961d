"""Looks at the programs of a stack: what they are linked with and what they can do. Each library and program
tells its version in a process of its own: one may be broken.
"""

import contextlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from weir.base.errors import InputError
from weir.base.processes import run_to_end
from weir.records.model import Site, Stack
from weir.site.launchers import applied
from weir.site.stacks.verdict import IoLibrary, MpiLibrary, ProgramFacts, StackFacts, features
from weir.tools import tools

# Stems of file names: Debian puts the MPI into the names (libhdf5_openmpi, libnetcdf_mpi, libmpich).
_KINDS = {
    "mpi": re.compile(r"lib(mpi|mpich|mpi_cray|mpi_gnu_\d+|mpi_intel|mpi_nvidia|mpi_abi)\.so"),
    "hdf5": re.compile(r"libhdf5(_serial|_openmpi|_mpich|_parallel)?\.so"),
    "netcdf": re.compile(r"libnetcdf(_mpi|_parallel)?\.so"),
    "pnetcdf": re.compile(r"libpnetcdf\.so"),
    "ime": re.compile(r"libim_client\.so"),
}
_LIMIT_S = 30  # for one program to answer
_ANSWERS: dict[tuple[tuple[str, ...], tuple[tuple[str, str], ...]], str] = {}  # of this process
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
    program. Without an ldd on the PATH of the stack nothing is known."""
    if not is_binary(file):
        return parse_ldd("")
    # ldd leaves no files. A folder of its own would be left by weir run, which may be killed while it looks.
    return parse_ldd(ask_program(("ldd", file), environment, Path(environment.get("TMPDIR", "/tmp"))))


def is_binary(file: str) -> bool:
    """Whether the loader has a say; a script starts something else."""
    try:
        with open(file, "rb") as stream:
            return stream.read(4) == b"\x7fELF"
    except OSError:
        return False


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
    return ask_program((sys.executable, "-c", code), environment).strip()


def has_symbol(path: str, symbol: str, environment: Mapping[str, str]) -> bool:
    """Whether the library defines the symbol."""
    code = f"import ctypes, os; lib = ctypes.CDLL({path!r}, os.RTLD_LAZY); print(hasattr(lib, {symbol!r}))"
    return ask_program((sys.executable, "-c", code), environment).strip() == "True"


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


def ask_program(
    arguments: Sequence[str], environment: Mapping[str, str], temporary: Path | None = None
) -> str:
    """Output of a program that ends by itself; empty if it does not.

    temporary: a directory for its files that its maker removes. Open MPI 5 leaves some in TMPDIR whenever
    a program was started without mpirun. The answer does not depend on it."""
    question = (tuple(arguments), tuple(sorted(environment.items())))
    if question not in _ANSWERS:
        with _removed_after(temporary) as folder:
            _ANSWERS[question] = _output(arguments, {**environment, "TMPDIR": str(folder)})
    return _ANSWERS[question]


@contextlib.contextmanager
def _removed_after(folder: Path | None) -> Iterator[Path]:
    if folder:
        yield folder
        return
    with tempfile.TemporaryDirectory(prefix="weir-ask-", ignore_cleanup_errors=True) as own:
        yield Path(own)


def _output(arguments: Sequence[str], environment: Mapping[str, str]) -> str:
    try:
        done = run_to_end(arguments, environment, _LIMIT_S)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout + (done.stderr if not done.stdout else "")


# Before the name of a tool whose first program, weir-io, is in the same prefix.
ORIGINAL = "original-"
_LAUNCHER_PROGRAMS = {"mpirun": "mpirun", "hydra": "mpiexec.hydra", "srun": "srun"}
_NAMES = {"hdf5": "HDF5", "netcdf": "NetCDF", "pnetcdf": "PnetCDF"}


def probe_stack(stack: Stack, launcher: str) -> StackFacts:
    """The stack as a program started in it would find it."""
    environment = applied(os.environ, stack.environment)
    program = _LAUNCHER_PROGRAMS.get(launcher, launcher)
    starter = shutil.which(program, path=environment.get("PATH")) or ""
    return StackFacts(
        name=stack.name,
        description=stack.description,
        launcher=starter,
        launcher_family=launcher_family(ask_program((starter, "--version"), environment)) if starter else "",
        programs=tuple(
            probe_program(tool, arguments, environment) for tool, arguments in sorted(stack.commands)
        ),
    )


def features_here(stack: Stack, launcher: str) -> list[str]:
    """The features of the stack on this machine, for ReFrame; none, at no cost, where no program of it is."""
    path = applied(os.environ, stack.environment).get("PATH")
    present = any(shutil.which(arguments[0], path=path) for arguments in stack.programs.values())
    return features(probe_stack(stack, launcher)) if present else []


def launcher_of(site: Site, stack: str) -> str:
    """The launcher of the first partition that runs the stack; of the first of all if none does."""
    partitions = list(site.partitions.values())
    return next((one for one in partitions if stack in one.stacks), partitions[0]).launcher


def stack_of_prefix(prefix: Path) -> tuple[Stack, str]:
    """A prefix as a site would describe it: the programs in its bin, its own launcher first on the PATH."""
    folder = prefix.resolve() / "bin"
    usual = {
        name if index == 0 else f"{ORIGINAL}{name}": arguments
        for name, tool in tools().items()
        for index, arguments in enumerate(tool.programs)
    }
    present = {
        name: (str(folder / file), *options)
        for name, (file, *options) in usual.items()
        if (folder / file).exists()
    }
    if not present:
        files = " or ".join(dict.fromkeys(arguments[0] for arguments in usual.values()))
        hint = "give a prefix with bin/weir-io, such as .spack-env/stacks/mpich"
        raise InputError(f"{folder} does not hold {files}", key="--prefix", hint=hint)
    launcher = "hydra" if (folder / "mpiexec.hydra").exists() else "mpirun"
    path = {"PATH": f"{folder}:/usr/local/bin:/usr/bin:/bin"}
    return Stack(prefix.name, present, f"Prefix {prefix}", environment=path), launcher


def probe_program(tool: str, arguments: tuple[str, ...], environment: Mapping[str, str]) -> ProgramFacts:
    path = shutil.which(arguments[0], path=environment.get("PATH"))
    if path is None:
        return ProgramFacts(tool, arguments[0], found=False)
    path = str(Path(path).resolve())
    libraries = linked(path, environment)
    return ProgramFacts(
        tool=tool,
        path=path,
        found=True,
        script=not is_binary(path),
        mpis=tuple(_mpi(file, environment) for file in libraries.all("mpi")),
        libraries=tuple(
            _io_library(kind, file, environment) for kind in _NAMES for file in libraries.all(kind)
        ),
        missing=libraries.missing,
        absent=tuple(word for word in arguments[1:] if word.startswith("/") and not Path(word).exists()),
        ime_client=_native_ime(path, libraries, environment),
        backends=_interfaces(tool, (path, *arguments[1:]), environment),
    )


def _interfaces(name: str, arguments: tuple[str, ...], environment: Mapping[str, str]) -> tuple[str, ...]:
    tool = tools().get(name.removeprefix(ORIGINAL))
    return tuple(tool.interfaces(arguments, lambda line: ask_program(line, environment))) if tool else ()


def _mpi(file: str, environment: Mapping[str, str]) -> MpiLibrary:
    family, version = mpi_name(ask_library("mpi", file, environment))
    # Open MPI loads its MPI-IO when it is requested, from a folder beside the library.
    plugins = (str(plugin) for plugin in Path(file).parent.glob("openmpi*/**/mca_io_romio*.so"))
    ime = any(linked(one, environment).all("ime") for one in (file, *plugins))
    return MpiLibrary(family, version, file, ime)


def _io_library(kind: str, file: str, environment: Mapping[str, str]) -> IoLibrary:
    own = linked(file, environment)
    parallel = has_symbol(file, "H5Pset_fapl_mpio", environment) if kind == "hdf5" else bool(own.all("mpi"))
    return IoLibrary(_NAMES[kind], ask_library(kind, file, environment), file, parallel, own.first("mpi"))


def _native_ime(path: str, libraries: Linked, environment: Mapping[str, str]) -> str:
    """The IME client that the program calls itself: an MPI with IME brings one along for its own use only."""
    client = libraries.first("ime")
    if not client:
        return ""
    symbols = ask_program(("nm", "-D", "--undefined-only", path), environment)
    return client if "ime_native_" in symbols else ""
