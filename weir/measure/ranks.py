"""Do ranks start where they should? A launch that silently gives N programs of one rank looks fast."""

from __future__ import annotations

import secrets
import tempfile
from pathlib import Path

from weir.measure.clean_up.shared_memory import no_room, no_segment
from weir.measure.execute import execute, time_limit
from weir.measure.preflight import Check
from weir.site.launchers import start_of
from weir.terms.model import Stack
from weir.tools import tools

_LIMIT_S = 60.0
_ANY = ("true",)
_HINT = (
    "look at launcher and launcher_options in site.yaml: an MPI library needs its own launcher; under srun "
    "mostly --mpi=pmix for Open MPI and --mpi=pmi2 for MPICH (srun --mpi=list)"
)


def check_ranks(
    nodes: int,
    ppn: int,
    stack: Stack,
    launcher_name: str,
    token: str | None = None,
    temporary: Path | None = None,
) -> Check:
    """Starts a program of the stack that can tell where its ranks are, with the geometry of the batch; where
    there is none, any program: the launcher has to know its options, whatever it starts.

    token: what its processes carry. temporary: a directory for the files of the launch."""
    start = start_of(launcher_name, nodes, ppn, stack.launcher_options, stack.environment, temporary)
    requested = f"{nodes} x {ppn}"
    with tempfile.TemporaryDirectory(prefix="weir-ranks-", dir=temporary) as name:
        folder = Path(name)
        for tool, program in stack.commands:
            probe = tools()[tool].ranks_command(program, folder)
            if probe is not None:
                break
        else:
            probe = None
        command, whose = [*start.command, *(probe or _ANY)], token or secrets.token_hex(8)
        outcome = execute(command, start.environment, time_limit(_LIMIT_S), whose, folder)
        found = tools()[tool].ranks_started(folder) if probe else []
    if probe is None and outcome.exit_code == 0:
        return Check("ranks", f"{requested} started; no program of the stack can tell where")
    if not found:
        stderr = outcome.stderr.decode(errors="replace").strip()
        # A prologue of the site explains itself on either.
        printed = _one_line(f"{stderr}\n{outcome.stdout.decode(errors='replace')}")
        reason = outcome.error or no_segment(stderr) or no_room() or printed or "no output"
        return Check("ranks", "no start", f"{requested} ranks could not be started: {reason}", _HINT)
    if found == [ppn] * nodes:
        return Check("ranks", requested)
    shape = " + ".join(map(str, found))
    return Check("ranks", shape, f"requested {requested} ranks, {shape} started", _HINT)


def _one_line(text: str) -> str:
    """The text without the rules that launchers draw above and below it, for messages that have one line."""
    return " ".join(line.strip() for line in text.splitlines() if line.strip(" -\t"))
