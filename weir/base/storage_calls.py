"""Calls on storage that may not answer, each in a process of its own with a limit: a process that waits for a
file system that hangs gets no signal, and ends when the file system answers.

No other call of weir's own processes goes to the path of a target, but for those of the guardian of a batch,
which is such a process.
"""

import contextlib
import itertools
import os
import pickle
import signal
import sys
import time
from collections.abc import Callable, Iterable
from typing import NoReturn, TypeVar

from weir.base.errors import WeirError
from weir.base.mounts import named_mount
from weir.base.processes import INTERRUPTS, is_readable, waits_in

# A storage that does not answer for so long hangs (seconds).
ANSWER_S = 30.0
# Seconds after an interrupt for a call to end by itself, then for its killed process; interval of checks.
_FINISH_S, _GO_S, _LOOK_S = 2.0, 3.0, 0.02
# As long several storages may take together before each is looked at by itself (seconds).
_SOON_S = 3.0
_PIPE_BYTES = 65536
_REAL_PATHS: dict[str, str] = {}
Result = TypeVar("Result")


class HangsError(WeirError):
    """The storage does not answer."""


def hangs(path: str, pid: int, limit_s: float, target: str = "") -> HangsError:
    """The error of a process whose call on the path hangs; target: its name, where it is known."""
    what = f"target {target}: {path}" if target else path
    mounted = named_mount(path)
    return HangsError(
        f"{what} does not answer for {limit_s:g} s: process {pid} waits, {waits_in(pid)}",
        hint=f"look at {mounted or 'the file system'}, or unmount it; then run again: finished runs are kept",
    )


def in_time(call: Callable[[], Result], path: object, limit_s: float = ANSWER_S) -> Result:
    """Return or raise what the call does; HangsError after limit_s. The message names the path.

    An interrupt waits for the call, or ends it, so that it no longer runs while the caller cleans up."""
    reader, writer = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    # The mask keeps interrupts from the child. Even if another thread takes the signal, Python
    # raises it here, between any two steps: so one step forks and notes the child.
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, INTERRUPTS)
    children: list[int] = []
    try:
        children.extend(itertools.starmap(os.fork, [()]))
        if children == [0]:
            _answer(call, writer)
        os.close(writer)
        with open(reader, "rb", buffering=0):
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            answer = _read(reader, children[0], path, limit_s)
    except HangsError:
        raise
    except BaseException:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        for child in children:
            _end(child)
        raise
    os.waitpid(children[0], 0)
    if not answer:
        raise WeirError(f"{path}: the process that looked at it was ended", hint="run again")
    is_good, result = pickle.loads(answer)
    if is_good:
        found: Result = result
        return found
    raise result


def is_in_haste(error: BaseException | None) -> bool:
    """Whether an error is an interrupt or a storage that hangs, or came in the clean-up after one."""
    while error is not None and not isinstance(error, KeyboardInterrupt | HangsError):
        error = error.__context__
    return error is not None


def real_path(path: str) -> str:
    """The path without links."""
    if path not in _REAL_PATHS:
        _REAL_PATHS[path] = in_time(lambda: os.path.realpath(path), path)
    return _REAL_PATHS[path]


def look_up_real_paths(paths: Iterable[str]) -> None:
    """One process for all, as each costs a hundredth of a second. Where a storage does not answer soon, each
    is looked up when it is needed, so that the one that hangs has its name in the message."""
    new = [path for path in paths if path not in _REAL_PATHS]
    if len(new) > 1:
        with contextlib.suppress(HangsError):
            _REAL_PATHS.update(in_time(lambda: {one: os.path.realpath(one) for one in new}, new[0], _SOON_S))


def _answer(call: Callable[[], object], writer: int) -> NoReturn:
    """Run the call in the child, and send its result to the parent."""
    try:
        answer = _outcome(call, writer)
        while answer:
            answer = answer[os.write(writer, answer) :]
    finally:
        os._exit(0)


def _outcome(call: Callable[[], object], writer: int) -> bytes:
    try:
        _close_all_but(writer)
    except OSError as error:
        # This machine failed, not the storage: no caller takes this error for one of the call.
        reason = WeirError(f"cannot look at a storage: {error}", hint="mount /proc and /dev here")
        return pickle.dumps((False, reason))
    try:
        return pickle.dumps((True, call()))
    except Exception as error:
        return pickle.dumps((False, error))


def _close_all_but(writer: int) -> None:
    """No lock, socket or pipe of the parent stays open while the call hangs."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in range(3):
        os.dup2(nothing, standard)
    for each in map(int, os.listdir("/proc/self/fd")):
        if each > 2 and each != writer:
            with contextlib.suppress(OSError):
                os.close(each)


def _end(child: int) -> None:
    """Wait for the child before killing it: a killed call may leave what it was about to remove."""
    if not _ends(child, _FINISH_S):
        os.kill(child, signal.SIGKILL)
        _ends(child, _GO_S)  # unless it waits for a storage that hangs


def _ends(child: int, limit_s: float) -> bool:
    over = time.monotonic() + limit_s
    while not (ended := os.waitpid(child, os.WNOHANG)[0] != 0) and time.monotonic() < over:
        time.sleep(_LOOK_S)
    return ended


def _read(reader: int, child: int, path: object, limit_s: float) -> bytes:
    found = b""
    while True:
        if not is_readable(reader, limit_s):
            raise hangs(str(path), child, limit_s)
        part = os.read(reader, _PIPE_BYTES)
        if not part:
            return found
        found += part
