"""Stripes of what a run writes: set on the folder in which its files are made, and read back from it."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from weir.errors import WeirError
from weir.model import Target

# lfs getstripe prints a bare number, or a layout with this line.
_COUNT = re.compile(r"^\s*(?:\S*stripe_count:\s*)?(-?\d+)\b", re.MULTILINE)


def stripe(folder: Path, count: int, target: Target) -> int | None:
    """Give the folder so many stripes (0: leave it); how many its files get, None if nothing tells."""
    if count:
        _call(target.set_stripes, folder, count, target)
    if not target.get_stripes:
        return None
    found = _COUNT.search(_call(target.get_stripes, folder, count, target))
    return int(found[1]) if found else None


def _call(command: Sequence[str], folder: Path, count: int, target: Target) -> str:
    filled = [word.replace("{folder}", str(folder)).replace("{count}", str(count)) for word in command]
    environment = {**os.environ, **target.environment}
    try:
        done = subprocess.run(filled, env=environment, capture_output=True, text=True, check=False)
    except OSError as error:
        complaint = f"`{filled[0]}`: {error.strerror}"
    else:
        if done.returncode == 0:
            return done.stdout
        complaint = (
            f"`{' '.join(filled)}` ended with {done.returncode}: {(done.stderr or done.stdout).strip()}"
        )
    hint = "correct `stripes` in the target's file, or say max_stripe_count: 0"
    raise WeirError(f"target {target.name}: {complaint}", hint=hint)
