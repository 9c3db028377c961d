"""A batch on its target: prepared by the target's own commands, with a guardian beside weir, and cleaned up
whatever ends it.

The guardian is a process of its own (guardian.py), which touches the target for weir and outlives it. Each
request to it has a limit of time.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shlex
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import weir
from weir.base.errors import TargetUnavailableError, WeirError
from weir.base.processes import INTERRUPTS, is_readable
from weir.base.storage_calls import ANSWER_S, HangsError, hangs, in_time, is_in_haste
from weir.measure.clean_up.directories import private_directory, temporary_directory
from weir.measure.execute import TOKEN_VARIABLE, end_processes
from weir.measure.lock import Holder, Lock
from weir.records.model import Target

if TYPE_CHECKING:  # the guardian, one for each turn of a batch, starts sooner without
    from weir.measure.session import PlannedBatch

# Seconds in which a storage that answers deletes a million files.
REMOVAL_S = 900.0
_START_S = 120.0
# Processes that a target's commands leave running, such as a mount, differ from those of a launch by it.
PREPARE_TOKEN = "prepare-"
_COMMAND_S = 300.0
_HASTE_S = 30.0
_COMMAND_ENDS_S = 5.0


@contextlib.contextmanager
def on_target(planned: PlannedBatch, locks: Sequence[Lock], own: Holder) -> Iterator[tuple[Guardian, str]]:
    """The target is prepared, and its clean-up commands run afterwards; with the token of what is started.
    locks: the first is that of the target.

    The guardian cleans up even if this process, which holds the locks, is killed; they are held until it is
    done."""
    token, guardian = secrets.token_hex(8), None
    held = [lock.descriptor for lock in locks if lock.descriptor >= 0]
    try:
        guardian = Guardian(facts_of(planned, token, own, locks[0]), held)
        with prepared(planned.target, token, guardian.nothing_left):
            yield guardian, token
    finally:
        if guardian is None or not guardian.dismiss():  # it is about to clean up, also in its start
            for lock in locks:
                lock.hand_over()


def facts_of(planned: PlannedBatch, token: str, own: Holder, lock: Lock) -> dict[str, Any]:
    """Facts that a guardian gets at its start, and stores for the next start."""
    target = planned.target
    return {
        "target": {
            "name": target.name,
            "kind": target.kind,
            "path": target.path,
            "cleanup": target.cleanup,
            "environment": dict(target.environment),
        },
        "results": str(planned.results),
        "batch": planned.batch,
        "launches": str(planned.launch_folder),
        "token": token,
        "holder": asdict(own),
        "machine_lock": str(lock.path),
        "note": str(lock.note),
        "since": time.time(),
        "temporary": str(temporary_directory()[1]),
    }


class GuardianEndedError(WeirError):
    """The guardian was killed, and so was the one that followed it."""


class NotCarriedOutError(WeirError):
    """The guardian failed at a request: that is a fault of weir, or of a note of another version of it."""


class Guardian:
    """The side of weir: requests and their answers."""

    def __init__(self, facts: Mapping[str, Any], locks: Sequence[int]) -> None:
        self._facts, self._locks = facts, locks
        self._hung: HangsError | None = None
        self._nothing_left = False
        self._is_noted = False  # for the next start, also when the guardian is done
        self._claimed = False
        self._number = 0  # of the last request; an interrupt may leave the answer of an earlier one unread
        self._start()

    def _start(self) -> None:
        self._printed = b""  # by it, and not read yet
        root = str(Path(weir.__file__).resolve().parents[1])
        path = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))
        whose = (str(self._facts["results"]), str(self._facts["batch"]))  # for readers of ps
        # It inherits the mask: signals that end weir wait until it ignores them.
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, INTERRUPTS)
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "weir.measure.clean_up.guardian", *whose],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": path},
                cwd="/",
                pass_fds=self._locks,
                start_new_session=True,
            )
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        try:
            self._answer(_START_S, **self._facts)
        except BaseException:
            self._close()  # it has the facts, and cleans up now
            raise

    def ask(self, limit_s: float = ANSWER_S, **request: Any) -> dict[str, Any]:
        """The answer to one request; HangsError if there is none in time."""
        if self._hung is not None:
            raise self._hung
        if isinstance(error := sys.exception(), HangsError):
            self._hung = error  # found by another process
            raise error
        if is_in_haste(error):
            limit_s = min(limit_s, ANSWER_S)  # what it has not deleted then, it deletes afterwards
        self._claimed |= request.get("do") == "claim"  # also if the answer does not come
        try:
            return self._answer(limit_s, **request)
        except GuardianEndedError:  # another one is started and goes on
            self._close()
            self._start()
            if self._claimed:
                self._answer(limit_s, do="adopt")
            return self._answer(limit_s, **request)

    def _answer(self, limit_s: float, **request: Any) -> dict[str, Any]:
        assert self._process.stdin is not None
        self._number += 1
        try:
            self._process.stdin.write(json.dumps(request | {"number": self._number}).encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise GuardianEndedError("the guardian of this batch was ended", hint="run again") from None
        answer: dict[str, Any] = {}
        while answer.get("number") != self._number:
            answer = self._next_answer(limit_s)
        if "broken" in answer:
            raise NotCarriedOutError(answer["broken"], hint="report it as a fault of weir")
        if "error" in answer:
            raise WeirError(answer["error"], hint=answer.get("hint"))
        return answer

    def _next_answer(self, limit_s: float) -> dict[str, Any]:
        assert self._process.stdout is not None
        while b"\n" not in self._printed:
            if not is_readable(self._process.stdout.fileno(), limit_s):
                self._hung = self._hangs(limit_s)
                raise self._hung
            printed = os.read(self._process.stdout.fileno(), 65536)
            if not printed:
                raise GuardianEndedError("the guardian of this batch was ended", hint="run again")
            self._printed += printed
        line, _, self._printed = self._printed.partition(b"\n")
        found: dict[str, Any] = json.loads(line)
        return found

    def ask_to_delete(self, **request: Any) -> dict[str, Any]:
        """The answer to a request that may take long, on a storage that answers."""
        self.ask(do="look")
        return self.ask(REMOVAL_S, **request)

    def fault(self) -> str | None:
        reason: str | None = self.ask(do="fault")["fault"]
        return reason

    def temporary(self) -> Path | None:
        """A directory for the files of launches; None if there is no TMPDIR to make it in."""
        made = self.ask(do="temporary")["folder"]
        return Path(made) if made else None

    def remove(self, folders: Sequence[Path]) -> None:
        self.ask_to_delete(do="remove", folders=[str(folder) for folder in folders])

    def clean(self, is_whole: bool = False) -> None:
        """Empty the target. is_whole: after a run without a fault, when nothing else would tell that the
        target has gone with what is on it."""
        self.ask_to_delete(do="clean", is_whole=is_whole)

    def nothing_left(self, complaints: Sequence[str] = ()) -> None:
        """The target's clean-up commands have run. In haste they have less time: after a complaint then the
        next start runs them again."""
        self._nothing_left = self._hung is None and not isinstance(sys.exception(), HangsError)
        self._is_noted = bool(complaints) and is_in_haste(sys.exception())

    def dismiss(self, forget: bool = True) -> bool:
        """End it if nothing is left on the target; otherwise it stays, cleans up, and holds the lock.

        forget: delete its note, so that no later start cleans up.
        """
        if self._nothing_left:
            with contextlib.suppress(WeirError):
                self.ask(do="end", forget=forget and not self._is_noted)
        self._close()
        if self._nothing_left:
            try:
                self._process.wait(ANSWER_S)
            except subprocess.TimeoutExpired:  # a file system that has just stopped to answer
                return False
        return self._nothing_left

    def _close(self) -> None:
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()

    def _hangs(self, limit_s: float) -> HangsError:
        target = self._facts["target"]
        return hangs(target["path"], self._process.pid, limit_s, target["name"])


@contextlib.contextmanager
def prepared(
    target: Target, token: str = "", cleaned: Callable[[Sequence[str]], None] = lambda complaints: None
) -> Iterator[None]:
    """The target's own commands around the batch; clean-up also runs when preparing failed half-way.

    What an interrupted command has started, such as a mount, may come up after clean-up looked for it: it is
    ended, and clean-up runs again. cleaned is called with the complaints of clean-up when that has run to its
    end, which an interrupt prevents.
    """
    is_whole = False
    if (wrong := _unloadable_library(target)) is not None:
        cleaned([])  # nothing was prepared
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
        cleaned(complaints)


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
            errors="replace",
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
        process.communicate(timeout=_COMMAND_ENDS_S)
