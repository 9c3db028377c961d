"""Processes of a measurement: how a test starts, finds and kills them."""

import contextlib
import fcntl
import os
import select
import signal
import subprocess
import termios
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from tests.workflow.conftest import ROOT, Checkout

GUARDIAN = "weir.measure.clean_up.guardian"


class Terminal:
    """A window that shows what is printed, until it is closed: the kernel then sends HUP, and whoever goes on
    to print gets an error."""

    def __init__(self) -> None:
        self._screen, self.end = os.openpty()
        self._closed = threading.Event()
        self._reader = threading.Thread(target=self._show, daemon=True)
        self._reader.start()

    def take(self) -> None:
        """Of a process that was just forked, in a new session: it is the one of the terminal."""
        fcntl.ioctl(self.end, termios.TIOCSCTTY, 0)

    def close(self) -> None:
        self._closed.set()
        self._reader.join()
        os.close(self._screen)

    def _show(self) -> None:
        """Else a process that prints much would wait."""
        while not self._closed.is_set():
            readable, _, _ = select.select([self._screen], [], [], 0.05)
            with contextlib.suppress(OSError):  # nobody has it open
                if readable and os.read(self._screen, 65536) == b"":
                    return


def start(
    checkout: Checkout,
    *command: str,
    environment: Mapping[str, str] | None = None,
    keep_output: bool = False,
    terminal: Terminal | None = None,
) -> subprocess.Popen[str]:
    """In a session of its own, as a terminal would, with Ctrl-C and HUP: a shell's background job ignores
    one, nohup the other, and so would all that they start."""
    output = subprocess.PIPE if keep_output else subprocess.DEVNULL
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("WEIR_", "SNAKE"))}
    path = f"{ROOT / '.venv/bin'}:{os.environ['PATH']}"
    return subprocess.Popen(
        ["env", "--default-signal=INT,QUIT,HUP", *command],
        cwd=checkout.root,
        env={**clean, "PYTHONPATH": str(checkout.root), "PATH": path, **(environment or {})},
        stdin=terminal.end if terminal else None,
        stdout=terminal.end if terminal else output,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        preexec_fn=terminal.take if terminal else None,
    )


def until(condition: Callable[[], bool], limit_s: float = 300) -> bool:
    over = time.monotonic() + limit_s
    while not condition() and time.monotonic() < over:
        time.sleep(0.05)
    return condition()


def _all() -> Iterator[tuple[int, str]]:
    """Processes with their command lines."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            with contextlib.suppress(OSError):
                line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                yield int(entry.name), line


def children(of: int, text: str) -> list[int]:
    """Processes below one whose command line has the text, the oldest first."""
    parents, found = {}, []
    for pid, line in _all():
        with contextlib.suppress(OSError):
            parents[pid] = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
            if text in line:
                found.append(pid)

    def is_below(pid: int) -> bool:
        while pid > 1 and pid != of:
            pid = parents.get(pid, 0)
        return pid == of

    return sorted(pid for pid in found if pid != of and is_below(pid))


def named_below(folder: Path, name: str) -> list[int]:
    """Processes of this name that serve a store below the folder."""
    found = []
    for pid, line in _all():
        with contextlib.suppress(OSError):
            comm = Path(f"/proc/{pid}/comm").read_text().strip()
            settings = Path(f"/proc/{pid}/environ").read_bytes().decode(errors="replace")
            if comm == name and (str(folder) in line or str(folder) in settings):
                found.append(pid)
    return found


def kill(pids: list[int]) -> None:
    """A process of another user stays."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)


def processes_below(folder: Path) -> list[str]:
    """Command lines of all processes that name the folder, in their arguments or as their directory."""
    found = []
    for pid, line in _all():
        with contextlib.suppress(OSError):
            if str(folder) in line or os.readlink(f"/proc/{pid}/cwd").startswith(str(folder)):
                found.append(f"{pid} {line}")
    return found
