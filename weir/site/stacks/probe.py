"""Looks at the programs of a stack: what they are linked with and what they can do."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from weir.base.errors import WeirError
from weir.site.launchers import applied
from weir.site.stacks.linked import Linked, is_binary, linked
from weir.site.stacks.model import IoLibrary, MpiLibrary, ProgramFacts, StackFacts
from weir.site.stacks.requested import (
    ask_library,
    ask_program,
    has_symbol,
    launcher_family,
    mpi_name,
)
from weir.site.stacks.verdict import features
from weir.terms.model import Site, Stack
from weir.tools import tools

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
        raise WeirError(
            f"{folder} does not hold {files}",
            key="--prefix",
            hint="give a prefix with bin/weir-io, such as .spack-env/stacks/mpich",
            exit_code=2,
        )
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
