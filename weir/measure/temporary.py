"""A directory of our own in TMPDIR for the files of launches: all that killed launchers left goes with it."""

from __future__ import annotations

import os
from pathlib import Path

from weir.launch import launcher
from weir.launch.base import Changes
from weir.measure.workspace import Workspace


def temporary_directory() -> tuple[str, Path]:
    """Where MPI keeps the sockets and locks of a launch, with its name for messages."""
    return "TMPDIR", Path(os.environ.get("TMPDIR") or "/tmp")


def files_of_launches(folder: Path, results: Path, batch: str) -> Workspace:
    """Named after the batch, so that a later start finds and removes it."""
    return Workspace(folder, results, f"{batch} launches")


def temporary_variables(starter: str, nodes: int, temporary: Path | None) -> Changes:
    """Of a launch. Other nodes do not have the directory: theirs is the TMPDIR they know."""
    if temporary is None or nodes > 1 or not launcher(starter).starts_here:
        return {}
    return {"TMPDIR": str(temporary)}
