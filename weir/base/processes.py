"""Processes of this machine: facts about them from /proc, as a pid alone may meanwhile belong to another one;
the interrupts that end a command (TERM, Ctrl-C, a closed terminal); the wall clock of this process.

An administrator or NTP may set the clock while a study is measured. What is ordered or limited by it goes by
the time at which the process began and by the clock that runs on since, also while the machine is suspended.
"""

import contextlib
import ctypes
import errno
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType
from typing import Any

from weir.base.files import text_of

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_libc = ctypes.CDLL(None, use_errno=True)
_POLL_S = 0.05
_STATE, _PARENT, _STARTED = 0, 1, 19  # fields of /proc/PID/stat after the name, which may hold spaces


def started(pid: int) -> int | None:
    """The start of a process in clock ticks since boot; None if there is none, or only its exit status."""
    facts = _facts(pid)
    return None if facts is None or facts[_STATE] in "ZX" else int(facts[_STARTED])


def is_the_same(pid: int, started_ticks: int) -> bool:
    """Whether the process that began then is still there."""
    return started(pid) == started_ticks


def takes(pid: int, number: signal.Signals) -> bool:
    """Whether the process has a handler of the signal, or ignores it."""
    lines = text_of(Path(f"/proc/{pid}/status")).splitlines()
    masks = [int(line.split()[1], 16) for line in lines if line.startswith(("SigIgn:", "SigCgt:"))]
    return any(mask & 1 << (number - 1) for mask in masks)


def name_of(pid: int) -> str:
    """The first 15 characters of its program's name, as the kernel has it; empty if it is gone."""
    return text_of(Path(f"/proc/{pid}/comm")).strip()


def waits_in(pid: int) -> str:
    """The state of a process: `D in fuse_simple_request` if it waits for a file system."""
    facts = _facts(pid)
    if facts is None:
        return "gone"
    place = text_of(Path(f"/proc/{pid}/wchan")).strip("\0\n0")
    return f"{facts[_STATE]} in {place}" if place else facts[_STATE]


def engines_of_others(name: str) -> list[str]:
    """Processes of this name that other users run on this machine: `user 1000, process 4711`."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            user = entry.stat().st_uid
            if user != os.geteuid() and (entry / "comm").read_text(encoding="utf-8").strip() == name:
                found.append(f"user {user}, process {entry.name}")
        except OSError:
            continue
    return sorted(found)


def die_with_parent(by: signal.Signals = signal.SIGTERM) -> None:
    """Let a process that was just forked get the signal when its parent is killed."""
    _libc.prctl(_PR_SET_PDEATHSIG, by)


def adopt_orphans() -> None:
    """Keeps all descendants below this process, whatever their session, when those between are gone."""
    _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1)


def children() -> set[int]:
    """Processes whose parent is this one. The counts of what has ended are in its own then."""
    while True:
        living = children_of(os.getpid())
        # One that ends while the others are listed is in neither, and its own children come to this process.
        if not _waited_for_any():
            return living


def _waited_for_any() -> bool:
    some = False
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG) != (0, 0):
            some = True
    return some


def children_of(parent: int) -> set[int]:
    """Children of any process, without those that have ended."""
    pids = (int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit())
    found = ((pid, facts) for pid in pids if (facts := _facts(pid)))
    return {pid for pid, facts in found if facts[_PARENT] == str(parent) and facts[_STATE] not in "ZX"}


def descendants(pid: int) -> Iterator[int]:
    """All that it started and that still has a parent there; by its own lists, as it is looked at often."""
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, text_of(task).split()):
            yield child
            yield from descendants(child)


def wait_for_children(apart_from: set[int], limit_s: float) -> set[int]:
    """Waits for the children to end; returns those that are still there after the limit."""
    over = time.monotonic() + limit_s
    while (left := children() - apart_from) and time.monotonic() < over:
        time.sleep(_POLL_S)
    return left


def run_to_end(
    command: Sequence[str], environment: Mapping[str, str] | None = None, limit_s: float | None = None
) -> subprocess.CompletedProcess[str]:
    """A command without input, and what it printed, however it ended; subprocess.TimeoutExpired after
    limit_s."""
    return subprocess.run(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=limit_s,
        check=False,
    )


def _facts(pid: int) -> list[str] | None:
    return text_of(Path(f"/proc/{pid}/stat")).rpartition(")")[2].split() or None


EXIT_INTERRUPTED = 130
INTERRUPTS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_LOOK_S = 0.2


class Interrupt:
    """TERM, INT and HUP become one KeyboardInterrupt; what comes later does not interrupt the clean-up.

    An INT or HUP that is ignored from the start stays ignored: nohup, a background job of a script.
    """

    def __init__(self, also: Callable[[], None] = lambda: None) -> None:
        """also: what is done first."""
        self.cause = ""  # empty: none came
        self._also = also
        self._hook = sys.unraisablehook
        sys.unraisablehook = self._raise_again
        for number in caught_signals():
            signal.signal(number, self._raise)

    @property
    def text(self) -> str:
        """Message of a command that was interrupted."""
        return f"interrupted by {self.cause}" if self.cause else "interrupted"

    def _raise(self, number: int, _: FrameType | None) -> None:
        if not self.cause:
            self.cause = signal.Signals(number).name
            self._also()
            raise KeyboardInterrupt(self.cause)

    def _raise_again(self, lost: Any) -> None:
        """Python drops an exception that comes in a callback of its own, such as one of an import."""
        if not isinstance(lost.exc_value, KeyboardInterrupt):
            self._hook(lost)
            return
        self.cause = ""
        threading.Timer(0.1, signal.pthread_kill, (threading.main_thread().ident, signal.SIGTERM)).start()


def is_readable(descriptor: int, limit_s: float) -> bool:
    """Whether there is something to read in time. An interrupt that comes just before a call that waits is
    noticed when that returns, so that none waits for long."""
    poll, over = select.poll(), time.monotonic() + limit_s
    poll.register(descriptor, select.POLLIN)
    while not (found := bool(poll.poll(1000 * _LOOK_S))) and time.monotonic() < over:
        pass
    return found


def was_interrupted(error: BaseException | None) -> bool:
    """Whether an error came in the clean-up after an interrupt."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__context__
    return error is not None


def caught_signals() -> list[signal.Signals]:
    """All but an INT or HUP that is ignored."""
    return [
        each for each in INTERRUPTS if each is signal.SIGTERM or signal.getsignal(each) is not signal.SIG_IGN
    ]


@contextlib.contextmanager
def without_terminal() -> Iterator[None]:
    """A terminal that has gone without a HUP (disown, setsid) refuses what is printed: nobody reads it."""
    try:
        yield
    except OSError as error:
        if error.errno != errno.EIO:
            raise


def steady_s() -> float:
    """Seconds since the machine started."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


_BEGAN_S, _BEGAN_STEADY_S = time.time(), steady_s()


def wall_s() -> float:
    """Seconds since 1970, by the clock as it was when this process began."""
    return _BEGAN_S + (steady_s() - _BEGAN_STEADY_S)


def wall() -> datetime:
    """The same as a date of UTC."""
    return datetime.fromtimestamp(wall_s(), UTC)
