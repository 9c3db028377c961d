"""The code that measured: the commit and the lock of the checkout that this package is in."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from functools import cache
from pathlib import Path

LOCK = "envs/pip/requirements.txt"


@cache
def commit_of(root: Path) -> str | None:
    """The commit of the code, with a mark if files differ from it; None outside of a checkout of weir."""
    if not (root / ".git").exists():  # a study in somebody's repository has that one's commits
        return None
    arguments = ["git", "-C", str(root), "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
    if not shutil.which("git"):
        return None
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else None


def lock_of(root: Path) -> str | None:
    """A digest of the locked Python packages; None for an installed wheel."""
    try:
        return hashlib.sha256((root / LOCK).read_bytes()).hexdigest()[:12]
    except OSError:
        return None
