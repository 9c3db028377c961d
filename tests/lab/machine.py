"""A private machine for a file system: namespaces, which end with everything that was started in them.

Its network is a loopback and one more address, since some servers refuse 127.0.0.1. It sees the files of this
machine, with a /mnt, /run, /dev/shm and /var/tmp of its own, and an empty directory of its own over each one
that the servers write to.
"""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
ADDRESS = "198.18.0.1"
MPI_AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
_ENDS_S = 30


class LabError(Exception):
    """A file system that could not be started or used, with the end of what the command printed."""


@dataclass(frozen=True)
class Machine:
    """By its folder, which holds the data of the servers, their logs, and the id of its first process."""

    folder: Path

    @property
    def home(self) -> Path:
        """Where the users of the machine keep results."""
        return self.folder / "home"

    def start(self, private: Sequence[str] = (), ends_with_caller: bool = False) -> None:
        """Private: directories of this machine that its servers write to."""
        if self.pid() is not None:
            raise LabError(f"{self.folder}: runs already; hint: make lab-down")
        shutil.rmtree(self.folder, ignore_errors=True)
        self.home.mkdir(parents=True)
        self.home.chmod(0o1777)
        tie = ["setpriv", "--pdeathsig", "KILL"] if ends_with_caller else []
        spaces = ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
        with (self.folder / "machine.log").open("w") as log:
            process = subprocess.Popen(
                [*tie, *spaces, str(HERE / "first-process"), ADDRESS, str(self.folder), *private],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                start_new_session=True,
            )
        try:
            assert process.stdout is not None
            if process.stdout.readline() != "ready\n":
                raise LabError(f"no namespaces: {(self.folder / 'machine.log').read_text().strip()}")
            first = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().strip()
            (self.folder / "pid").write_text(f"{first} {_started(int(first))}\n")
        except BaseException:
            process.kill()
            process.wait()
            raise

    def pid(self) -> int | None:
        """Of its first process, while that runs."""
        try:
            first, started = (self.folder / "pid").read_text().split()
        except (FileNotFoundError, ValueError):
            return None
        return int(first) if _started(int(first)) == started else None

    def processes(self) -> Iterator[int]:
        """All that run in it, by their ids outside."""
        pid = self.pid()
        if pid is None:
            return
        space = os.readlink(f"/proc/{pid}/ns/pid")
        for entry in Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and os.readlink(entry / "ns/pid") == space:
                    yield int(entry.name)
            except OSError:
                continue

    def stop(self) -> None:
        """The kernel ends the other processes with the first one, and takes their mounts down."""
        pid = self.pid()
        if pid is not None:
            rest = list(self.processes())
            os.kill(pid, signal.SIGKILL)
            until = time.monotonic() + _ENDS_S
            while any(_runs(each) for each in rest):
                if time.monotonic() > until:
                    raise LabError(f"{self.folder}: processes do not end: {[e for e in rest if _runs(e)]}")
                time.sleep(0.05)
        shutil.rmtree(self.folder, ignore_errors=True)

    def entering(self, user: str = "root") -> list[str]:
        """What goes before a command that is to run in it as the user."""
        pid = self.pid()
        if pid is None:
            raise LabError(f"{self.folder}: does not run; hint: make lab")
        enter = ["nsenter", "--target", str(pid), "--net", "--mount", "--pid", f"--wd={ROOT}"]
        return [*enter, *becoming(user)]

    def run(
        self, *arguments: str | Path, user: str = "root", limit_s: float = 120, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        """A command in it, from the top of the checkout; its exit code is for the caller."""
        # Files, not pipes: a daemon may keep them open.
        with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
            done = subprocess.run(
                [*self.entering(user), *map(str, arguments)],
                env=environment_of(user, self.home) | environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=errors,
                timeout=limit_s,
                check=False,
            )
            for stream in (output, errors):
                stream.seek(0)
            return subprocess.CompletedProcess(done.args, done.returncode, output.read(), errors.read())

    def out(self, *arguments: str | Path, limit_s: float = 120) -> str:
        """What a command that has to succeed prints."""
        done = self.run(*arguments, limit_s=limit_s)
        if done.returncode != 0:
            shown = (done.stdout + done.stderr).strip()[-2000:]
            raise LabError(f"{' '.join(map(str, arguments))}: exit code {done.returncode}\n{shown}")
        return done.stdout

    def read(self, file: Path) -> str:
        """A file of the machine."""
        return file.read_text()

    def write(self, file: Path, text: str) -> None:
        """A file for all users of the machine, and its directory."""
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def wait_for(self, *arguments: str | Path, limit_s: float = 60) -> None:
        """Until the command succeeds."""
        until = time.monotonic() + limit_s
        while (done := self.run(*arguments)).returncode != 0:
            if time.monotonic() > until:
                shown = (done.stdout + done.stderr).strip()[-2000:]
                raise LabError(f"{' '.join(map(str, arguments))}: fails for {limit_s:.0f} s\n{shown}")
            time.sleep(0.2)


def environment_of(user: str, home: Path) -> dict[str, str]:
    """Nothing of the caller's weir, but its paths; a home that the user may write to."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("WEIR_", "SNAKEMAKE"))}
    path = f"{ROOT / '.venv/bin'}:/usr/sbin:/sbin:{os.environ['PATH']}"
    own = {
        "USER": user,
        "LOGNAME": user,
        "HOME": str(home),
        "PATH": path,
        "TMPDIR": "/run/tmp",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    return kept | own | MPI_AS_ROOT


def becoming(user: str) -> list[str]:
    """What goes before a command of the user, who is not root."""
    if user == "root":
        return []
    return ["setpriv", f"--reuid={user}", f"--regid={pwd.getpwnam(user).pw_gid}", "--clear-groups"]


def _started(pid: int) -> str:
    """In the kernel's ticks: another process with the id has another start."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except OSError:
        return ""


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False
