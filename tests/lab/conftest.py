"""Each file system of the lab, started once for the tests of it; skipped by name where it cannot be."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from tests.lab.filesystem import FileSystem, alone, file_systems
from tests.lab.guest import KERNEL, Guest, JoinedGuest
from tests.lab.machine import Machine
from tests.witness.conftest import need_library


@dataclass(frozen=True)
class Lab:
    file_system: FileSystem
    machine: Machine


@contextmanager
def started(file_system: FileSystem) -> Iterator[Machine]:
    """Skips the test where the file system cannot be."""
    if reason := file_system.missing():
        pytest.skip(f"{file_system.name}: {reason}")
    with alone(file_system) as machine:
        yield machine


@contextmanager
def proving_guest(
    description: str, programs: Sequence[str], start: Callable[[Machine], None]
) -> Iterator[Machine]:
    """A guest whose kernel is older than the machine's, for `weir prove` on disks that start() prepares."""
    need_library()
    guest = FileSystem(
        name="guest",
        description=description,
        programs=(KERNEL, *programs),
        start=start,
        machine=Guest,
    )
    with started(guest) as machine:
        yield machine


def _parameters() -> Iterator[Any]:
    """Where servers and a guest are started, the starts take longer than make test has."""
    for name, each in file_systems().items():
        yield pytest.param(name, marks=[pytest.mark.weekly] if each.machine is JoinedGuest else [])


@pytest.fixture(scope="module", params=_parameters())
def lab(request: pytest.FixtureRequest) -> Iterator[Lab]:
    file_system = file_systems()[request.param]
    with started(file_system) as machine:
        yield Lab(file_system, machine)
