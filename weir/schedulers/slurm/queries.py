"""Commands of Slurm, each with a time limit."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from functools import cache

_LIMIT_S = 20.0


def slurm(arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """A command of Slurm, run to its end; one that is not there or hangs has failed."""
    try:
        return subprocess.run(arguments, capture_output=True, text=True, timeout=_LIMIT_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return subprocess.CompletedProcess(arguments, 1, "", str(error))


def answer(arguments: Sequence[str]) -> str:
    """Output of a command; empty if it fails, since a missing answer must not stop a measurement."""
    ended = slurm(arguments)
    return ended.stdout if ended.returncode == 0 else ""


def reply(arguments: Sequence[str]) -> tuple[int, str]:
    """Exit code and output of a command, messages first."""
    ended = slurm(arguments)
    return ended.returncode, ended.stderr + ended.stdout


@cache
def remembers_jobs() -> bool:
    """Whether sacct answers: without slurmdbd it is installed, too, and fails."""
    return slurm(["sacct", "--noheader", "--starttime=now"]).returncode == 0
