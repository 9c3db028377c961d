"""What Slurm at hand can do."""

from __future__ import annotations

import shutil
import subprocess
from functools import cache

_PATIENCE_S = 10.0


@cache
def remembers_jobs() -> bool:
    """Whether sacct answers: without slurmdbd it is installed, too, and fails."""
    if shutil.which("sacct") is None:
        return False
    try:
        question = ["sacct", "--noheader", "--starttime=now"]
        ended = subprocess.run(question, capture_output=True, timeout=_PATIENCE_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return ended.returncode == 0
