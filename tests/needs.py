"""What tests need of the machine that they run on. Each need is tried once in a process, as the tests use it:
neither a user id nor a device node tells whether a container may mount. A need is a function that returns
the reason why this machine lacks it, or an empty text."""

import os
import re
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import pytest

from tests.lab.machine import ROOT, LabError, Machine
from tests.lab.registers import for_a_kernel
from tests.programs import ran

Need = Callable[[], str]
USER_NAMESPACE = ("unshare", "--map-root-user", "--mount")  # in which any user mounts
_PATH = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
_OWN_FOLDER = re.compile(r"/\S*/weir-needs-\w+")  # named by chance, and the reason is counted by its text
_LIMIT_S = 60
_KERNEL = "linux.uml"
_BOOTED = "Attempted to kill init! exitcode=0x00000000"  # what a kernel prints whose first process succeeded


def need(*needs: Need) -> None:
    """Skips the test by the first need that this machine lacks."""
    for each in needs:
        if reason := each():
            pytest.skip(reason)


def not_installed(*programs: str) -> str:
    """Which of them are in no directory of programs."""
    absent = [name for name in programs if shutil.which(name, path=_PATH) is None]
    return f"not installed: {', '.join(absent)}" if absent else ""


@cache
def mounts() -> str:
    """Mounting a file system where the tests run."""
    with tempfile.TemporaryDirectory(prefix="weir-needs-") as folder:
        reason = _refusal("no file system can be mounted", ["mount", "-t", "tmpfs", "weir-needs", folder])
        if not reason:
            subprocess.run(["umount", "--lazy", folder], check=True, env={**os.environ, "PATH": _PATH})
    return reason


@cache
def mount_namespaces() -> str:
    """A mount namespace in which root mounts."""
    with tempfile.TemporaryDirectory(prefix="weir-needs-") as folder:
        inside = ["unshare", "--mount", "mount", "-t", "tmpfs", "weir-needs", folder]
        return _refusal("no mount namespace can be made", inside)


@cache
def user_mount_namespaces() -> str:
    """A mount namespace that an ordinary user makes and mounts in."""
    with tempfile.TemporaryDirectory(prefix="weir-needs-") as folder:
        inside = [*USER_NAMESPACE, "mount", "--bind", folder, folder]
        return _refusal("no mount namespace of a user can be made", inside)


@cache
def network_namespaces() -> str:
    """A network namespace of root."""
    return _refusal("no network namespace can be made", ["unshare", "--net", "true"])


@cache
def process_namespaces() -> str:
    """A namespace of processes of root."""
    return _refusal("no namespace of processes can be made", ["unshare", "--pid", "--fork", "true"])


@cache
def tap_devices() -> str:
    """An interface of a network that a program serves."""
    inside = ["unshare", "--net", "ip", "tuntap", "add", "needs0", "mode", "tap"]
    return _refusal("no tap device", inside)


@cache
def user_namespaces() -> str:
    """A user namespace."""
    return _refusal("no user namespace can be made", ["unshare", "--user", "--map-root-user", "true"])


@cache
def device_nodes() -> str:
    """Making and opening a device node."""
    with tempfile.TemporaryDirectory(prefix="weir-needs-", dir="/var/tmp") as folder:
        node = f"{folder}/null"
        steps = f"mknod {node} c 1 3 && : >{node}"
        return _refusal("no device node can be made and opened", ["sh", "-c", steps])


@cache
def loop_devices() -> str:
    """A loop device of a new file."""
    with tempfile.NamedTemporaryFile(prefix="weir-needs-", dir="/var/tmp") as image:
        image.truncate(1 << 20)
        made: list[str] = []
        reason = _refusal("no loop device", ["losetup", "--find", "--show", image.name], made)
        for device in made:
            subprocess.run(["losetup", "--detach", device.strip()], check=False, env=_environment())
    return reason


@cache
def fuse() -> str:
    """A mount by FUSE, as fusermount3 makes it for a file system: this one goes before anybody looks in."""
    here, there = socket.socketpair()
    with here, there, tempfile.TemporaryDirectory(prefix="weir-needs-") as folder:
        command = ["fusermount3", "-o", "fsname=weir-needs", "--", folder]
        own = {"_FUSE_COMMFD": str(there.fileno())}
        reason = _refusal("no FUSE", command, more=own, descriptors=(there.fileno(),))
        if not reason:
            subprocess.run(["fusermount3", "-u", "-z", folder], check=True)
    return reason


@cache
def lab_machine() -> str:
    """A private machine of the lab, a command in it, and in that the namespaces of a virtual node."""
    if absent := not_installed("unshare", "nsenter", "setpriv", "ip"):
        return f"no private machine: {absent} (make setup-lab)"
    (ROOT / "build").mkdir(exist_ok=True)
    machine = Machine(Path(tempfile.mkdtemp(prefix="lab-test-", dir=ROOT / "build")))
    try:
        machine.start(ends_with_caller=True)
        machine.out("unshare", "--net", "--uts", "--mount", "true", limit_s=_LIMIT_S)
    except LabError as error:
        return f"no private machine: {_one_line(str(error))}"
    finally:
        machine.stop()
    return ""


@cache
def guest_kernel() -> str:
    """A guest kernel that starts a program of this machine."""
    if not_installed(_KERNEL):
        return f"no guest kernel: {_KERNEL} is not installed (make setup-lab)"
    with tempfile.TemporaryDirectory(prefix="weir-needs-") as home:
        options = ["mem=64M", "rootfstype=hostfs", "rootflags=/", "ro", "init=/bin/true", "con=null"]
        try:
            done = ran(
                [_KERNEL, *options, "con0=fd:0,fd:1", "ssl=null"],
                env={**_environment(), **for_a_kernel(), "HOME": home, "TMPDIR": "/dev/shm"},
                stdin=subprocess.DEVNULL,
                errors="replace",
                timeout=_LIMIT_S,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"no guest kernel: {error}"
    printed = done.stdout + done.stderr
    return "" if _BOOTED in printed else f"no guest kernel: {_one_line(printed)[-200:]}"


def _environment() -> dict[str, str]:
    return {**os.environ, "PATH": _PATH, "LC_ALL": "C"}


def _refusal(
    what: str,
    command: Sequence[str],
    printed: list[str] | None = None,
    more: dict[str, str] | None = None,
    descriptors: Sequence[int] = (),
) -> str:
    """Empty if the command succeeds; printed: takes what it prints then."""
    try:
        done = ran(
            command,
            env=_environment() | (more or {}),
            pass_fds=descriptors,
            stdin=subprocess.DEVNULL,
            timeout=_LIMIT_S,
        )
    except FileNotFoundError:
        return f"{what}: {command[0]} is not installed"
    except subprocess.TimeoutExpired:
        return f"{what}: {command[0]} does not end in {_LIMIT_S} s"
    if done.returncode == 0:
        if printed is not None:
            printed.append(done.stdout)
        return ""
    told = _one_line(_OWN_FOLDER.sub("a directory", done.stderr))
    return f"{what}: {told or f'{command[0]} ended with exit code {done.returncode}'}"


def _one_line(text: str) -> str:
    return " ".join(text.split())
