"""config/applications/<name>.yaml: an application as phases of I/O with the compute time between."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weir.base.errors import ConfigError, Problem
from weir.base.units import parse_duration, parse_size
from weir.data import load_schema
from weir.plan.config.schema import check
from weir.plan.config.yaml_file import YamlFile, read_yaml

_DEFAULTS = {
    "api": "POSIX",
    "layout": "shared",
    "order": "sequential",
    "collective": False,
    "repeat": 1,
    "compute": "0 s",
}


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
    """root: what the file is named relative to in messages."""
    written = read_yaml(file, root)
    problems = check(written, load_schema("application")) or _empty(written)
    if problems:
        raise ConfigError(problems)
    data = written.data
    phases = tuple(_phase(_DEFAULTS | phase) for phase in data["phases"])
    return Application(data["application"], data.get("description", ""), data["nodes"], data["ppn"], phases)


def _empty(written: YamlFile) -> list[Problem]:
    """Sizes of zero, of which there is no rate."""
    return [
        written.problem(("phases", index, key), "a phase moves at least one byte", None, phase[key])
        for index, phase in enumerate(written.data["phases"])
        for key in ("xfer", "bytes")
        if parse_size(phase[key]) == 0
    ]


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
        measured_as=data.get("measured_as", data["access"]),
    )
