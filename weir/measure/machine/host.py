"""Facts about the machine that a reader needs to judge a number: what holds its processes back, the limits of
their control groups, and the clocking of its processors. They are read, never guessed, null where unknown.

A virtual machine has no cpufreq: its host decides, and the frequency is not known there.
"""

import os
import platform
import socket
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from weir.base.files import text_of
from weir.base.mounts import mount_of
from weir.base.processes import steady_s
from weir.measure.machine.devices import SYSTEM, devices_below, hidden_below, memory_below, type_below
from weir.measure.machine.mount_settings import settings_of, synchronisation_off
from weir.measure.machine.servers import links_mbit_s
from weir.records.printed_values import real, whole
from weir.site.schedulers import surrounding

Held = Mapping[str, int | None]  # counters of what holds processes back, since the start of the node
Limits = list[dict[str, int | str]]
_PROC, _CGROUPS, _SYS = Path("/proc"), Path("/sys/fs/cgroup"), Path("/sys")
# Control groups of version 1 have these files, those of version 2 these keys in io.max.
_LIMITS = {
    "read_bps": ("blkio.throttle.read_bps_device", "rbps"),
    "write_bps": ("blkio.throttle.write_bps_device", "wbps"),
    "read_iops": ("blkio.throttle.read_iops_device", "riops"),
    "write_iops": ("blkio.throttle.write_iops_device", "wiops"),
}
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
    fields = text_of(proc / "loadavg").split()
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


def block_limits(folder: Path, proc: Path = _PROC, cgroups: Path = _CGROUPS, system: Path = SYSTEM) -> Limits:
    """One entry for each device and level of this process's control groups that has a limit: the device's
    number, read_bps, write_bps, read_iops and write_iops as far as they are set."""
    devices = devices_below(folder, system)
    found: Limits = []
    for level in levels("blkio", proc, cgroups):
        limits: dict[str, dict[str, int]] = {}
        for name, (file, key) in _LIMITS.items():
            for number, text in (*_limits_in(level / file), *_limits_in(level / "io.max", key)):
                if number in devices and text.isdigit() and int(text) > 0:
                    limits.setdefault(number, {})[name] = int(text)
        found += [{"device": number, **values} for number, values in limits.items()]
    return found


def levels(controller: str, proc: Path, cgroups: Path) -> Iterator[Path]:
    """The directories of the control groups of a controller (version 1) and of version 2, up to the root."""
    for line in text_of(proc / "self" / "cgroup").splitlines():
        _, controllers, group = line.split(":", 2)
        if controllers and controller not in controllers.split(","):
            continue
        top = cgroups / controller if controllers else cgroups
        own = top / group.lstrip("/")
        for level in (own, *own.parents):
            yield level
            if level == top:
                break


def _limits_in(file: Path, key: str = "") -> list[tuple[str, str]]:
    """Devices and limits, of version 2 by their keys: 8:16 rbps=2097152 wbps=max riops=max wiops=120."""
    lines = [line.split() for line in text_of(file).splitlines()]
    if not key:
        return [(line[0], line[1]) for line in lines if len(line) == 2]
    return [
        (line[0], one.partition("=")[2]) for line in lines for one in line[1:] if one.startswith(f"{key}=")
    ]


def _difference(before: int | None, after: int | None) -> int | None:
    return None if before is None or after is None else max(after - before, 0)


def _allocated_nodes() -> str | None:
    scheduler = surrounding(os.environ)
    return scheduler.node_list(os.environ) if scheduler else None


def _os_name() -> str | None:
    value = _first_value(Path("/etc/os-release"), "PRETTY_NAME", "=")
    return value.strip('"') if value else None


def _first_value(path: Path, key: str, separator: str = ":") -> str | None:
    for line in text_of(path).splitlines():
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
        self._last_s, self._sum_s = steady_s(), 0.0
        threading.Thread(target=self._beat, daemon=True).start()

    def look(self, beats: bool = False) -> float:
        with self._lock:
            now_s = steady_s()
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


def power_of(
    processors: Collection[int] | None = None, system: Path = _SYS, proc: Path = _PROC
) -> dict[str, Any]:
    """Power facts of these processors, else of those that this process may use; empty or null if unknown.

    All are settings but mhz: the mean of /proc/cpuinfo at this moment, in a virtual machine a constant."""
    own = os.sched_getaffinity(0) if processors is None else processors
    folders = [system / "devices/system/cpu" / f"cpu{number}" for number in sorted(own)]
    policies = sorted({(folder / "cpufreq").resolve() for folder in folders})
    shared = system / "devices/system/cpu"
    return {
        "drivers": _texts(policies, "scaling_driver"),
        "governors": _texts(policies, "scaling_governor"),
        "preferences": _texts(policies, "energy_performance_preference"),
        "least_mhz": min(_mhz(policies, "scaling_min_freq"), default=None),
        "most_mhz": max(_mhz(policies, "scaling_max_freq"), default=None),
        "boost": _boost(shared),
        "idle": _texts([shared / "cpuidle"], "current_driver", "current_governor", "current_governor_ro"),
        "idle_disabled": _disabled(folders),
        "profile": _text(system / "firmware/acpi/platform_profile"),
        "limits_w": dict(_limits_w(system / "class/powercap")),
        "mhz": _mean_mhz(proc / "cpuinfo", own),
    }


def _texts(folders: Collection[Path], *names: str) -> list[str]:
    return sorted({text for folder in folders for name in names if (text := _text(folder / name))})


def _text(file: Path) -> str | None:
    text = text_of(file).strip()
    return None if text in ("", "none", "<unknown>") else text


def _mhz(folders: Collection[Path], name: str) -> list[float]:
    return [khz / 1000 for folder in folders if (khz := whole(_text(folder / name))) is not None]


def _boost(shared: Path) -> bool | None:
    boost, not_boost = _text(shared / "cpufreq/boost"), _text(shared / "intel_pstate/no_turbo")
    if not_boost is not None:
        return not_boost == "0"
    return None if boost is None else boost == "1"


def _disabled(folders: Collection[Path]) -> list[str]:
    """Names of idle states that somebody disabled on some processor."""
    states = (state for folder in folders for state in folder.glob("cpuidle/state*"))
    return sorted(
        {_text(state / "name") or state.name for state in states if _text(state / "disable") == "1"}
    )


def _limits_w(zones: Path) -> Iterator[tuple[str, float]]:
    """Long-term power limits of the packages."""
    for zone in sorted(zones.glob("*:*")):
        limit_uw = whole(_text(zone / "constraint_0_power_limit_uw"))
        name = _text(zone / "name")
        if limit_uw and name and name.startswith("package"):
            yield name, limit_uw / 1e6


def _mean_mhz(cpuinfo: Path, own: Collection[int]) -> float | None:
    found, number = [], None
    for line in (_text(cpuinfo) or "").splitlines():
        name, _, value = line.partition(":")
        if name.strip() == "processor":
            number = whole(value.strip())
        elif name.strip() == "cpu MHz" and number in own:
            found.append(real(value.strip()))
    known = [mhz for mhz in found if mhz is not None]
    return round(sum(known) / len(known), 1) if known else None
