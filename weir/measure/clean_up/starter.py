"""Ends a measurement with its starter: by a signal, by letting go, or because it is gone, however it went.

Between the process that a user started and the ranks are others that may lose a signal, wait for their jobs,
or be killed. So whoever starts others holds a pipe, and what it starts opens that pipe below /proc and waits
for its end: the kernel closes the pipe of a process that is killed. It has no name that another user could
open, and as many readers as there are processes. Jobs of a batch system follow nobody outside of them.
"""

import contextlib
import os
import re
import select
import signal
import socket
import sys
import threading
from dataclasses import dataclass

from weir.base.errors import WeirError
from weir.base.processes import is_the_same, started, takes
from weir.site.schedulers import surrounding

# "HOST/PROCESS NAMESPACE/JOB/PID/START/DESCRIPTOR/INODE" of the pipe.
VARIABLE = "WEIR_STARTER"
# Its recipe gives the process of make: it has no pipe.
PROCESS_VARIABLE = "WEIR_STARTER_PROCESS"
_NAME = re.compile(r"(.*)/(\d+)/(\d+)/(\d+)/(\d+)", re.ASCII)
_LOOK_MS = 500  # interval of looks at a starter without a pipe, or whose pipe a forked process holds


class Starter:
    """The starter of all that is started from now on in this environment: when it lets go, or ends, they
    end."""

    def __init__(self) -> None:
        # Descriptors, not files: Python would close those that nobody names.
        self._pipe = os.pipe()
        own, reader = os.getpid(), self._pipe[0]
        os.environ[VARIABLE] = f"{_here()}/{own}/{started(own)}/{reader}/{os.fstat(reader).st_ino}"
        os.environ.pop(PROCESS_VARIABLE, None)

    def let_go(self) -> None:
        """Lets go: what is started afterwards ends at once, too."""
        pipe, self._pipe = self._pipe, (-1, -1)
        for descriptor in pipe:
            with contextlib.suppress(OSError):  # closed before
                os.close(descriptor)


def follow_the_starter() -> None:
    """End this process as by SIGTERM when its starter is gone or lets go. Of the main thread."""
    followed = _followed()
    if followed is None:
        return
    if followed.goes_on():
        threading.Thread(target=_end_with, args=[followed], daemon=True).start()
        return
    gone = f"process {followed.pid}, which {followed.variable} names, has ended or let go: nothing is done"
    _print(WeirError(gone, hint=f"if it did not start this one: unset {followed.variable}"))
    signal.raise_signal(signal.SIGTERM)


@dataclass(frozen=True)
class _Followed:
    variable: str
    pid: int
    started_ticks: int | None  # None: it is gone
    pipe: int | None = None  # None: it has none, or none that this process may open

    def goes_on(self) -> bool:
        if self.started_ticks is None or not is_the_same(self.pid, self.started_ticks):
            return False
        # make forgets its handler of INT or HUP when one comes, and then waits for its recipe in silence.
        is_told = takes(self.pid, signal.SIGTERM) and not (
            takes(self.pid, signal.SIGINT) and takes(self.pid, signal.SIGHUP)
        )
        return self.variable == VARIABLE or not is_told

    def wait(self) -> None:
        poll = select.poll()
        if self.pipe is not None:
            poll.register(self.pipe, select.POLLIN)
        while self.goes_on() and not poll.poll(_LOOK_MS):
            pass


def _here() -> str:
    """The host, namespace and job within which a number names the same process, since containers may count
    their own."""
    system = surrounding(os.environ)
    job = (system.job(os.environ) if system else None) or ""
    return f"{socket.gethostname()}/{os.readlink('/proc/self/ns/pid')}/{job}"


def _followed() -> _Followed | None:
    """The starter that this process follows; None without one here."""
    named = _NAME.fullmatch(os.environ.get(VARIABLE, ""))
    if named and named[1] == _here():
        pid, ticks, descriptor, inode = map(int, named.groups()[1:])
        try:
            return _Followed(VARIABLE, pid, ticks, _opened(f"/proc/{pid}/fd/{descriptor}", inode))
        except PermissionError:  # it has other rights: its end is seen, not that it lets go
            return _Followed(VARIABLE, pid, ticks)
        except OSError:
            return _Followed(VARIABLE, pid, None)
    process = os.environ.get(PROCESS_VARIABLE, "")
    if not (process.isascii() and process.isdigit()):
        return None
    return _Followed(PROCESS_VARIABLE, int(process), started(int(process)))


def _opened(name: str, inode: int) -> int:
    """The pipe; FileNotFoundError if the starter has let go, whatever else has that number then."""
    if os.readlink(name) != f"pipe:[{inode}]":
        raise FileNotFoundError(name)
    return os.open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)


def _end_with(followed: _Followed) -> None:
    followed.wait()
    _print(WeirError(f"process {followed.pid}, which started this one, has ended or let go: it ends, too"))
    # A signal to the process may reach another thread, and the main thread sleeps on.
    signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGTERM)


def _print(error: WeirError) -> None:
    if sys.stderr is not None:  # None: it is closed
        with contextlib.suppress(OSError, ValueError):
            print(f"weir: {error}", file=sys.stderr, flush=True)
