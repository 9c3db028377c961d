"""Stripes of what a run writes: set on the folder in which its files are made, and read back from it."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from weir.base.errors import WeirError
from weir.terms.model import Target

# lfs getstripe prints a bare number, or a layout with this line.
_COUNT = re.compile(r"^\s*(?:\S*stripe_count:\s*)?(-?\d+)\b", re.MULTILINE)


def stripe(folder: Path, params: Mapping[str, Any], target: Target) -> int | None:
    """Give the folder the stripes that a cell requests; how many its files get, None if nothing tells."""
    values = {name: str(params.get(name) or "") for name in ("pool", "osts")}
    values |= {"count": str(params.get("stripe_count", 0)), "folder": str(folder)}
    if values["osts"]:
        _call(target.set_osts, values, target)
    elif values["pool"]:
        _call(target.set_pool, values, target)
    elif params.get("stripe_count"):
        _call(target.set_stripes, values, target)
    if not target.get_stripes:
        return None
    found = _COUNT.search(_call(target.get_stripes, values, target))
    return int(found[1]) if found else None


def _call(command: Sequence[str], values: Mapping[str, str], target: Target) -> str:
    filled = [_filled(word, values) for word in command]
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


def _filled(word: str, values: Mapping[str, str]) -> str:
    for name, text in values.items():
        word = word.replace(f"{{{name}}}", text)
    return word
