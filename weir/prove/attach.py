"""Watches a program that was running before, by the kernel's counters alone."""

import os
import select
import stat
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from weir.base.errors import InputError
from weir.base.files import text_of
from weir.base.processes import caught_signals, descendants
from weir.base.units import about_size, three_digits
from weir.prove.mounts import Mount
from weir.prove.output import watched_lines
from weir.prove.reports import prove_variables
from weir.prove.start import COUNTED, counts_in, handling, io_of, watchers

_PROC = Path("/proc")
_LOOK_MS = 250


@dataclass(frozen=True)
class Files:
    """Open files of one mount when the watch began."""

    folder: str
    opened: int
    direct: int  # of them, those with O_DIRECT


@dataclass(frozen=True)
class Attached:
    """A program for as long as it was watched."""

    pid: int
    program: str
    processes: int  # it and all that it started: the most at one time
    elapsed_s: float
    ended: bool  # the program did; else a signal ended the watch
    uncounted_s: float  # before its end: newer kernels show the counters of what ended to root alone
    io: Mapping[str, int]
    files: tuple[Files, ...]


@dataclass
class _Tree:
    """The kernel adds the counters of a process that ended to those of the parent that waited for it: their
    sum goes on while all of them are looked at."""

    pid: int
    most: int = 0
    grown: dict[str, int] = field(default_factory=lambda: dict.fromkeys(COUNTED, 0))
    sums: dict[str, int] = field(default_factory=dict)
    looked_s: float = 0.0  # when the program itself was last counted

    def look(self) -> None:
        now_s, own = time.monotonic(), io_of(self.pid)
        if own is not None:
            self.looked_s = now_s
        others = (io_of(pid) for pid in descendants(self.pid))
        counts = [one for one in (own, *others) if one is not None]
        if not counts:
            return
        self.most = max(self.most, len(counts))
        sums = {name: sum(one[name] for one in counts) for name in COUNTED}
        for name, before in self.sums.items():
            self.grown[name] += max(sums[name] - before, 0)
        self.sums = sums


def attach(pid: int, reports: Path, on: Path | None, begun: Callable[[str], None]) -> Attached:
    """Watch until the program ends, or a signal ends the watch. begun: told the program's name once its
    counters and those of its mounts are watched."""
    try:
        descriptor = os.pidfd_open(pid)
        counts_in(_PROC / str(pid) / "io")
        program = (_PROC / str(pid) / "comm").read_text(encoding="utf-8", errors="replace").strip()
    except PermissionError:
        hint = "attach as the user that it runs as, or as root"
        raise InputError("its counters are not readable", key="--attach", value=str(pid), hint=hint) from None
    except (OSError, ValueError, OverflowError):
        hint = "name the number of a running process (ps, pgrep)"
        raise InputError("is not a process", key="--attach", value=str(pid), hint=hint) from None
    files = tuple(_files_of(pid))
    folders = [on] if on is not None else [Path(one.folder) for one in files]
    tree = _Tree(pid)
    stopped: list[int] = []
    watched = watchers(prove_variables(reports, None, ""), folders)
    with handling(caught_signals(), lambda number, _: stopped.append(number)), watched:
        tree.look()
        began_s = time.monotonic()
        begun(program)
        ended, ended_s = _until_the_end(descriptor, tree, stopped)
        elapsed_s = time.monotonic() - began_s
    os.close(descriptor)
    uncounted_s = max(ended_s - tree.looked_s, 0.0)
    return Attached(pid, program, tree.most, elapsed_s, ended, uncounted_s, tree.grown, files)


def _until_the_end(descriptor: int, tree: _Tree, stopped: Sequence[int]) -> tuple[bool, float]:
    """Whether the program ended, and when it was known. Its counters stay readable until its parent waits for
    it, for root."""
    waits = select.poll()
    waits.register(descriptor, select.POLLIN)
    ended, known_s = False, 0.0
    while not ended and not stopped:
        ended, known_s = bool(waits.poll(_LOOK_MS)), time.monotonic()
        tree.look()
    return ended, known_s


def _files_of(pid: int) -> Iterator[Files]:
    """The open files of a process by mounts, as far as they are the same here as there; the current directory
    counts as a file."""
    folders: dict[int, Path] = {}
    counts: dict[int, list[int]] = {}
    for link in [_PROC / str(pid) / "cwd", *sorted((_PROC / str(pid) / "fd").glob("*"))]:
        try:
            target, facts = Path(os.readlink(link)), link.stat()
            is_here = target.is_absolute() and os.path.samestat(target.stat(), facts)
            folder = target if stat.S_ISDIR(facts.st_mode) else target.parent
            device = folder.stat().st_dev
        except OSError:
            continue
        if is_here and (stat.S_ISDIR(facts.st_mode) or stat.S_ISREG(facts.st_mode)):
            folders.setdefault(device, folder)
            seen = counts.setdefault(device, [0, 0])
            seen[0] += stat.S_ISREG(facts.st_mode)
            seen[1] += stat.S_ISREG(facts.st_mode) and _is_direct(pid, link.name)
    for device, folder in folders.items():
        yield Files(str(folder), *counts[device])


def _is_direct(pid: int, descriptor: str) -> bool:
    lines = text_of(_PROC / str(pid) / "fdinfo" / descriptor).splitlines()
    flags = next((line.split()[1] for line in lines if line.startswith("flags:")), "0")
    return bool(int(flags, 8) & os.O_DIRECT)


def attached_lines(seen: Attached, mounts: Sequence[Mount]) -> Iterator[str]:
    """Lines with the counts; rates are over the whole time of the watch."""
    end = "until it ended" if seen.ended else "and it goes on"
    yield f"weir prove: {seen.program} ({seen.pid}) watched for {seen.elapsed_s:.2f} s, {end}"
    rates = {name: f"{about_size(count)}{_rate(count, seen)}" for name, count in seen.io.items()}
    if seen.uncounted_s:
        last = f"its last {three_digits(seen.uncounted_s)} s, or less, are not counted"
        yield f"  {'calls':<11}{last}: only root sees the counters of a program that ended"
    yield f"  {'calls':<11}read {rates['rchar']}, wrote {rates['wchar']}, of pipes and sockets, too"
    yield f"  {'kernel':<11}fetched {rates['read_bytes']}, was given {rates['write_bytes']}"
    yield f"  {'processes':<11}{seen.processes} at most"
    for one in seen.files:
        yield f"  {'files':<11}below {one.folder}: {one.opened} open at the begin, {one.direct} with O_DIRECT"
    for mount in mounts:
        yield from watched_lines(mount)
    yield "not seen: calls by mounts, synchronisations and phases: they need weir prove -- COMMAND"
    yield "          mounts that it came to later; device and servers count what was dirty before, too"


def _rate(count: int, seen: Attached) -> str:
    return f" ({three_digits(count / 2**20 / seen.elapsed_s)} MiB/s)" if count and seen.elapsed_s else ""


def attached_facts(seen: Attached, mounts: Sequence[Mount]) -> dict[str, Any]:
    """The facts of --json."""
    return asdict(seen) | {"mounts": [asdict(mount) for mount in mounts]}
