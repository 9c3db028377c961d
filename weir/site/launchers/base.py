"""The interface of a launcher: the arguments before the program, and the changes of the environment; both
pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

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
