"""config/applications/<name>.yaml: an application as phases of I/O with the compute time between."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weir.config.yaml_file import YamlFile, read_yaml
from weir.errors import ConfigError, Problem, did_you_mean
from weir.units import parse_duration, parse_size

_KEYS = ("application", "description", "nodes", "ppn", "phases")
_PHASE_KEYS = {
    "phase": "",
    "access": "",
    "api": "POSIX",
    "layout": "shared",
    "order": "sequential",
    "collective": False,
    "xfer": "",
    "bytes": "",
    "repeat": 1,
    "compute": "0 s",
    "measured_as": "",
}
_NEEDED = ("phase", "access", "xfer", "bytes")


@dataclass(frozen=True)
class IoPhase:
    """size_bytes: of one process in one repetition. measured_as: the access in records of the application."""

    name: str
    access: str
    api: str
    layout: str
    order: str
    collective: bool
    xfer_bytes: int
    size_bytes: int
    repeat: int
    compute_s: float
    measured_as: str


@dataclass(frozen=True)
class Application:
    name: str
    description: str
    nodes: int
    ppn: int
    phases: tuple[IoPhase, ...]


def read_application(file: Path, root: Path) -> Application:
    written = read_yaml(file, root)
    problems = [*_key_problems(written)]
    if problems:
        raise ConfigError(problems)
    data = written.data
    try:
        phases = tuple(_phase(_PHASE_KEYS | phase) for phase in data["phases"])
    except ValueError as error:
        raise ConfigError([Problem(str(error), str(file), hint="sizes are '16 MiB', times '60 s'")]) from None
    return Application(data["application"], data.get("description", ""), data["nodes"], data["ppn"], phases)


def _key_problems(written: YamlFile) -> list[Problem]:
    data, place = written.data, str(written.name)
    if not isinstance(data, dict) or not isinstance(data.get("phases"), list):
        return [Problem("has no list of phases", place, hint="see config/applications/netcdf-climate.yaml")]
    found = [
        Problem(f"unknown key '{key}'", place, hint=did_you_mean(key, _KEYS))
        for key in data
        if key not in _KEYS
    ]
    found += [
        Problem(f"lacks the key '{key}'", place) for key in ("application", "nodes", "ppn") if key not in data
    ]
    for phase in data["phases"]:
        found += [
            Problem(f"unknown key '{key}' of a phase", place, hint=did_you_mean(key, tuple(_PHASE_KEYS)))
            for key in phase
            if key not in _PHASE_KEYS
        ]
        found += [Problem(f"a phase lacks the key '{key}'", place) for key in _NEEDED if key not in phase]
        if phase.get("access", "write") not in ("write", "read"):
            found.append(Problem(f"access is write or read, not '{phase['access']}'", place))
    return found


def _phase(data: dict[str, Any]) -> IoPhase:
    return IoPhase(
        name=data["phase"],
        access=data["access"],
        api=data["api"],
        layout=data["layout"],
        order=data["order"],
        collective=data["collective"],
        xfer_bytes=parse_size(data["xfer"]),
        size_bytes=parse_size(data["bytes"]),
        repeat=data["repeat"],
        compute_s=parse_duration(data["compute"]),
        measured_as=data["measured_as"] or data["access"],
    )
