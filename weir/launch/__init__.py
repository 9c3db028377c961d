"""Launchers found by their files: <name>.py defines a Launcher, which a site calls <name>."""

from __future__ import annotations

from functools import cache

from weir.errors import WeirError, did_you_mean
from weir.launch.base import Launcher, applied
from weir.plugins import plugins

__all__ = ["Launcher", "applied", "launcher", "launchers"]


@cache
def launchers() -> dict[str, Launcher]:
    """All launchers by the name a site file uses."""
    return plugins(__name__, "LAUNCHER", Launcher)


def launcher(name: str) -> Launcher:
    """The launcher of that name; the error of a wrong one lists what there is."""
    known = launchers()
    if name in known:
        return known[name]
    raise WeirError(f"there is no launcher '{name}'", hint=did_you_mean(name, known), exit_code=2)
