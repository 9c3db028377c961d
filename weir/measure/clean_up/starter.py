"""Who starts a measurement ends it: by a signal, by letting go, or because it is gone, however it went.

Between the process that a user started and the ranks are others that may lose a signal, wait for their jobs,
or be killed. So whoever starts others binds a socket, and what it starts waits for the end of it: the kernel
closes the socket of a process that is killed. Jobs of a batch system follow nobody outside of them.
"""

from __future__ import annotations

import os
import secrets
import select
import signal
import socket
import threading

from weir.site.schedulers import surrounding

# "HOST/JOB/NAME" of the socket.
VARIABLE = "WEIR_STARTER"
# Its recipe gives the process of make: it has no socket.
PROCESS_VARIABLE = "WEIR_STARTER_PROCESS"
_FOLLOWERS = 128
_HELD: list[socket.socket] = []  # or Python would close one that nobody names


class Starter:
    """What is started from now on in this environment ends when this one lets go, or ends."""

    def __init__(self) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        name = f"weir-{os.getpid()}-{secrets.token_hex(8)}"
        self._socket.bind(f"\0{name}")
        self._socket.listen(_FOLLOWERS)
        _HELD.append(self._socket)
        os.environ[VARIABLE] = f"{_here()}/{name}"
        os.environ.pop(PROCESS_VARIABLE, None)

    def let_go(self) -> None:
        """Also what is started afterwards ends at once."""
        self._socket.close()


def follow_the_starter() -> None:
    """End this process as by SIGTERM when its starter is gone or lets go."""
    link = _link()
    if link is not None:
        threading.Thread(target=_wait_for_the_end, args=[link], daemon=True).start()


def _here() -> str:
    system = surrounding(os.environ)
    return f"{socket.gethostname()}/{(system.job(os.environ) if system else None) or ''}"


def _link() -> int | socket.socket | None:
    """Readable at the end of the starter; -1 if that has come; None without a starter here."""
    here, _, name = os.environ.get(VARIABLE, "").rpartition("/")
    if name and here == _here():
        link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            link.connect(f"\0{name}")
        except OSError:
            return -1
        return link
    process = os.environ.get(PROCESS_VARIABLE, "")
    try:
        return os.pidfd_open(int(process)) if process.isdigit() else None
    except OSError:
        return -1


def _wait_for_the_end(link: int | socket.socket) -> None:
    if link != -1:
        poll = select.poll()
        poll.register(link, select.POLLIN)
        poll.poll()
    # To the main thread: a signal to the process may reach another one, and the main thread sleeps on.
    signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGTERM)
