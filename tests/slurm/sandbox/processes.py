"""Start daemons in the foreground so that their ids are known; end only what carries the sandbox's mark."""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from layout import MARK, Sandbox, SandboxError

_EXEC_S = 1.0  # an id that was given away is told from a program in the midst of its exec


def start(sandbox: Sandbox, name: str, arguments: list[str], extra: dict[str, str] | None = None) -> None:
    """Start one daemon, detached from our terminal, and record its id."""
    with (sandbox.folder / "log" / f"{name}.out").open("ab") as output:
        process = subprocess.Popen(
            arguments,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env=sandbox.environment() | (extra or {}),
            cwd=sandbox.folder,
            start_new_session=True,
        )
    sandbox.pids[name] = process.pid
    sandbox.save()


def wait_until(what: str, ready: Callable[[], bool], limit_s: float) -> None:
    """Poll at 50 ms; the error names what did not come."""
    end = time.monotonic() + limit_s
    while not ready():
        if time.monotonic() > end:
            raise SandboxError(f"{what} not within {limit_s:g} s")
        time.sleep(0.05)


def marked(sandbox: Sandbox) -> list[int]:
    """All processes that carry the mark: daemons, job steps and the tasks they started; no zombies."""
    ids = (int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit())
    return [pid for pid in ids if pid != os.getpid() and _carries(pid, sandbox)]


def _carries(pid: int, sandbox: Sandbox) -> bool:
    with contextlib.suppress(OSError):
        return f"{MARK}={sandbox.mark}".encode() in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    return False


def of_node(sandbox: Sandbox, node: str) -> list[int]:
    """Processes of one virtual node: its slurmd, the steps it started, and their tasks."""
    needles = {f"SLURM_SANDBOX_NODE={node}".encode(), f"SLURMD_NODENAME={node}".encode()}
    found = []
    for pid in marked(sandbox):
        with contextlib.suppress(OSError):
            if needles & set(Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")):
                found.append(pid)
    return found


def alive(sandbox: Sandbox, name: str) -> bool:
    """Whether the daemon runs: its recorded id, and the mark, since ids are used again."""
    pid = sandbox.pids.get(name)
    if pid is None:
        return False
    _reap()
    end = time.monotonic() + _EXEC_S
    # A program that execs another has no environment for a moment, and a node starts through a chain of them.
    while not _carries(pid, sandbox):
        if _has_ended(pid) or time.monotonic() > end:
            return False
        time.sleep(0.001)
    return True


def _has_ended(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    except OSError:
        return True


def end(sandbox: Sandbox, pids: Iterable[int], grace_s: float) -> None:
    """Ask, wait, insist; without grace only insist. The mark is checked again before every signal."""
    wanted = set(pids)
    steps = [(signal.SIGTERM, grace_s)] if grace_s > 0 else []
    for number, patience_s in [*steps, (signal.SIGKILL, 5.0)]:
        for pid in wanted & set(marked(sandbox)):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
        limit = time.monotonic() + patience_s
        while wanted & set(marked(sandbox)) and time.monotonic() < limit:
            _reap()
            time.sleep(0.05)


def shared_memory(pids: Iterable[int]) -> set[Path]:
    """Files in /dev/shm that the processes have mapped, for when a process cannot remove them itself."""
    found = set()
    for pid in pids:
        with contextlib.suppress(OSError):
            for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
                place = line.split(maxsplit=5)[-1]
                if place.startswith("/dev/shm/"):
                    found.add(Path(place))
    return found


def _reap() -> None:
    """Daemons that ended while this very process is their parent would stay as zombies."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
