"""Launchers found by their files: <name>.py defines a Launcher, which a site calls <name>."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from weir.base.errors import InputError, did_you_mean
from weir.base.plugins import plugins
from weir.site.schedulers import surrounding

# None as a value means: take the variable away.
Changes = dict[str, str | None]


@dataclass(frozen=True)
class Launcher:
    """One way to start ranks.

    command(nodes, ppn, options, environment) gives the arguments before the program; environment holds the
    variables of stack and target that every rank must see. environment(inherited) gives what to change in the
    environment that the harness itself was started with. lost(stderr) gives the line that shows that the
    batch system failed or ended the launch, not the program: that is not an execution of the cell and may be
    repeated.
    starts_here: on one node, all ranks run on the node of the launcher. allocates: outside of a job it
    requests nodes by itself.
    """

    command: Callable[[int, int, Sequence[str], Mapping[str, str]], list[str]]
    environment: Callable[[Mapping[str, str]], Changes]
    lost: Callable[[str], str | None] = lambda stderr: None
    starts_here: bool = False
    allocates: bool = False


def gives(options: Sequence[str], *names: str) -> bool:
    """Whether an option is there already: as `--name`, `--name=value`, or short as `-n value`, `-nvalue`."""
    for word in options:
        for name in names:
            if word == name or (name.startswith("--") and word.startswith(name + "=")):
                return True
            if not name.startswith("--") and word.startswith(name) and not word.startswith("--"):
                return True
    return False


def check_geometry(nodes: int, ppn: int) -> None:
    """A launch without ranks is an error of the caller, not something to start."""
    if nodes < 1 or ppn < 1:
        raise ValueError(f"a launch needs at least one node and one process per node, not {nodes} x {ppn}")


def applied(inherited: Mapping[str, str], *changes: Mapping[str, str | None]) -> dict[str, str]:
    """The environment after the changes, later ones over earlier ones."""
    result = dict(inherited)
    for change in changes:
        for name, value in change.items():
            if value is None:
                result.pop(name, None)
            else:
                result[name] = value
    return result


@cache
def launchers() -> dict[str, Launcher]:
    """All launchers by the name a site file uses."""
    return plugins(__name__, "LAUNCHER", Launcher)


def launcher(name: str) -> Launcher:
    """The launcher of that name; the error of a wrong one lists what there is."""
    known = launchers()
    if name in known:
        return known[name]
    raise InputError(f"there is no launcher '{name}'", hint=did_you_mean(name, known))


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
