"""Commands of a batch system, each with a time limit."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence

_LIMIT_S = 20.0


def ended(arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """A command, run to its end; one that is not there or hangs has failed."""
    try:
        return subprocess.run(
            arguments,
            capture_output=True,
            text=True,
            timeout=_LIMIT_S,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return subprocess.CompletedProcess(arguments, 1, "", str(error))


def answer(arguments: Sequence[str]) -> str:
    """Output of a command; empty if it fails, since a missing answer must not stop a measurement."""
    done = ended(arguments)
    return done.stdout if done.returncode == 0 else ""


def reply(arguments: Sequence[str]) -> tuple[int, str]:
    """Exit code and output of a command, messages first."""
    done = ended(arguments)
    return done.returncode, done.stderr + done.stdout
