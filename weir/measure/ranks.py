"""Do ranks start where they should? A launch that silently gives N programs of one rank looks fast, and a
program that lacks a library fails in every run.
"""

import resource
import secrets
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from weir.base.units import format_size
from weir.measure.clean_up.shared_memory import no_room, no_segment
from weir.measure.execute import CommandResult, execute
from weir.measure.preflight import Check, library_hint
from weir.measure.session import PlannedBatch
from weir.records.model import Stack
from weir.site.launchers import start_of
from weir.tools import tools
from weir.tools.engine import engine_of, is_engine, program_name

_LIMIT_S = 60.0
_ANY = ("true",)
_LEAST_FILES = 256  # Open MPI opens a library for each of its parts
_LEAST_SIZE = 16 * 2**20  # of its files in shared memory
_NO_LIBRARY = "error while loading shared libraries"  # as the loader prints it
_HINT = (
    "look at launcher and launcher_options in site.yaml: an MPI library needs its own launcher; under srun "
    "mostly --mpi=pmix for Open MPI and --mpi=pmi2 for MPICH (srun --mpi=list)"
)


Commands = Mapping[tuple[str, ...], tuple[str, tuple[str, ...]]]  # start of each program: tool and command


def programs_of(commands: Iterable[tuple[str, tuple[str, ...]]]) -> Commands:
    """The programs that start otherwise than another one: weir-io is one program, whichever its tool is."""
    return {engine_of(command) or command: (tool, command) for tool, command in commands}


def check_ranks_of(
    planned: PlannedBatch, known: set[object], token: str, temporary: Path | None
) -> Check | None:
    """Starts each program of a batch; None where all have started well in this way before (`known`)."""
    nodes, ppn = planned.cells[0].nodes, planned.cells[0].ppn  # those of all cells of a batch
    stack, launcher = planned.stack, planned.launcher
    commands = dict.fromkeys((cell.tool, stack.program_of(cell)) for cell in planned.cells)
    programs = programs_of(commands)
    starts = {(nodes, ppn, stack.name, launcher, start) for start in programs}
    if starts <= known:
        return None
    check = check_ranks(nodes, ppn, stack, launcher, token, temporary, programs)
    if check.problem is None:
        known |= starts
    return check


def check_ranks(
    nodes: int,
    ppn: int,
    stack: Stack,
    launcher_name: str,
    token: str | None = None,
    temporary: Path | None = None,
    programs: Commands | None = None,
) -> Check:
    """Starts each program once with the geometry of the batch, as its runs would be started: the loader, the
    MPI library and the options of the launcher have to fit, and a program that can tell reports where its
    ranks are. Where none of them can tell, it starts another program of the stack that can, else any.

    programs: of the batch; by default all of the stack. token: what its processes carry. temporary: a
    directory for the files of the launch."""
    launch = _Launch(nodes, ppn, stack, launcher_name, token or secrets.token_hex(8), temporary)
    every = programs_of(stack.commands)
    chosen = [one for one in (programs or every).values() if _can_tell(*one)]
    chosen = chosen or [one for one in every.values() if _can_tell(*one)][:1]
    checks = [launch.check_of(tool, program) for tool, program in chosen] or [launch.check_of(None, _ANY)]
    problems = [check for check in checks if check.problem]
    return next(iter(problems or [check for check in checks if check.found == launch.requested]), checks[0])


def _can_tell(tool: str, program: Sequence[str]) -> bool:
    return tools()[tool].ranks_command(program, Path()) is not None


@dataclass(frozen=True)
class _Launch:
    nodes: int
    ppn: int
    stack: Stack
    launcher: str
    token: str
    temporary: Path | None

    @property
    def requested(self) -> str:
        return f"{self.nodes} x {self.ppn}"

    def check_of(self, tool: str | None, program: Sequence[str]) -> Check:
        """Starts one program; without a tool it tells nothing but that it started."""
        outcome, found = self._started(tool, program)
        name = program_name(program)
        if not found and outcome.exit_code == 0 and not is_engine(program):
            return Check("ranks", f"{self.requested} started; {name} does not tell where")
        if not found:
            stderr = outcome.stderr.decode(errors="replace").strip()
            # A prologue of the site explains itself on either.
            printed = _one_line(f"{stderr}\n{outcome.stdout.decode(errors='replace')}")
            reason = outcome.error or no_segment(stderr) or no_room() or printed or "no output"
            problem = f"{self.requested} ranks of {name} could not be started: {reason}"
            is_lacking = _NO_LIBRARY in reason
            hint = library_hint(self.stack) if is_lacking else "; ".join([*low_limits(), _HINT])
            return Check("ranks", "no start", problem, hint)
        if found == [self.ppn] * self.nodes:
            return Check("ranks", self.requested)
        shape = " + ".join(map(str, found))
        return Check("ranks", shape, f"requested {self.requested} ranks of {name}, {shape} started", _HINT)

    def _started(self, tool: str | None, program: Sequence[str]) -> tuple[CommandResult, list[int]]:
        """Runs the program; the second value has the ranks on each node as it saw them."""
        start = start_of(
            self.launcher,
            self.nodes,
            self.ppn,
            self.stack.launcher_options,
            self.stack.environment,
            self.temporary,
        )
        with tempfile.TemporaryDirectory(prefix="weir-ranks-", dir=self.temporary) as place:
            folder = Path(place)
            probe = tools()[tool].ranks_command(program, folder) if tool else None
            command = [*start.command, *(probe or program)]
            outcome = execute(command, start.environment, _LIMIT_S, self.token, folder)
            printed = outcome.stdout.decode(errors="replace")
            return outcome, tools()[tool].ranks_started(folder, printed) if tool else []


def low_limits() -> Iterator[str]:
    """The limits of this process with which an MPI library may not start."""
    files, size = (resource.getrlimit(each)[0] for each in (resource.RLIMIT_NOFILE, resource.RLIMIT_FSIZE))
    if files != resource.RLIM_INFINITY and files < _LEAST_FILES:
        yield f"raise the limit of {files} open files (ulimit -n)"
    if size != resource.RLIM_INFINITY and size < _LEAST_SIZE:
        yield f"raise the limit of {format_size(size)} in a file (ulimit -f)"


def _one_line(text: str) -> str:
    """The text without the rules that launchers draw above and below it, for messages that have one line."""
    return " ".join(line.strip() for line in text.splitlines() if line.strip(" -\t"))
