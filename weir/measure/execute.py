"""Run one command with a hard time limit, and leave no process behind."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

# Launchers start ranks in sessions of their own, out of reach of a signal to our group: each rank has this.
TOKEN_VARIABLE = "WEIR_RUN_TOKEN"
GRACE_S = 10.0
_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True)
class Outcome:
    """How a command ended; exit_code is None if it could not be started."""

    exit_code: int | None
    timed_out: bool
    elapsed_s: float
    stdout: bytes
    stderr: bytes
    error: str | None


def _die_with_parent() -> None:
    """If weir is killed with SIGKILL, its launcher gets SIGTERM and ends the ranks."""
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def processes_with_token(token: str) -> list[int]:
    """Processes of ours that carry the token in their environment, this one excepted."""
    needle = f"{TOKEN_VARIABLE}={token}".encode()
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        with contextlib.suppress(OSError):
            if needle in (entry / "environ").read_bytes().split(b"\0"):
                found.append(int(entry.name))
    return found


def _end_all(process: subprocess.Popen[bytes], token: str) -> None:
    """Ask the launcher to end its ranks; after the grace, end whatever still carries the token."""
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(signal.SIGTERM)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(GRACE_S)
    for pid in processes_with_token(token):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)
    if process.poll() is None:
        process.kill()


def execute(
    words: Sequence[str], environment: Mapping[str, str], timeout_s: float, token: str, folder: Path
) -> Outcome:
    """Start the command in folder with exactly this environment and wait for it.

    Its output is held in memory, so that nothing is written meanwhile.
    """
    started = time.monotonic()
    try:
        process = subprocess.Popen(
            list(words),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**environment, TOKEN_VARIABLE: token},
            cwd=folder,
            start_new_session=True,
            preexec_fn=_die_with_parent,
        )
    except OSError as error:
        return Outcome(None, False, time.monotonic() - started, b"", b"", f"{words[0]}: {error.strerror}")
    timed_out = False
    try:
        stdout, stderr = process.communicate(timeout=timeout_s)
    except subprocess.TimeoutExpired:
        timed_out = True
        _end_all(process, token)
        stdout, stderr = process.communicate()
    except BaseException:
        _end_all(process, token)
        process.communicate()
        raise
    elapsed_s = time.monotonic() - started
    limit = f"ended after its limit of {timeout_s:g} s" if timed_out else None
    return Outcome(process.returncode, timed_out, elapsed_s, stdout, stderr, limit)
