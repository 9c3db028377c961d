"""Starts a program with the witness, and keeps what the kernel counted for it and all that it started."""

import contextlib
import os
import selectors
import shlex
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import TextIO

from weir.base.errors import WeirError
from weir.base.files import text_of
from weir.base.processes import adopt_orphans, descendants, name_of, wait_for_children
from weir.measure.machine.host import Held, held_between, held_so_far
from weir.prove.reports import prove_variables

_NOT_FOUND = 127
_KEPT_BYTES = 8 << 20  # kept end of each output: enough for the results of a benchmark
_LINGER_S = 0.2  # a daemon that the program left may keep its outputs open
_ENDING_S = 2.0
_WATCHER_S = 60.0  # for the last look at a mount that answers
Handler = Callable[[int, FrameType | None], object]
COUNTED = ("rchar", "wchar", "read_bytes", "write_bytes")


@dataclass(frozen=True)
class EndedProgram:
    """The end of a program: its exit code, its duration, its output."""

    exit_code: int
    elapsed_s: float
    output: str  # what it printed, both streams one after the other
    io: Mapping[str, int] | None  # growth of /proc/PID/io of the whole tree; None: the kernel does not count
    left: Sequence[str] = ()  # names of processes that it left running: their counts are those up to now
    held: Mapping[str, float] = field(default_factory=dict)  # what held processes of the node back meanwhile
    user: int | None = None  # as whom the program itself ended


def run_program(
    command: Sequence[str], reports: Path, only: Path | None, watched: Sequence[Path]
) -> EndedProgram:
    """Start it, pass its outputs on, and wait for it; signals go to it."""
    variables = prove_variables(reports, only, os.environ.get("LD_PRELOAD", ""))
    places = [(stream, os.fstat(stream.fileno()).st_size) for stream in (sys.stdout, sys.stderr)]
    adopt_orphans()  # the kernel adds up the counts of those that somebody waits for
    with watchers(variables, watched) as watching:
        before, held, began_s = io_of(os.getpid()), held_so_far(), time.monotonic()
        try:
            child = subprocess.Popen(
                command,
                env={**os.environ, **variables},
                stdout=None if _is_file(sys.stdout) else subprocess.PIPE,
                stderr=None if _is_file(sys.stderr) else subprocess.PIPE,
            )
        except OSError as error:
            raise WeirError(
                f"{shlex.join(command)}: cannot be started: {error.strerror}",
                hint="weir prove -- PROGRAM ARGUMENTS",
                exit_code=_NOT_FOUND,
            ) from None
        # Ctrl-C reaches the program by the terminal; both end when it does.
        with handling((signal.SIGINT, signal.SIGTERM, signal.SIGHUP), _forwards_to(child)):
            output, passed_bytes = _passed_on(child)
            os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
            user = _user_of(child.pid)
            code = child.wait()
        elapsed_s = time.monotonic() - began_s
        held_back = _held(held, held_so_far(), elapsed_s)
        # Monitors of containers end with the program and get this time; others are daemons that stay.
        left = wait_for_children(set(watching), _ENDING_S)
        output += b"".join(_written_since(stream, at) for stream, at in _without_copies(places))
        grown = _grown(before, io_of(os.getpid()))
        for pid in (each for one in left for each in (one, *descendants(one))):
            grown = _sum(grown, io_of(pid))
        # This process passed the outputs on: that was not the program.
        if grown is not None:
            grown |= {name: max(grown[name] - passed_bytes, 0) for name in ("rchar", "wchar")}
    text = output.decode("utf-8", errors="replace")
    names = sorted({name for pid in left if (name := name_of(pid))})
    return EndedProgram(code if code >= 0 else 128 - code, elapsed_s, text, grown, names, held_back, user)


@contextlib.contextmanager
def watchers(variables: Mapping[str, str], watched: Sequence[Path]) -> Iterator[list[int]]:
    """One process for each mount that does nothing but count it, from before the program to after it: also
    where the program itself cannot be seen."""
    started = []
    for path in watched if variables else ():
        environment = {**os.environ, **variables, "WEIR_WITNESS_WATCH": str(path)}
        started.append(
            subprocess.Popen(
                ["cat"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=environment,
                start_new_session=True,  # Ctrl-C is for the program
            )
        )
    for one in started:
        _until_it_watches(one)
    try:
        yield [one.pid for one in started]
    finally:
        for one in started:
            try:
                one.communicate(timeout=_WATCHER_S)
            except subprocess.TimeoutExpired:  # its mount hangs: nobody counted it to the end
                one.kill()
            except OSError:
                pass


def _until_it_watches(watcher: subprocess.Popen[bytes]) -> None:
    """Waits until the watcher returns a line, which it does only after its library was loaded."""
    assert watcher.stdin is not None
    assert watcher.stdout is not None
    with contextlib.suppress(OSError):
        watcher.stdin.write(b"\n")
        watcher.stdin.flush()
        watcher.stdout.readline()


def _forwards_to(child: subprocess.Popen[bytes]) -> Handler:
    def forward(number: int, _: FrameType | None) -> None:
        if number != signal.SIGINT:
            with contextlib.suppress(OSError):
                child.send_signal(number)

    return forward


@contextlib.contextmanager
def handling(signals: Iterable[signal.Signals], handler: Handler) -> Iterator[None]:
    """Meanwhile these signals go to the handler."""
    earlier = {number: signal.signal(number, handler) for number in signals}
    try:
        yield
    finally:
        for number, before in earlier.items():
            signal.signal(number, before)


def _is_file(stream: TextIO) -> bool:
    """Whether the stream is a file: then the program writes there itself, and no pipe is in between."""
    try:
        return stat.S_ISREG(os.fstat(stream.fileno()).st_mode)
    except (OSError, ValueError):
        return False


def _without_copies(places: Sequence[tuple[TextIO, int]]) -> Iterator[tuple[TextIO, int]]:
    """Both outputs may be one file (`> log 2>&1`)."""
    files = [os.fstat(stream.fileno()) for stream, _ in places]
    for at, place in enumerate(places):
        if not any(os.path.samestat(files[at], other) for other in files[:at]):
            yield place


def _written_since(stream: TextIO, at: int) -> bytes:
    """The bytes that a file got since; it is an output of weir, and so of the program."""
    if not _is_file(stream):
        return b""
    try:
        with open(f"/proc/self/fd/{stream.fileno()}", "rb") as file:
            file.seek(at)
            return b"\n" + file.read(_KEPT_BYTES)
    except OSError:
        return b""


def _passed_on(child: subprocess.Popen[bytes]) -> tuple[bytes, int]:
    """Both outputs, passed on as they come and kept; and how much passed."""
    kept = {to.fileno(): bytearray() for to in (sys.stdout, sys.stderr)}
    passed_bytes = 0
    with selectors.DefaultSelector() as selector:
        for stream, to in ((child.stdout, sys.stdout), (child.stderr, sys.stderr)):
            if stream is not None:
                selector.register(stream, selectors.EVENT_READ, to.fileno())
        while selector.get_map():
            ended = os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
            ready = selector.select(_LINGER_S)
            if ended and not ready:
                break
            for key, _ in ready:
                data = os.read(key.fd, 1 << 16)
                if not data:
                    selector.unregister(key.fileobj)
                    continue
                _write_all(key.data, data)
                passed_bytes += len(data)
                kept[key.data] += data[: _KEPT_BYTES - len(kept[key.data])]
    return b"\n".join(bytes(part) for part in kept.values()), passed_bytes


def _user_of(pid: int) -> int | None:
    """The effective user of a process, also of one that has ended and that nobody has waited for."""
    lines = text_of(Path(f"/proc/{pid}/status")).splitlines()
    return next((int(line.split()[2]) for line in lines if line.startswith("Uid:")), None)


def _write_all(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]


def _held(before: Held, after: Held, elapsed_s: float) -> dict[str, float]:
    """The share of the time in which some process waited for I/O, and pages that were swapped, as far as the
    kernel tells."""
    grown = held_between(before, after)
    found: dict[str, float] = {}
    if grown["io_stalled_us"] is not None and elapsed_s > 0:
        found["io_stalled_share"] = min(grown["io_stalled_us"] / 1e6 / elapsed_s, 1.0)
    if grown["swapped_pages"] is not None:
        found["swapped_pages"] = grown["swapped_pages"]
    return found


def io_of(pid: int) -> dict[str, int] | None:
    """The I/O counts of a process and all children that it waited for; None if it is gone or another
    user's."""
    try:
        return counts_in(Path(f"/proc/{pid}/io"))
    except (OSError, ValueError):
        return None


def counts_in(file: Path) -> dict[str, int]:
    """Reads /proc/PID/io."""
    counts = dict(line.split(": ") for line in file.read_text(encoding="ascii").splitlines())
    return {name: int(counts[name]) for name in COUNTED}


def _sum(some: dict[str, int] | None, more: Mapping[str, int] | None) -> dict[str, int] | None:
    return {name: some[name] + more[name] for name in COUNTED} if some and more else some


def _grown(before: Mapping[str, int] | None, after: Mapping[str, int] | None) -> dict[str, int] | None:
    if before is None or after is None:
        return None
    return {name: max(after[name] - before[name], 0) for name in COUNTED}
