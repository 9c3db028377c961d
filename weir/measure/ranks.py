"""Do ranks start where they should? A launch that silently gives N programs of one rank looks fast."""

from __future__ import annotations

import json
import os
import secrets
import tempfile
from pathlib import Path

from weir.engine import engine_of
from weir.launch import applied, launcher
from weir.measure.execute import execute, time_limit
from weir.measure.preflight import Check
from weir.model import Stack

_LIMIT_S = 60.0
_MEND = (
    "look at launcher and launcher_options in site.yaml: an MPI library needs its own launcher; under srun "
    "mostly --mpi=pmix for Open MPI and --mpi=pmi2 for MPICH (srun --mpi=list)"
)


def check_ranks(nodes: int, ppn: int, stack: Stack, launcher_name: str) -> Check:
    """Starts weir-io's null back end with the geometry of the batch and reads what the ranks saw."""
    engine = next(filter(None, map(engine_of, stack.programs.values())), None)
    if engine is None:
        return Check("ranks", "not checked: the stack has no weir-io")
    start = launcher(launcher_name)
    words = start.command(nodes, ppn, stack.launcher_options, stack.environment)
    environment = applied(os.environ, start.environment(os.environ), stack.environment)
    requested = f"{nodes} x {ppn}"
    with tempfile.TemporaryDirectory(prefix="weir-ranks-") as folder:
        summary = Path(folder) / "ranks.json"
        words += [*engine, "ior", "-a", "NULL", "-w", "-t", "8", "-b", "8", "-o", "ranks"]
        words += ["-O", f"summaryFile={summary}", "-O", "summaryFormat=JSON"]
        outcome = execute(words, environment, time_limit(_LIMIT_S), secrets.token_hex(8), Path(folder))
        try:
            job = json.loads(summary.read_text(encoding="utf-8"))["job"]
        except (OSError, ValueError, KeyError):
            said = outcome.error or outcome.stderr.decode(errors="replace").strip() or "no output"
            return Check("ranks", "no start", f"{requested} ranks could not be started: {said}", _MEND)
    found = job["ranks_per_host"]
    if found == [ppn] * nodes:
        return Check("ranks", requested)
    shape = " + ".join(map(str, found))
    return Check("ranks", shape, f"requested {requested} ranks, {shape} started", _MEND)
