"""Launchers found by their files: <name>.py defines a Launcher, which a site calls <name>."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from weir.base.errors import WeirError, did_you_mean
from weir.base.plugins import plugins
from weir.site.launchers.base import Changes, Launcher, applied
from weir.site.schedulers import surrounding

__all__ = ["Launcher", "Start", "applied", "launcher", "launchers", "start_of"]


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


@dataclass(frozen=True)
class Start:
    """The command and the environment that start the ranks."""

    command: list[str]  # what stands before the program
    environment: dict[str, str]  # all variables of the launcher


def start_of(
    name: str,
    nodes: int,
    ppn: int,
    options: Sequence[str],
    variables: Mapping[str, str],
    temporary: Path | None = None,
) -> Start:
    """Ranks that see these variables. temporary: a directory of this node for the files of the launch; ranks
    on other nodes do not have it: theirs is the TMPDIR they know."""
    own = launcher(name)
    here = {"TMPDIR": str(temporary)} if temporary and nodes == 1 and own.starts_here else {}
    environment = applied(os.environ, _changes(own), here, variables)
    return Start(own.command(nodes, ppn, options, variables), environment)


def _changes(own: Launcher) -> Changes:
    """The changes of the launcher, and the variables that the batch system gives to an MPI that does not know
    better."""
    system = surrounding(os.environ)
    told = system.mpi(os.environ) if system else {}
    return {key: value for key, value in told.items() if key not in os.environ} | own.environment(os.environ)
