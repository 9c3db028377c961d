"""Facts about the machine that a reader needs to judge a number; read, never guessed, null where unknown."""

from __future__ import annotations

import os
import platform
import socket
import threading
import time
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from weir.base.mounts import mount_of
from weir.measure.machine.devices import (
    block_limits,
    devices_below,
    hidden_below,
    levels,
    memory_below,
    type_below,
)
from weir.measure.machine.mount_settings import settings_of, synchronisation_off
from weir.measure.machine.processor_power import power_of
from weir.measure.machine.servers import links_mbit_s
from weir.site.schedulers import surrounding
from weir.terms.printed_values import real, whole

Held = Mapping[str, int | None]  # counters of what holds processes back, since the start of the node
_PROC, _CGROUPS = Path("/proc"), Path("/sys/fs/cgroup")
_BEAT_S = 0.2
_LEAST_PAUSE_S = 1.0  # shorter ones are not told from a Python that waits for a core


def host_facts(target_folder: Path, servers: Sequence[str] = ()) -> dict[str, Any]:
    """Facts of the node that weir runs on and of the file system below the target; servers: its addresses."""
    return {
        "node": socket.gethostname(),
        "nodes": _allocated_nodes(),
        "kernel": platform.release(),
        "system": _os_name(),
        "processor": _first_value(Path("/proc/cpuinfo"), "model name"),
        "cores": len(os.sched_getaffinity(0)),
        "power": power_of(),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "load_1min": os.getloadavg()[0],
        "running": running(),
        "pressure": pressure(),
        "file_system": file_system_of(target_folder),
        "links_mbit_s": links_mbit_s(servers),
        "block_limits": block_limits(target_folder),
        "devices": sorted(devices_below(target_folder)),
    }


def held_so_far(proc: Path = _PROC, cgroups: Path = _CGROUPS) -> Held:
    """Counters of this node: periods in which a CPU limit throttled this process's control group or one
    above it, pages swapped in or out, processes that the kernel killed for want of memory, microseconds in
    which some process waited for memory or for I/O, and milliseconds in which weir itself stood still."""
    swapped = [whole(_first_value(proc / "vmstat", key, " ") or "") for key in ("pswpin", "pswpout")]
    known = [pages for pages in swapped if pages is not None]
    return {
        "throttled_periods": _throttled(proc, cgroups),
        "swapped_pages": sum(known) if len(known) == len(swapped) else None,
        "memory_kills": whole(_first_value(proc / "vmstat", "oom_kill", " ") or ""),
        "memory_stalled_us": whole(_pressure_field(proc, "memory", "total=")),
        "paused_ms": paused_so_far_ms(),
        "io_stalled_us": whole(_pressure_field(proc, "io", "total=")),
    }


def held_between(before: Held, after: Held) -> Held:
    """Differences of the counters; null where a counter is unknown."""
    return {key: _difference(start, after.get(key)) for key, start in before.items()}


def running(proc: Path = _PROC) -> int | None:
    """Processes and threads that are runnable at this moment, without the one that asks."""
    try:
        fields = (proc / "loadavg").read_text(encoding="utf-8").split()
    except OSError:
        return None
    count = whole(fields[3].partition("/")[0]) if len(fields) > 3 else None
    return None if count is None else max(count - 1, 0)


def pressure(proc: Path = _PROC) -> dict[str, float] | None:
    """Per cent of the last 10 s in which some process waited for cpu, io or memory; null where the kernel
    does not report it."""
    found = {}
    for name in ("cpu", "io", "memory"):
        share = real(_pressure_field(proc, name, "avg10="))
        if share is not None:
            found[name] = share
    return found or None


def _pressure_field(proc: Path, name: str, start: str) -> str:
    """A field of the line for waits of some process; empty where the kernel does not report it."""
    line = _first_value(proc / "pressure" / name, "some", " ") or ""
    return next((field.removeprefix(start) for field in line.split() if field.startswith(start)), "")


def file_system_of(folder: Path) -> dict[str, Any] | None:
    """The mount of a folder; in_memory tells where in the node's memory a block device or an overlay is,
    below the type of the file system that a stacked one gives its bytes to, synchronisation_off the option of
    a mount that prevents a synchronisation, hidden why nobody can tell where the bytes are, settings how a
    network file system is mounted."""
    mount = mount_of(folder)
    if mount is None:
        return None
    # The options of a server's mount name its users and addresses.
    shown = {key: value for key, value in mount.items() if key != "super_options"}
    below: dict[str, Any] = {"in_memory": memory_below(folder), "below": type_below(folder)}
    below |= {"synchronisation_off": synchronisation_off(folder), "hidden": hidden_below(folder)}
    return {**shown, **below, "settings": settings_of(mount)}


def _throttled(proc: Path, cgroups: Path) -> int | None:
    """The throttled periods over the levels of the control group of cpu: each has a limit, and a counter, of
    its own."""
    counts = [
        whole(_first_value(level / "cpu.stat", "nr_throttled", " ") or "")
        for level in levels("cpu", proc, cgroups)
    ]
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


def _difference(before: int | None, after: int | None) -> int | None:
    return None if before is None or after is None else max(after - before, 0)


def _allocated_nodes() -> str | None:
    scheduler = surrounding(os.environ)
    return scheduler.node_list(os.environ) if scheduler else None


def _os_name() -> str | None:
    value = _first_value(Path("/etc/os-release"), "PRETTY_NAME", "=")
    return value.strip('"') if value else None


def _first_value(path: Path, key: str, separator: str = ":") -> str | None:
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    for line in lines:
        name, found, value = line.partition(separator)
        if found and name.strip() == key:
            return value.strip()
    return None


def paused_so_far_ms() -> int:
    """Time in which this process did not run at all, with its job and machine, since the first call."""
    return int(1000 * _watch().look())


class _Watch:
    """A thread that only sleeps: where it wakes up far too late, nothing ran. Who looks first counts it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last_s, self._sum_s = _now_s(), 0.0
        threading.Thread(target=self._beat, daemon=True).start()

    def look(self, beats: bool = False) -> float:
        with self._lock:
            now_s = _now_s()
            gap_s = now_s - self._last_s
            if gap_s >= _LEAST_PAUSE_S:
                self._sum_s += gap_s
            if beats or gap_s >= _LEAST_PAUSE_S:
                self._last_s = now_s
            return self._sum_s

    def _beat(self) -> None:
        never = threading.Event()
        while not never.wait(_BEAT_S):
            self.look(beats=True)


@cache
def _watch() -> _Watch:
    return _Watch()


def _now_s() -> float:
    """Goes on while the machine is suspended."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)
