"""All that was seen of a program, and what could not be seen of it, by name."""

import os
import pwd
import shutil
import socket
import stat
import struct
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path, PurePath
from typing import Any

from weir.base.units import about_size, counted
from weir.prove.mounts import Mount
from weir.prove.output import is_worth_lines, little_line, mount_lines, moved_below, watched_lines
from weir.prove.records import JudgedRecord, interposed
from weir.prove.reports import Process, is_killed, unreported_bytes, unseen_bytes
from weir.prove.results import Claim
from weir.prove.start import EndedProgram
from weir.witness.document import LIBRARY, without_library

_NOTICEABLE_BYTES = 1 << 20
_MOVED = ("read_bytes", "written_bytes")
_WITHOUT_REPORT = "static, setuid, Go, of another user (su, setpriv), or still running"
_ELF_OF_64_BITS, _LOADER = b"\x7fELF\x02\x01", 3  # PT_INTERP
_WITHOUT_CALLS = "by no call that was seen: programs and libraries that were loaded, or mappings"
_TIMED_BY_THE_PROGRAM = "the kernel's and the device's counts hold the bytes, the program alone their time"
_UNREPORTED = {
    "rchar": "read by calls",
    "wchar": "written by calls",
    "read_bytes": "fetched from file systems",
    "write_bytes": "given to file systems",
}


@dataclass(frozen=True)
class Seen:
    """A program that came to its end."""

    command: Sequence[str]
    ended: EndedProgram
    processes: Sequence[Process]  # without those that only watched
    damaged: int
    mounts: Sequence[Mount]
    judged: Sequence[JudgedRecord]
    claims: Sequence[tuple[Claim, JudgedRecord | None]]
    doubts: Sequence[str] = ()

    @property
    def of_program(self) -> list[Process]:
        return of_program(self.processes)

    @property
    def unreported(self) -> dict[str, int]:
        """Bytes of processes that left no report: the kernel counted the tree, the library its processes."""
        return unreported_bytes(self.ended.io, self.of_program)


def of_program(processes: Sequence[Process]) -> list[Process]:
    """The processes that did more than watch."""
    return [one for one in processes if not any(mount["watched"] for mount in one["mounts"])]


def seen_lines(seen: Seen) -> Iterator[str]:
    """The lines about each mount that the program used."""
    without_reports = bool(seen.unreported or seen.ended.left)
    for mount in seen.mounts:
        if is_worth_lines(mount):
            yield from mount_lines(mount, seen.judged)
        elif without_reports and moved_below(mount):
            yield from watched_lines(mount)


def unseen_lines(seen: Seen) -> Iterator[str]:
    """The lines about I/O that the counts above lack."""
    found = list(_unseen(seen))
    if not any(is_worth_lines(mount) for mount in seen.mounts):
        little = [little_line(mount) for mount in seen.mounts if mount.moved_bytes]
        yield from little or ["no file of any mount was read or written by calls that were seen"]
    yield from (f"{'not seen:' if at == 0 else '':<10}{text}" for at, text in enumerate(found))


def _unseen(seen: Seen) -> Iterator[str]:
    if not LIBRARY.is_file():
        yield f"calls: {without_library()}"
    own = seen.of_program
    if LIBRARY.is_file() and not own:
        yield f"calls: no process of the program left a report ({_why_no_report(seen)})"
    for one in seen.doubts:
        yield f"whether the counts above are true: {one}; nothing is believed of them"
    alone = [one for one in own if one["host"] == socket.gethostname() and not one["started"]]
    moved = sum(map(_moved_bytes, alone))
    if moved >= _NOTICEABLE_BYTES:
        how = "a daemon started them (srun, a container), or nobody waits for them"
        yield f"by the kernel's sum: {about_size(moved)} of calls in {len(alone)} processes: {how}"
    if seen.ended.left:
        names = ", ".join(seen.ended.left)
        yield f"what {names}, which the program left running, and their children move from now on"
    for at, (name, bytes_) in enumerate(seen.unreported.items()):
        if own and name == "read_bytes" and "rchar" not in seen.unreported:
            yield f"{about_size(bytes_)} {_UNREPORTED[name]} {_WITHOUT_CALLS}"
            continue
        why = f" ({_why_no_report(seen)})" if own and at == 0 else ""
        yield f"{about_size(bytes_)} {_UNREPORTED[name]}, in processes that left no report{why}"
    streams = sum(map(sum, (mount.streamed for mount in seen.mounts)))
    read, written = unseen_bytes(own)
    if read + written - streams >= _NOTICEABLE_BYTES:
        left = about_size(read + written - streams)
        yield f"{left} by streams (fopen) or other calls, of files or of pipes"
    rings = sum(one["rings"] for one in own)
    if rings:
        yield f"what passed through {rings} queues of io_uring: {_TIMED_BY_THE_PROGRAM}"
    if any(mount.counts["mappings"] and is_worth_lines(mount) for mount in seen.mounts):
        yield f"transfers through mappings (mmap): {_TIMED_BY_THE_PROGRAM}"
    killed = sum(is_killed(one) and _moved_bytes(one) > 0 for one in own)
    if killed:
        how = "by a signal or a call of the system: their counts are those up to then"
        yield f"the end of {counted(killed, 'process')} that left no report, {how}"
    if seen.damaged:
        yield f"what {counted(seen.damaged, 'process')} counted: the reports are damaged, or memory was full"
    for name in sorted({PurePath(one["object"]).name for one in interposed(own)}):
        yield f"what {name} does with calls that it provides in place of the C library"


def _moved_bytes(process: Process) -> int:
    return sum(mount[way] for mount in process["mounts"] for way in _MOVED)


def _why_no_report(seen: Seen) -> str:
    """Names what keeps the program from reporting, as far as its file and its user tell."""
    found = []
    name = PurePath(seen.command[0]).name if seen.command else ""
    if seen.ended.user is not None and seen.ended.user != os.geteuid():
        found.append(f"{name} ended as user {_name_of_user(seen.ended.user)}, who may not write reports here")
    program = shutil.which(seen.command[0]) if seen.command else None
    if program and os.stat(program).st_mode & (stat.S_ISUID | stat.S_ISGID):
        found.append(f"{name} is setuid: it may change the user, and then loads no library")
    if program and _is_static(Path(program)):
        found.append(f"{name} is static: it loads no library")
    return "; ".join(found) or _WITHOUT_REPORT


def _name_of_user(number: int) -> str:
    with suppress(KeyError):
        return pwd.getpwuid(number).pw_name
    return str(number)


def _is_static(program: Path) -> bool:
    """Whether the kernel starts it without the loader of libraries: no part of the file names one."""
    with suppress(OSError, struct.error):
        head = program.open("rb").read(1 << 16)
        if head[:6] == _ELF_OF_64_BITS:
            (at,), (size, count) = struct.unpack_from("<Q", head, 32), struct.unpack_from("<HH", head, 54)
            kinds = (struct.unpack_from("<I", head, at + size * part)[0] for part in range(count))
            return _LOADER not in kinds
    return False


def facts_of_all(seen: Seen) -> dict[str, Any]:
    """The facts of --json."""
    return {
        "command": list(seen.command),
        "exit_code": seen.ended.exit_code,
        "elapsed_s": seen.ended.elapsed_s,
        "kernel": seen.ended.io,
        "processes": [
            {name: one[name] for name in ("host", "pid", "rank", "program", "io", "rings")}
            | {"killed": is_killed(one)}
            for one in seen.of_program
        ],
        "mounts": [asdict(mount) for mount in seen.mounts],
        "records": [one.known for one in seen.judged],
        "claims": [one.known for _, one in seen.claims if one is not None],
        "not_seen": list(_unseen(seen)),
    }
