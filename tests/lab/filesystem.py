"""A file system of the lab: what it needs, how it starts, and what its targets move for a byte of the user.

A new one is a file in tests/lab/storage that defines FILE_SYSTEM, and a target of the site storage-lab for
each mount.
"""

import importlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests import needs
from tests.lab.guest import Guest, JoinedGuest
from tests.lab.machine import HERE, ROOT, LabError, Machine

SITE = "storage-lab"
_SBIN = "/usr/sbin:/sbin"
_NEEDS: Mapping[type[Machine], tuple[needs.Need, ...]] = {
    Machine: (needs.lab_machine, needs.fuse),
    Guest: (needs.lab_machine, needs.guest_kernel),
    JoinedGuest: (needs.lab_machine, needs.guest_kernel, needs.tap_devices),
}


@dataclass(frozen=True)
class Share:
    """Bytes that go over the wire for each byte that a program writes or reads."""

    write: float = 1.0
    read: float = 1.0


@dataclass(frozen=True)
class Served:
    """What a probe of the server looks at."""

    folder: str  # on the server
    stores: bool  # the bytes are on its disks when it answers


@dataclass(frozen=True)
class FileSystem:
    name: str
    description: str
    programs: tuple[str, ...]  # without one of them it cannot be started
    start: Callable[[Machine], None]
    # These belong to the site storage-lab; each is mounted on /mnt/NAME.
    targets: Mapping[str, Share] = field(default_factory=dict)
    # Of a target: bytes written or read until now, by names such as "write bricks" and "read bricks".
    counters: Callable[[Machine, str], Mapping[str, int]] = lambda machine, target: {}
    client: Callable[[Machine, str], list[str]] | None = None  # mounts a target, on this and on further nodes
    served: Mapping[str, Served] = field(default_factory=dict)  # of targets with a server that can be probed
    private: tuple[str, ...] = ()  # directories of this machine that its servers write to
    machine: type[Machine] = field(default=Machine)

    def missing(self) -> str:
        """Why it cannot be started here, or nothing."""
        path = f"{os.environ.get('PATH', '')}:{_SBIN}"
        absent = [name for name in self.programs if shutil.which(name, path=path) is None]
        if absent:
            return f"not installed: {', '.join(absent)} (make setup-lab)"
        return next(filter(None, (need() for need in _NEEDS[self.machine])), "")


def up(folder: Path, chosen: Sequence[FileSystem], ends_with_caller: bool = False) -> Machine:
    """A machine with the file systems, which are of one kind of machine; or nothing left of it."""
    machine = chosen[0].machine(folder)
    try:
        machine.start([each for file_system in chosen for each in file_system.private], ends_with_caller)
        for file_system in chosen:
            try:
                file_system.start(machine)
            except LabError as error:
                raise LabError(f"{file_system.name} does not start: {error}") from None
    except BaseException:
        machine.stop()
        raise
    return machine


def file_systems() -> dict[str, FileSystem]:
    """By name, one for each file of tests/lab/storage."""
    names = sorted(file.stem for file in (HERE / "storage").glob("*.py") if file.stem != "__init__")
    found = (importlib.import_module(f"tests.lab.storage.{name}").FILE_SYSTEM for name in names)
    return {each.name: each for each in found}


def chosen(names: Sequence[str]) -> Iterator[FileSystem]:
    """The named ones, or all, that can be started here."""
    for name, file_system in file_systems().items():
        if names and name not in names:
            continue
        if reason := file_system.missing():
            print(f"{name}: skipped, {reason}")
        else:
            yield file_system


@contextmanager
def alone(file_system: FileSystem, within: Path = ROOT / "build") -> Iterator[Machine]:
    """It runs, with its data in a new directory there, and ends with the block."""
    print(f"{file_system.name}: starting", flush=True)
    within.mkdir(exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="lab-alone-", dir=within))
    machine = up(folder, [file_system], ends_with_caller=True)
    try:
        yield machine
    finally:
        machine.stop()


def directories_of_users(machine: Machine, target: str, users: tuple[str, ...] = ("root", "nobody")) -> None:
    """As a centre has them: each user's own, in a file system that belongs to root."""
    machine.out("chmod", "755", f"/mnt/{target}")
    for user in users:
        machine.out("install", "-d", "-o", user, f"/mnt/{target}/{user}")


def stored_bytes(folder: Path) -> int:
    """On the disk of this machine, below the folder."""
    os.sync()
    files = (Path(root) / name for root, _, names in os.walk(folder) for name in names)
    return sum({(info.st_dev, info.st_ino): info.st_blocks * 512 for info in map(os.lstat, files)}.values())
