"""Run one command with a hard time limit, and leave no process behind."""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from weir.base.processes import INTERRUPTS, die_with_parent, waits_in

# Launchers start ranks in sessions of their own, out of reach of a signal to our group: each rank has this.
TOKEN_VARIABLE = "WEIR_RUN_TOKEN"
GRACE_S = 10.0
POLL_S = 0.2
_LOOKS, _BETWEEN_LOOKS_S = 3, 0.02  # looks that must see no process, and seconds between them


# Called while a program runs: why it is to be ended now, or None.
Watch = Callable[[], str | None]


@dataclass(frozen=True)
class CommandResult:
    """exit_code is None if the command could not be started; ended is whether the watch ended it."""

    exit_code: int | None
    ended: bool
    elapsed_s: float
    stdout: bytes
    stderr: bytes
    error: str | None


def _time_limit(limit_s: float) -> Watch:
    """Ends a program after limit_s, counted from now."""
    over = time.monotonic() + limit_s
    return lambda: f"ended after its limit of {limit_s:g} s" if time.monotonic() >= over else None


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


def end_processes(token: str) -> int:
    """Kill what carries the token, and wait until it is gone: one that dies may still make a file, or a
    process. How many there were.

    A process that is just starting a program shows no environment for a moment: one look is not enough."""
    ended: set[int] = set()
    over, looks_without = time.monotonic() + GRACE_S, 0  # one that waits for a file system does not go
    while looks_without < _LOOKS and time.monotonic() < over:
        pids = processes_with_token(token)
        ended.update(pids)
        for pid in pids:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        looks_without = 0 if pids else looks_without + 1
        time.sleep(POLL_S if pids else _BETWEEN_LOOKS_S)
    return len(ended)


def _end_all(process: subprocess.Popen[bytes], token: str) -> None:
    """Ask the launcher to end its ranks; after the grace, end whatever still carries the token."""
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(signal.SIGTERM)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(GRACE_S)
    end_processes(token)
    if process.poll() is None:
        process.kill()


def _ended(process: subprocess.Popen[bytes], token: str) -> tuple[tuple[bytes, bytes], str]:
    """End the launch; its output, and which processes cannot be ended: they wait for a file system."""
    _end_all(process, token)
    try:
        return process.communicate(timeout=GRACE_S), ""
    except subprocess.TimeoutExpired:
        pids = [*processes_with_token(token), process.pid]
        stuck = ", ".join(f"process {pid} waits, {waits_in(pid)}" for pid in sorted(set(pids)))
        return (b"", b""), f"; it cannot be ended: {stuck}"


def execute(
    command: Sequence[str], environment: Mapping[str, str], limit: float | Watch, token: str, folder: Path
) -> CommandResult:
    """Start the command in folder with exactly this environment and wait for it, so many seconds or until a
    watch ends it.

    Its output is held in memory, so that nothing is written meanwhile.
    """
    watch = limit if callable(limit) else _time_limit(limit)
    started = time.monotonic()
    # An interrupt within the start would lose the process that was just made.
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, INTERRUPTS)
    try:
        process = subprocess.Popen(
            list(command),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**environment, TOKEN_VARIABLE: token},
            cwd=folder,
            start_new_session=True,
            preexec_fn=partial(_begin, mask),
        )
    except OSError as error:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        return CommandResult(
            None, False, time.monotonic() - started, b"", b"", f"{command[0]}: {error.strerror}"
        )
    reason = None
    try:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        while (output := _output(process)) is None:
            if reason := watch():
                output, stuck = _ended(process, token)
                reason += stuck
                break
    except BaseException:
        _ended(process, token)
        raise
    elapsed_s = time.monotonic() - started
    if reason is None and process.returncode != 0:
        end_processes(token)  # ranks of a killed launcher go on, into the files of the next launch
    return CommandResult(process.poll(), reason is not None, elapsed_s, *output, reason)


def _begin(mask: Iterable[int]) -> None:
    """Runs in the new process, before its program."""
    die_with_parent()  # a launcher ends its ranks then
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def _output(process: subprocess.Popen[bytes]) -> tuple[bytes, bytes] | None:
    """The output of the process when it is gone; None if it still runs a moment later."""
    try:
        return process.communicate(timeout=POLL_S)
    except subprocess.TimeoutExpired:
        return None
