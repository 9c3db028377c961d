"""Processes that left no report because a signal ended them, or because they left by a call of the system.

The library makes reports of what they had counted, which lack the counters of the end.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from weir.witness.document import LIBRARY, preloadable

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
    return [_with_ends(one, processes) if is_killed(one) else one for one in processes]


def _with_ends(process: Process, processes: Sequence[Process]) -> Process:
    mounts = [mount | {"end": _end_of(process, mount, processes)} for mount in process["mounts"]]
    return {**process, "mounts": mounts}


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
