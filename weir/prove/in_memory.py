"""Mounts whose bytes are in memory: their devices tell nothing of a storage."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from weir.audit.subject import IN_MEMORY
from weir.base.mounts import mount_of
from weir.measure.machine.memory_below import memory_below


def in_memory(mount: Mapping[str, Any], host: str) -> str | None:
    """The reason why the bytes of a mount are in memory. It is None elsewhere, and where nobody can look: on
    another node, in another namespace, or after an unmount that the library did not see."""
    point = mount["point"] or "/"
    if (mount["device"] or "").endswith(IN_MEMORY):  # as the library saw it, in its own namespace
        return f"the bytes are in memory: {mount['device'].removesuffix(IN_MEMORY)}"
    if mount["device"] is None or host != socket.gethostname():
        return None
    here = mount_of(Path(point))
    if here is None or here["mount_point"] != point or here["type"] != mount["file_system"]:
        return None
    where = memory_below(Path(point))
    return where and f"the bytes are in memory: {where}"


def without_device(mount: Mapping[str, Any], reason: str) -> dict[str, Any]:
    """The account of a mount as if its device had no counters."""
    phases = [{**phase, "before": _cleared(phase["before"])} for phase in mount["phases"]]
    ends = {name: _cleared(mount[name]) for name in ("start", "end")}
    return {**mount, "device": None, "device_reason": reason, "phases": phases, **ends}


def _cleared(counters: Mapping[str, Any]) -> dict[str, Any]:
    return {**counters, "device": None}
