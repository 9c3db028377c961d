"""A guest kernel as a machine of the lab: User Mode Linux over the files of this machine."""

import os
import shlex
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from tests.lab.machine import ADDRESS, HERE, ROOT, LabError, Machine, becoming, environment_of
from tests.lab.registers import for_a_kernel

KERNEL = "linux.uml"
_MEMORY_BYTES = 2**30
_DISKS = 2
_DISK_BYTES = 8 * 2**30
_BOOTS_S = 180  # a guest takes seconds of processor time, of which a busy machine has few
_SLEEPS_S, _LOOKS_S = 0.02, 1.0
_TAP, _LINK = "guest0", "vec0"  # the two ends of a joined guest's link
GUEST_ADDRESS = "198.18.0.2"


class Guest(Machine):
    """Its commands run in the guest; its network and its home are the guest's."""

    @property
    def requests(self) -> Path:
        return self.folder / "requests"

    def start(self, private: Sequence[str] = (), ends_with_caller: bool = False) -> None:
        super().start(private, ends_with_caller)
        self.requests.mkdir()
        disks = [self.folder / f"disk-{number}" for number in range(_DISKS)]
        for disk in disks:
            with disk.open("wb") as stream:
                stream.truncate(_DISK_BYTES)
        kernel = [KERNEL, f"mem={_MEMORY_BYTES >> 20}M", "rootfstype=hostfs", "rootflags=/", "ro", "quiet"]
        devices = [
            *(f"ubd{number}={disk}" for number, disk in enumerate(disks)),
            "con=null",
            "con0=fd:0,fd:1",
            "ssl=null",
            *self.network(),
        ]
        with (self.folder / "console.log").open("wb") as console:
            process = subprocess.Popen(
                [
                    *self.entering(),
                    "setsid",
                    *kernel,
                    *devices,
                    f"init={HERE / 'guest-init'}",
                    f"folder={self.folder}",
                ],
                # The kernel keeps a folder of its own below HOME, and crashes where that path is long.
                env=environment_of("root", self.home)
                | {"TMPDIR": "/dev/shm", "HOME": "/dev/shm"}
                | for_a_kernel(),
                stdin=subprocess.DEVNULL,
                stdout=console,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        while not self._lives():
            if process.poll() is not None:
                raise LabError(f"{KERNEL} ended with exit code {process.returncode}{self._console()}")
            time.sleep(_SLEEPS_S)
        self.run("true", limit_s=_BOOTS_S)

    def network(self) -> list[str]:
        """Options of the kernel; the guest has a loopback alone."""
        return []

    def run(
        self, *arguments: str | Path, user: str = "root", limit_s: float = 120, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        number = len(list(self.requests.glob("*.sh")))
        variables = environment_of(user, self.home) | environment
        lines = [
            *(
                f"export {name}={shlex.quote(value)}"
                for name, value in variables.items()
                if name.isidentifier()
            ),
            f"cd {shlex.quote(str(ROOT))}",
            f"exec {shlex.join([*becoming(user), *map(str, arguments)])}",
        ]
        file = self.requests / f"{number}.sh"
        file.write_text("\n".join(lines) + "\n")
        file.with_suffix(".ready").touch()
        self._wait_for(file.with_suffix(".done"), shlex.join(map(str, arguments)), limit_s)
        code = int(file.with_suffix(".code").read_text())
        output, errors = (file.with_suffix(suffix).read_text() for suffix in (".out", ".err"))
        return subprocess.CompletedProcess(list(map(str, arguments)), code, output, errors)

    def _wait_for(self, done: Path, command: str, limit_s: float) -> None:
        began = looked = time.monotonic()
        while not done.exists():
            now = time.monotonic()
            if now > began + limit_s:
                raise LabError(f"{command}: no answer of the guest in {limit_s:.0f} s{self._console()}")
            if now > looked + _LOOKS_S:
                looked = now
                if not self._lives():
                    raise LabError(f"{command}: the guest ended{self._console()}")
            time.sleep(_SLEEPS_S)

    def _lives(self) -> bool:
        """Whether the kernel is among the processes of the machine, of which the first one does nothing."""
        return any(_name(pid).startswith("linux.uml") for pid in self.processes())

    def _console(self) -> str:
        shown = (self.folder / "console.log").read_text(errors="replace").strip()[-1000:]
        return f"; its console:\n{shown}" if shown else ""

    def read(self, file: Path) -> str:
        return self.out("cat", file)

    def write(self, file: Path, text: str) -> None:
        self.out("sh", "-c", 'mkdir -p "$(dirname "$0")" && printf %s "$1" >"$0"', file, text)


class JoinedGuest(Guest):
    """One whose network reaches servers that run outside of it."""

    @property
    def outside(self) -> Machine:
        """Where the servers are."""
        return Machine(self.folder)

    def start(self, private: Sequence[str] = (), ends_with_caller: bool = False) -> None:
        super().start(private, ends_with_caller)
        self.out("ip", "link", "set", _LINK, "up")
        self.out("ip", "address", "add", f"{GUEST_ADDRESS}/24", "dev", _LINK)

    def network(self) -> list[str]:
        self.outside.out("ip", "tuntap", "add", _TAP, "mode", "tap")
        self.outside.out("ip", "link", "set", _TAP, "up")
        self.outside.out("ip", "route", "add", GUEST_ADDRESS, "dev", _TAP, "src", ADDRESS)
        # Without gro large packets are lost.
        return [f"{_LINK}:transport=tap,ifname={_TAP},depth=128,gro=1"]


def _name(pid: int) -> str:
    try:
        return os.path.basename(
            Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0].decode(errors="replace")
        )
    except OSError:
        return ""
