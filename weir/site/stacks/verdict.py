"""The facts about a stack as types, and how they are judged; all functions are pure."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace


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
    absent: tuple[str, ...] = ()  # files that its command names, such as a container's image, and nobody made
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


def features(stack: StackFacts) -> list[str]:
    """Short names of what every cell on the stack may count on, as ReFrame's checks ask for them."""
    found = set()
    for mpi in stack.mpis:
        found.add(mpi.family.lower().replace(" ", ""))
        found |= {"romio-ime"} if mpi.ime else set()
    for library in stack.libraries:
        if library.parallel:
            found.add(library.name.lower())
    if any(program.ime_client for program in stack.programs):
        found.add("ime-native")
    # A container's wrapper without its image starts nothing.
    found |= {f"tool-{program.tool}" for program in stack.programs if program.found and not program.absent}
    return sorted(found)


def problems(stack: StackFacts) -> list[str]:
    """Why the stack cannot measure, as sentences with the hint; empty if it can."""
    return [
        *(sentence for program in _merged(stack.programs) for sentence in _program_problems(program)),
        *_launcher_problems(stack),
    ]


def remarks(stack: StackFacts) -> list[str]:
    """Sentences about what the stack lacks without being broken: cells that need it have to run elsewhere."""
    sentences = []
    names = {library.name for library in stack.libraries}
    for library in stack.libraries:
        if not library.parallel:
            sentences.append(
                f"{library.name} {library.version} ({library.path}) is a serial build: it can be measured"
                " with one rank or one file per process, not with a shared file"
            )
    sentences += [
        f"{program.tool}: {program.path} is a script, and what it starts is not seen from here;"
        " for a container: apptainer exec IMAGE weir stacks --prefix PREFIX"
        for program in _merged(stack.programs)
        if program.script
    ]
    if not any(program.found and not program.script for program in stack.programs):
        return sentences
    # One program of a stack may do without a library; that none has it is worth a word.
    for name in ("HDF5", "NetCDF", "PnetCDF"):
        if name not in names:
            sentences.append(f"no program is linked with {name}: its interface cannot be measured here")
    native = any(program.ime_client for program in stack.programs)
    romio = any(mpi.ime for mpi in stack.mpis)
    if not native and not romio:
        sentences.append("without IME: targets with the prefix ime: can be reached through a mount only")
    elif not native:
        sentences.append("IME through MPI-IO only: no program has the native interface (-a IME)")
    elif not romio:
        sentences.append("IME natively only: this MPI-IO does not know files named ime:<path>")
    return sentences


def _merged(programs: Iterable[ProgramFacts]) -> list[ProgramFacts]:
    """Several tools are often one program: it is judged once, under all their names."""
    by_path: dict[str, ProgramFacts] = {}
    for program in programs:
        first = by_path.get(program.path)
        by_path[program.path] = (
            replace(first, tool=f"{first.tool}, {program.tool}") if first is not None else program
        )
    return list(by_path.values())


def _program_problems(program: ProgramFacts) -> Iterator[str]:
    if not program.found:
        yield (
            f"{program.tool}: {program.path} is not there or not executable;"
            " build it (make build, make stacks) or correct `programs` in site.yaml"
        )
        return
    for name in program.absent:
        yield (
            f"{program.tool}: {program.path} is given {name}, which is not there;"
            " build it (containers/build.sh for an image) or correct `programs` in site.yaml"
        )
    for name in program.missing:
        yield (
            f"{program.tool}: {program.path} needs {name}, which the loader does not find;"
            " give its folder an rpath, or LD_LIBRARY_PATH in the stack's `environment`"
        )
    if len(program.mpis) > 1:
        both = " and ".join(f"{mpi.family} {mpi.version} ({mpi.path})" for mpi in program.mpis)
        culprits = [one for one in program.libraries if one.mpi_path and one.mpi_path != program.mpis[0].path]
        through = f"; {culprits[0].name} ({culprits[0].path}) brings the second one" if culprits else ""
        yield (
            f"{program.tool}: {program.path} is linked with two MPIs, {both}{through}."
            " It links silently and fails when it runs: build all libraries with one MPI"
        )


def _launcher_problems(stack: StackFacts) -> Iterator[str]:
    linked_with_mpi = [program for program in _merged(stack.programs) if program.mpis]
    if not stack.launcher:
        if linked_with_mpi:
            yield "nothing starts the ranks: the launcher of the partition is not on the stack's PATH"
        return
    for program in linked_with_mpi:
        family = program.mpis[0].family
        if stack.launcher_family and not _same_launcher(stack.launcher_family, family):
            yield (
                f"{program.tool}: {program.path} is linked with {family} but {stack.launcher} belongs to"
                f" {stack.launcher_family}: every rank would believe to be alone. Put the folder of"
                f" {family}'s own launcher first in the PATH of the stack's `environment`"
            )


def _same_launcher(launcher: str, mpi: str) -> bool:
    """Hydra starts every relative of MPICH."""
    relatives = {"MPICH", "Intel MPI", "MVAPICH", "Cray MPICH"}
    return launcher == mpi or {launcher, mpi} <= relatives
