"""The facts about a stack as types; nothing here looks at the machine."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class MpiLibrary:
    """One MPI that a program is linked with."""

    family: str  # Open MPI, MPICH, Intel MPI, ... as the library names itself
    version: str  # empty: the library could not be requested
    path: str
    ime: bool = False  # its MPI-IO can reach files named ime:<path>


@dataclass(frozen=True)
class IoLibrary:
    """HDF5, NetCDF or PnetCDF as a program is linked with it."""

    name: str
    version: str  # empty: the library could not be requested
    path: str
    parallel: bool
    mpi_path: str = ""  # the MPI that this library itself is linked with


@dataclass(frozen=True)
class ProgramFacts:
    """One program of a stack."""

    tool: str
    path: str
    found: bool
    script: bool = False  # starts something else, such as a container: what that is linked with is unknown
    mpis: tuple[MpiLibrary, ...] = ()
    libraries: tuple[IoLibrary, ...] = ()
    missing: tuple[str, ...] = ()  # shared libraries that the loader does not find
    absent: tuple[
        str, ...
    ] = ()  # files that its command names, such as the image of a container, and nobody made
    ime_client: str = ""  # path of the IME client library it is linked with, for the native interface
    backends: tuple[str, ...] = ()  # interfaces that the program lists; empty: it does not list them


@dataclass(frozen=True)
class StackFacts:
    """A stack as it is on this machine."""

    name: str
    description: str
    launcher: str  # file that starts the ranks; empty: none on the PATH
    launcher_family: str  # the MPI it belongs to; empty: any (srun) or unknown
    programs: tuple[ProgramFacts, ...] = field(default_factory=tuple)

    @property
    def mpis(self) -> tuple[MpiLibrary, ...]:
        """Every MPI that some program of the stack is linked with, each once."""
        return tuple({mpi.path: mpi for program in self.programs for mpi in program.mpis}.values())

    @property
    def libraries(self) -> tuple[IoLibrary, ...]:
        return tuple({one.path: one for program in self.programs for one in program.libraries}.values())
