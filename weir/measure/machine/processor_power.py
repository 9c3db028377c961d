"""The clocking of this node's processors: governor, limits, boost and idle states, as the kernel reports
them.

A virtual machine has no cpufreq: its host decides, and the frequency is not known there.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from weir.terms.printed_values import real, whole

_SYSTEM, _PROC = Path("/sys"), Path("/proc")
NOT_KNOWN = "frequency not known"


def power_of(
    processors: Collection[int] | None = None, system: Path = _SYSTEM, proc: Path = _PROC
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


def shown(power: Mapping[str, Any] | None) -> str | None:
    """The settings, which are the same until somebody changes them; None: a run that did not record them."""
    return None if power is None else ", ".join(_parts(power))


def _parts(power: Mapping[str, Any]) -> Iterator[str]:
    if power["drivers"] or power["governors"]:
        yield f"governor {' and '.join(power['governors']) or 'not known'}"
        yield f"driver {' and '.join(power['drivers']) or 'not known'}"
    else:
        yield NOT_KNOWN
    if power["preferences"]:
        yield f"preference {' and '.join(power['preferences'])}"
    if power["least_mhz"] is not None and power["most_mhz"] is not None:
        yield f"{power['least_mhz']:.0f} to {power['most_mhz']:.0f} MHz"
    if power["boost"] is not None:
        yield f"boost {'on' if power['boost'] else 'off'}"
    if power["idle"]:
        yield f"idle states by {' and '.join(power['idle'])}"
    if power["idle_disabled"]:
        yield f"without {', '.join(power['idle_disabled'])}"
    if power["profile"]:
        yield f"profile {power['profile']}"
    yield from (f"{name} at most {limit:g} W" for name, limit in sorted(power["limits_w"].items()))


def _texts(folders: Collection[Path], *names: str) -> list[str]:
    return sorted({text for folder in folders for name in names if (text := _text(folder / name))})


def _text(file: Path) -> str | None:
    try:
        text = file.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return None
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
