"""Launchers found by their files: the module <name>.py that defines LAUNCHER is what a site calls <name>."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from weir.errors import WeirError, did_you_mean
from weir.launch.base import Launcher, applied

__all__ = ["Launcher", "applied", "launcher", "launchers"]


@cache
def launchers() -> dict[str, Launcher]:
    """All launchers by the name a site file uses."""
    found: dict[str, Launcher] = {}
    for info in pkgutil.iter_modules(__path__):
        candidate = getattr(importlib.import_module(f"{__name__}.{info.name}"), "LAUNCHER", None)
        if isinstance(candidate, Launcher):
            found[info.name] = candidate
    return found


def launcher(name: str) -> Launcher:
    """The launcher of that name; the error of a wrong one lists what there is."""
    known = launchers()
    if name in known:
        return known[name]
    raise WeirError(f"there is no launcher '{name}'", hint=did_you_mean(name, known), exit_code=2)
