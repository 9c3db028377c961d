"""Facts about the machine that a reader needs to judge a number; read, never guessed, null where unknown."""

from __future__ import annotations

import os
import platform
import socket
from pathlib import Path
from typing import Any

from weir.schedulers import surrounding


def host_facts(target_folder: Path) -> dict[str, Any]:
    """Facts of the node that weir runs on and of the file system below the target."""
    return {
        "node": socket.gethostname(),
        "nodes": _allocated_nodes(),
        "kernel": platform.release(),
        "system": _os_name(),
        "processor": _first_value(Path("/proc/cpuinfo"), "model name"),
        "cores": len(os.sched_getaffinity(0)),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "load_1min": os.getloadavg()[0],
        "file_system": mount_of(target_folder),
    }


def mount_of(folder: Path) -> dict[str, str] | None:
    """The mount that holds folder: the longest mount point above it, from /proc/self/mountinfo."""
    try:
        lines = Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    resolved = str(folder.resolve())
    best: dict[str, str] | None = None
    for line in lines:
        left, _, right = line.partition(" - ")
        fields, tail = left.split(), right.split()
        point = fields[4].replace("\\040", " ")
        inside = point == "/" or resolved == point or resolved.startswith(point + "/")
        # A later mount on the same point hides the earlier one, hence >=.
        if inside and (best is None or len(point) >= len(best["mount_point"])):
            best = {"mount_point": point, "type": tail[0], "device": tail[1], "options": fields[5]}
    return best


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
