"""Folders of tests in directories of all users, named after the process that deletes them: what a test that
was killed has left, the next one removes."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from tests.workflow.processes import kill, processes_below
from weir.processes import is_the_same, started


def own_folder(kind: str, place: Path = Path("/tmp")) -> Path:
    """A new one."""
    prefix = f"weir-{kind}-"
    for folder in place.glob(f"{prefix}*-*-*"):
        pid, ticks = folder.name.removeprefix(prefix).split("-")[:2]
        if pid.isdigit() and ticks.isdigit() and not is_the_same(int(pid), int(ticks)):
            _remove(folder)
    return Path(tempfile.mkdtemp(prefix=f"{prefix}{os.getpid()}-{started(os.getpid())}-", dir=place))


def _remove(folder: Path) -> None:
    """With the processes that name it and the mounts below it."""
    kill([int(line.split()[0]) for line in processes_below(folder)])
    for line in Path("/proc/mounts").read_text().splitlines():
        if line.split()[1].startswith(f"{folder}/"):
            subprocess.run(["umount", "-l", line.split()[1]], capture_output=True, check=False)
    shutil.rmtree(folder, ignore_errors=True)
