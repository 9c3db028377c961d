"""A target's own commands around a batch, and the directories that weir makes for its user."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from weir.base.errors import TargetUnavailableError, WeirError
from weir.base.storage_calls import in_time, is_in_haste
from weir.measure.clean_up.removal import private_directory
from weir.measure.execute import TOKEN_VARIABLE, end_processes
from weir.terms.model import Target

# Processes that a target's commands leave running, such as a mount, differ from those of a launch by it.
PREPARE_TOKEN = "prepare-"
_COMMAND_S = 300.0
_HASTE_S = 30.0
_GRACE_S = 5.0


@contextlib.contextmanager
def prepared(target: Target, token: str = "", cleaned: Callable[[], None] | None = None) -> Iterator[None]:
    """The target's own commands around the batch; clean-up also runs when preparing failed half-way.

    What an interrupted command has started, such as a mount, may come up after clean-up looked for it: it is
    ended, and clean-up runs again. cleaned is called when clean-up has run to its end, which an interrupt
    prevents.
    """
    is_whole = False
    if (wrong := _unloadable_library(target)) is not None:
        if cleaned:  # nothing was prepared
            cleaned()
        raise wrong
    try:
        in_time(lambda: _make_private_directories(target), target.path)
        for command in target.prepare:
            if complaint := _complaint_of(command, target, token):
                raise TargetUnavailableError(
                    f"target {target.name}: {complaint}",
                    hint="correct `prepare` in the target's file, or the cause of its message",
                )
        yield
        is_whole = True
    finally:
        complaints = clean_up(target)
        if token and (complaints or not is_whole) and end_processes(PREPARE_TOKEN + token):
            complaints = clean_up(target)
        for complaint in complaints:
            print(f"weir: target {target.name}: clean-up: {complaint}", file=sys.stderr)
        if cleaned:
            cleaned()


def _unloadable_library(target: Target) -> TargetUnavailableError | None:
    """The loader only warns about a library that it does not find, and each run fails for itself."""
    named = target.environment.get("LD_PRELOAD", "")
    for library in named.split(":"):
        if " " in library and Path(library).is_file():
            return TargetUnavailableError(
                f"target {target.name}: LD_PRELOAD names {library}, which the loader splits at spaces",
                hint="move the library, or the checkout, to a path without spaces",
            )
    for name in named.replace(":", " ").split():
        if "/" in name and not Path(name).is_file():
            return TargetUnavailableError(
                f"target {target.name}: {name} is not there, which LD_PRELOAD names",
                hint="build it (make build), or correct `environment` in the target's file",
            )
    return None


def clean_up(target: Target) -> list[str]:
    """Run the target's clean-up commands; what they complain about."""
    complaints = [_complaint_of(command, target, "") for command in target.cleanup]
    return [complaint for complaint in complaints if complaint]


def _make_private_directories(target: Target) -> None:
    for folder in private_directories(target):
        try:
            private_directory(folder)
        except WeirError as error:
            problem = error.problems[0]
            message = f"target {target.name}: {problem.message}"
            raise TargetUnavailableError(message, hint=problem.hint) from None


def private_directories(target: Target) -> list[Path]:
    """Directories such as /dev/shm/weir-USER that the target names, below one that all may write to."""
    found: list[Path] = []
    for text in (target.path, *(argument for command in target.prepare for argument in command)):
        path = Path(text)
        for each in path.parents:  # a target that is missing itself is a finding, not to be made
            if path.is_absolute() and each.name.startswith("weir-") and _is_shared(each.parent):
                found.append(each)
    return sorted(set(found))


def _is_shared(folder: Path) -> bool:
    """Whether everybody may make files there, and only their owners delete them."""
    try:
        mode = folder.stat().st_mode
    except OSError:
        return False
    return bool(mode & stat.S_IWOTH and mode & stat.S_ISVTX)


def _complaint_of(command: Sequence[str], target: Target, token: str) -> str | None:
    """Run one command of the target; None when it succeeded."""
    environment = {**os.environ, **target.environment}
    if token:
        environment[TOKEN_VARIABLE] = PREPARE_TOKEN + token
    shown = f"`{shlex.join(command)}`"
    limit_s = _HASTE_S if is_in_haste(sys.exception()) else _COMMAND_S
    try:
        process = subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
    except OSError as error:
        return f"{shown}: {error.strerror}"
    try:
        stdout, stderr = process.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired:
        _end(process)
        return f"{shown} did not end within {limit_s:g} s"
    except BaseException:
        _end(process)
        raise
    if process.returncode == 0:
        return None
    return f"{shown} ended with exit code {process.returncode}: {(stderr or stdout).strip()}"


def _end(process: subprocess.Popen[str]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.communicate(timeout=_GRACE_S)
