"""What Slurm at hand says and can do."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from functools import cache

_PATIENCE_S = 20.0


def slurm(words: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """A command of Slurm, run to its end; one that is not there or hangs has failed."""
    try:
        return subprocess.run(words, capture_output=True, text=True, timeout=_PATIENCE_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return subprocess.CompletedProcess(words, 1, "", str(error))


def answer(words: Sequence[str]) -> str:
    """Output of a command; empty if it fails, since a missing answer must not stop a measurement."""
    ended = slurm(words)
    return ended.stdout if ended.returncode == 0 else ""


@cache
def remembers_jobs() -> bool:
    """Whether sacct answers: without slurmdbd it is installed, too, and fails."""
    return slurm(["sacct", "--noheader", "--starttime=now"]).returncode == 0
