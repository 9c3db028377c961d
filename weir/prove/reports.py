"""Reads the reports that libweir-witness left of the processes of a program that weir prove started.

A process that a signal ended, or that left by a call of the system, leaves none: the library makes one of
what it had counted, which lacks the counters of the end.
"""

import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from weir.base.mounts import place_of
from weir.records.shapes import check_of
from weir.witness.document import LIBRARY, preloadable, reports_in

_IMAGES = "*.image"
_LIMIT_S = 60
Process = Mapping[str, Any]


def report_killed(prefix: Path) -> None:
    """Make reports in place of theirs. prefix: what the names of all reports begin with."""
    if LIBRARY.is_file() and any(prefix.parent.glob(prefix.name + _IMAGES)):
        library = preloadable(LIBRARY, prefix.parent)
        own = {"LD_PRELOAD": library, "WEIR_WITNESS": str(prefix), "WEIR_WITNESS_IMAGES": "1"}
        subprocess.run(["true"], env={**os.environ, **own}, check=False, timeout=_LIMIT_S)


def is_killed(process: Process) -> bool:
    """An older library does not tell, and leaves no report of such a process."""
    return bool(process.get("killed"))


def with_ends(processes: Sequence[Process]) -> list[Process]:
    """Each with counters of devices and servers at its end: of a process that was killed, those that another
    one on its node counted next."""
    found = []
    for process in processes:
        if is_killed(process):
            mounts = [mount | {"end": _end_of(process, mount, processes)} for mount in process["mounts"]]
            process = {**process, "mounts": mounts}
        found.append(process)
    return found


def _end_of(process: Process, mount: Mapping[str, Any], processes: Sequence[Process]) -> Mapping[str, Any]:
    """The counters after the last call on the mount."""
    phases = mount["phases"]
    ended_ns = phases[-1]["last_ns"] if phases else mount["start"]["raw_ns"]
    later = [one for one in _looks(process["host"], mount, processes) if one["raw_ns"] >= ended_ns]
    later.append(mount["end"])
    later.sort(key=lambda one: one["raw_ns"])
    end = mount["end"]
    device = next((one["device"] for one in later if one["device"]), None)
    servers = next((one["servers"] for one in later if _is_known(one["servers"])), end["servers"])
    return {**end, "device": device, "servers": servers}


def _looks(
    host: str | None, mount: Mapping[str, Any], processes: Sequence[Process]
) -> Iterator[Mapping[str, Any]]:
    """The looks of all processes of the node at the counters below a mount."""
    names = ("point", "file_system", "source", "device")
    for process in processes:
        for one in process["mounts"] if process["host"] == host else ():
            if all(one[name] == mount[name] for name in names):
                yield one["start"]
                yield from (phase["before"] for phase in one["phases"])
                if not is_killed(process):
                    yield one["end"]


def _is_known(servers: Sequence[Sequence[int | None]]) -> bool:
    return any(count is not None for counts in servers for count in counts)


_PART = "prove"
_NOTICEABLE_BYTES = 1 << 20  # bytes without a report that are worth a line, and their share
_NOTICEABLE = 0.01
_STREAMED_LEAST = 1 << 20  # less may be what a program prints
# Calls that the kernel would have counted, for a process without counters of its own at its end.
BY_CALLS = {"rchar": "read_bytes", "wchar": "written_bytes"}
_OF_STORAGE = {"read_bytes": "read_bytes", "write_bytes": "written_bytes"}


def prove_variables(folder: Path, only: Path | None, preloaded: str) -> dict[str, str]:
    """The variables that make a program and all that it starts report to a folder; nothing without the
    library."""
    if not LIBRARY.is_file():
        return {}
    own = preloadable(LIBRARY, folder)
    variables = {
        "LD_PRELOAD": ":".join([*filter(None, preloaded.replace(" ", ":").split(":")), own]),
        "WEIR_WITNESS": str(folder.resolve() / _PART),
        "WEIR_WITNESS_MOUNTS": "1",
        "WEIR_WITNESS_STARTER": str(os.getpid()),
    }
    # Apptainer binds them into the container; it binds /dev/shm, /proc and /sys by itself.
    binds = [os.environ.get("APPTAINER_BIND", ""), str(LIBRARY), str(folder.resolve())]
    variables["APPTAINER_BIND"] = ",".join(filter(None, binds))
    if only is not None:
        variables["WEIR_WITNESS_ROOT"] = os.path.realpath(only)
        variables["WEIR_WITNESS_PLACE"] = place_of(only)
    return variables


def read_reports(folder: Path) -> tuple[list[Process], int]:
    """Reports that are whole, those of killed processes included, and the number of those that are not."""
    report_killed(folder.resolve() / _PART)
    documents = list(reports_in(sorted(folder.glob(f"{_PART}.*.json"))))
    found = [one for one in documents if isinstance(one, dict) and not check_of("accounts")(one)]
    return with_ends(found), len(documents) - len(found)


def unreported_bytes(whole: Mapping[str, int] | None, processes: Sequence[Process]) -> dict[str, int]:
    """Bytes that the kernel counted for the whole program beyond the processes that left reports, by the
    kernel's names; only those that are worth a line."""
    found = {}
    for name, bytes_ in (whole or {}).items():
        lacks = bytes_ - sum(kernel_count(one, name) for one in processes)
        if lacks >= _NOTICEABLE_BYTES and lacks > _NOTICEABLE * bytes_:
            found[name] = lacks
    return found


def kernel_count(process: Process, name: str) -> int:
    """The kernel's count of a process. A killed process has no such count: its calls give all that the kernel
    counts there, and for storage the most that it can count. The count of calls lacks those of threads that
    ended, where the process waited for a child: the kernel keeps both in one sum."""
    io, mounts = process["io"], process["mounts"]
    if not io and not is_killed(process):
        return 0
    if name in _OF_STORAGE:
        most = sum(mount[_OF_STORAGE[name]] for mount in mounts if mount["counted"])
        return int(io[name] if io else most)
    moved = BY_CALLS[name]
    elsewhere = process[f"elsewhere_{moved}"] - process[f"uncounted_{moved}"]
    return int(max(sum(mount[moved] for mount in mounts) + elsewhere, io[name] if io else 0))


def unseen_bytes(processes: Sequence[Process]) -> tuple[int, int]:
    """Bytes read and written that the kernel counted for the processes and no call shows, such as those of
    streams."""
    streamed = [streamed_bytes(process) for process in processes]
    return sum(read for read, _ in streamed), sum(written for _, written in streamed)


def streamed_bytes(process: Process) -> tuple[int, int]:
    """The streamed bytes of one process. The kernel does not count Linux AIO there, so that calls may even
    show more."""
    io = process["io"]
    if io is None:
        return 0, 0
    seen = {
        name: process[f"elsewhere_{name}"] + sum(mount[name] for mount in process["mounts"])
        for name in BY_CALLS.values()
    }
    return max(io["rchar"] - seen["read_bytes"], 0), max(io["wchar"] - seen["written_bytes"], 0)


def streamed_on(
    used: Sequence[tuple[int, Mapping[str, Any]]], processes: Sequence[Process]
) -> tuple[int, int]:
    """Read and written on a mount, whose parts are of processes by number. Where one has streams on one mount
    only, what passed no call is theirs."""
    total = [0, 0]
    for at, mount in used:
        with_streams = [one["point"] for one in processes[at]["mounts"] if one["stdio_opens"]]
        if with_streams == [mount["point"]]:
            for way, bytes_ in enumerate(streamed_bytes(processes[at])):
                total[way] += bytes_ if bytes_ >= _STREAMED_LEAST else 0
    return total[0], total[1]
