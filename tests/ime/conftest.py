"""The built burst buffer and a fresh store for each test."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.compiled import compiled
from tests.compiled import sanitized as sanitized_programs
from tests.ime.native import Native
from tests.ime.pool import helper, launch
from tests.needs import fuse, need
from tests.programs import ran
from tests.workflow.processes import until

__all__ = ["helper", "launch"]

ROOT = Path(__file__).resolve().parents[2]
MEMORY = Path("/dev/shm")
TIMES = int(os.environ.get("WEIR_IME_TIMES", "1"))  # how many times as far the long tests go; make soak-ime


@dataclass(frozen=True)
class Store:
    """A store with its settings file, and the programs that work on it."""

    programs: Path
    folder: Path

    @property
    def backing(self) -> Path:
        return self.folder / "backing"

    @property
    def fast(self) -> Path:
        return self.folder / "fast"

    @property
    def config(self) -> Path:
        return self.folder / "ime.conf"

    @property
    def environment(self) -> dict[str, str]:
        return {**os.environ, "IM_CLIENT_CFG_FILE": str(self.config)}

    def run(self, *arguments: object, check: bool = True) -> subprocess.CompletedProcess[str]:
        done = ran(arguments, env=self.environment, timeout=900)
        assert not check or done.returncode == 0, f"{arguments}\n{done.stdout}{done.stderr}"
        return done

    def program(self, name: str, *arguments: object, check: bool = True) -> subprocess.CompletedProcess[str]:
        return self.run(self.programs / name, *arguments, check=check)

    def imectl(self, *arguments: object, check: bool = True) -> subprocess.CompletedProcess[str]:
        return self.program("imectl", *arguments, check=check)

    def refused(self, *arguments: object, code: int = 1) -> str:
        """The message of imectl, which ends with the code."""
        done = self.imectl(*arguments, check=False)
        assert done.returncode == code, done.stdout + done.stderr
        return done.stderr

    def answer(self, *arguments: object) -> dict[str, Any]:
        """What imectl prints for programs."""
        return dict(json.loads(self.imectl(*arguments, "--json").stdout))

    def status(self) -> dict[str, Any]:
        return self.answer("status")

    def fill(self, name: str, size: int, xfer: int = 1 << 20) -> None:
        """A new file of bytes of value 1."""
        sizes = ("--xfer", xfer, "--file", size, "--repeat", 1)
        self.program("ime-cost", "--interface", "native", "--path", f"ime://{name}", *sizes, "--keep")

    def begin_another_boot(self) -> None:
        control = (self.fast / "control").read_bytes()
        boot_id = Path("/proc/sys/kernel/random/boot_id").read_bytes().strip()
        assert control.count(boot_id) == 1
        (self.fast / "control").write_bytes(control.replace(boot_id, b"0" * len(boot_id)))


def drainer_pid(store: Store) -> int | None:
    """A signal to process 0 would end the whole test run."""
    pid = store.status()["drainer_pid"]
    assert pid is None or (isinstance(pid, int) and pid > 1), pid
    return pid


StoreMaker = Callable[..., Store]
Start = Callable[[Store], Native]


@pytest.fixture(scope="session")
def programs() -> Path:
    return compiled(ROOT / "build") / "ime"


@pytest.fixture(scope="session")
def sanitized() -> Path:
    return sanitized_programs() / "ime"


@pytest.fixture
def make_store(programs: Path) -> Iterator[StoreMaker]:
    """Makes stores in memory, where a sync costs nothing; they are gone after the test."""
    made: list[Store] = []

    def make(place: Path = programs, **settings: object) -> Store:
        store = Store(place, Path(tempfile.mkdtemp(prefix="weir-ime-", dir=MEMORY)))
        made.append(store)
        keys = {"capacity": "16 MiB", "drain": "manual", **settings}
        lines = [f"{key} = {value}" for key, value in keys.items() if key != "faults"]
        faults = settings.get("faults", ())
        assert isinstance(faults, tuple)
        lines += [f"fault = {fault}" for fault in faults]
        store.config.write_text(
            "\n".join([f"fast = {store.fast}", f"backing = {store.backing}", *lines]) + "\n"
        )
        store.imectl("create")
        return store

    yield make
    for store in reversed(made):
        store.imectl("drainer", "--stop", check=False)
        shutil.rmtree(store.folder)


class Mounter:
    """Mounts stores; the id of the last mount's process is what a test may kill."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.running: list[tuple[int, Path]] = []

    def __call__(self, store: Store, *options: object) -> Path:
        need(fuse)
        if not (store.programs / "ime-fuse").exists():
            pytest.skip("ime-fuse is not built: libfuse3-dev is not installed")
        folder = self.folder / f"mount{len(self.running)}"
        folder.mkdir()
        self.running.append((int(store.program("ime-fuse", *options, folder).stdout), folder))
        assert is_mounted(folder)
        return folder

    def last_pid(self) -> int:
        return self.running[-1][0]


def is_mounted(folder: Path) -> bool:
    return any(line.split()[1] == str(folder) for line in Path("/proc/self/mounts").read_text().splitlines())


def has_ended(pid: int) -> bool:
    """Gone, or only waiting for its new parent to take notice."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):  # the second when it goes while its file is read
        return True


def wait_for(condition: Callable[[], bool], what: str) -> None:
    assert until(condition, 120), f"after 120 s still not so: {what}"


def running_drainer(store: Store) -> int:
    wait_for(lambda: drainer_pid(store) is not None, "the drainer runs")
    return drainer_pid(store) or pytest.fail("it has ended")


@pytest.fixture
def mounted(tmp_path: Path) -> Iterator[Mounter]:
    """Every mount is ended by the id of its process, and must be gone then."""
    mounter = Mounter(tmp_path)
    yield mounter
    for pid, folder in mounter.running:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
        wait_for(lambda folder=folder: not is_mounted(folder), f"{folder} is unmounted")
        wait_for(lambda pid=pid: has_ended(pid), f"process {pid} has ended")


@pytest.fixture
def start(programs: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    native = Native(programs / "libim_client.so")

    def begin(store: Store) -> Native:
        monkeypatch.setenv("IM_CLIENT_CFG_FILE", str(store.config))
        native.library.ime_native_init()
        return native

    yield begin
    for fd in range(256):
        native.library.ime_native_close(fd)  # left open by a test that failed; others are not ours, and stay
    native.library.ime_native_finalize()
