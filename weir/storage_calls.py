"""Calls on storage that may not answer, each in a process of its own with a limit: a process that waits for a
file system that hangs gets no signal, and ends when the file system answers.

No other call of weir's own processes goes to the path of a target, but for those of the guardian of a batch,
which is such a process.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import select
import sys
from collections.abc import Callable
from functools import cache
from typing import NoReturn, TypeVar

from weir.errors import WeirError
from weir.mounts import named_mount
from weir.processes import waits_in

# A storage that does not answer for so long hangs.
ANSWER_S = 30.0
_PIPE_BYTES = 65536
Result = TypeVar("Result")


class HangsError(WeirError):
    """The storage does not answer."""


def hangs(path: str, pid: int, limit_s: float, target: str = "") -> HangsError:
    """Of a call on the path by a process; target: its name, where it is known."""
    what = f"target {target}: {path}" if target else path
    mounted = named_mount(path)
    return HangsError(
        f"{what} does not answer for {limit_s:g} s: process {pid} waits, {waits_in(pid)}",
        hint=f"look at {mounted or 'the file system'}, or unmount it; then run again: finished runs are kept",
    )


def in_time(call: Callable[[], Result], path: object, limit_s: float = ANSWER_S) -> Result:
    """What the call returns or raises; HangsError if that takes longer. path is that of the message."""
    reader, writer = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        _answer(call, writer)
    os.close(writer)
    try:
        answer = _read(reader, child, path, limit_s)
    finally:
        os.close(reader)
    os.waitpid(child, 0)
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


@cache
def real_path(path: str) -> str:
    """The path without links."""
    return in_time(lambda: os.path.realpath(path), path)


def _answer(call: Callable[[], object], writer: int) -> NoReturn:
    """Of the child: it keeps no lock, socket or pipe of its parent open while it hangs."""
    try:
        nothing = os.open(os.devnull, os.O_RDWR)
        for standard in range(3):
            os.dup2(nothing, standard)
        for each in map(int, os.listdir("/proc/self/fd")):
            if each > 2 and each != writer:
                with contextlib.suppress(OSError):
                    os.close(each)
        try:
            answer = pickle.dumps((True, call()))
        except Exception as error:
            answer = pickle.dumps((False, error))
        while answer:
            answer = answer[os.write(writer, answer) :]
    finally:
        os._exit(0)


def _read(reader: int, child: int, path: object, limit_s: float) -> bytes:
    poll, found = select.poll(), b""
    poll.register(reader, select.POLLIN)
    while True:
        if not poll.poll(1000 * limit_s):
            raise hangs(str(path), child, limit_s)
        part = os.read(reader, _PIPE_BYTES)
        if not part:
            return found
        found += part
