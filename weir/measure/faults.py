"""Faults of the environment: a full results disk or an unmounted target is not a property of a cell."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from weir.base.errors import WeirError
from weir.measure.clean_up.workspace import Workspace, temporary_directory

SHARED_MEMORY = Path("/dev/shm")
_PROBE_BYTES = 64 * 1024


class EnvironmentFaultError(WeirError):
    """The machine failed, not a cell: what was measured is kept, the rest stays unfinished."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason, hint="run again when it is gone: finished runs are kept")


def fault(workspace: Workspace, results: Path) -> str | None:
    """Why no cell can succeed any more; checked when one has failed. None: the failure is its own."""
    if gone := missing(workspace):
        return gone
    places = [("target", workspace.folder), ("results", results)]
    places += [each for each in (("shared memory", SHARED_MEMORY), temporary_directory()) if each[1].is_dir()]
    for name, folder in places:
        if reason := unwritable(folder):
            return f"{name}: no file can be written in {folder}: {reason}"
    return None


def missing(workspace: Workspace) -> str | None:
    """Why the workspace is not the one that was claimed."""
    target = workspace.target_folder
    try:
        if not target.is_dir():
            return f"target: {target} is not there"
        if not workspace.is_here():
            return f"target: {workspace.folder} is not there any more: was {target} unmounted?"
    except OSError as error:
        return f"target: {error.filename} cannot be looked at: {error.strerror}"
    return None


def unwritable(folder: Path) -> str | None:
    """Writes to storage, not to the page cache alone: only then does a broken device answer."""
    try:
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(bytes(_PROBE_BYTES))
            probe.flush()
            os.fsync(probe.fileno())
    except OSError as error:
        return error.strerror or str(error)
    return None
