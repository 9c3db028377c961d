"""What an animal needs around a measurement: load, a quota, a file system. Each is a context that ends it."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.zoo.animals import BOUND, COMPRESSING, FUSE, LOOP, OVERLAY
from tests.zoo.errors import CannotStageError

_HERE = Path(__file__).parent
_QUOTA_US, _PERIOD_US = 10_000, 100_000
_NOBODY = 65534
_IMAGE_BYTES = 512 * 2**20


@contextmanager
def repeated(arguments: Sequence[str], environment: Mapping[str, str]) -> Iterator[None]:
    """A command, again and again."""
    loop = ["bash", "-c", f"for n in {{1..1000}}; do {shlex.join(arguments)}; done"]
    process = subprocess.Popen(
        loop,
        env={**os.environ, **environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        time.sleep(0.5)
        yield
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@contextmanager
def of_another_user(engine: Path, folder: Path) -> Iterator[None]:
    """A weir-io of user 65534 that moves nothing; folder: for the files of its MPI."""
    if os.geteuid() != 0:
        raise CannotStageError("only root may start a process of another user")
    folder.mkdir()
    os.chown(folder, _NOBODY, _NOBODY)
    arguments = ["ior", "-a", "NULL", "-w", "-t", "1m", "-b", "1t", "--null.delay-us", "100000"]
    process = subprocess.Popen(
        ["setpriv", f"--reuid={_NOBODY}", "--clear-groups", str(engine), *arguments],
        cwd="/",
        env={**os.environ, "TMPDIR": str(folder)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait_for_name(process, engine.name)
        yield
    finally:
        process.kill()
        process.wait()
        shutil.rmtree(folder)


def _wait_for_name(process: subprocess.Popen[bytes], name: str) -> None:
    for _ in range(200):
        if process.poll() is not None:
            break
        if Path(f"/proc/{process.pid}/comm").read_text().strip() == name:
            return
        time.sleep(0.05)
    raise CannotStageError(f"user {_NOBODY} cannot start {name}")


@contextmanager
def throttled(name: str) -> Iterator[Path]:
    """A control group with a tenth of a core; yields the file that takes the processes."""
    old, new = Path("/sys/fs/cgroup/cpu"), Path("/sys/fs/cgroup")
    is_old = (old / "cpu.cfs_quota_us").is_file()
    group = (old if is_old else new) / name
    try:
        group.mkdir()
        if is_old:
            (group / "cpu.cfs_period_us").write_text(str(_PERIOD_US))
            (group / "cpu.cfs_quota_us").write_text(str(_QUOTA_US))
        else:
            (group / "cpu.max").write_text(f"{_QUOTA_US} {_PERIOD_US}")
    except OSError as error:
        raise CannotStageError(f"no control group with a CPU limit can be made: {error.strerror}") from None
    try:
        yield group / "cgroup.procs"
    finally:
        for _ in range(50):
            try:
                group.rmdir()
                break
            except OSError:
                time.sleep(0.1)  # its last process has not gone yet


@contextmanager
def mounted(kind: str, place: Path, work: Path, memory: Path) -> Iterator[None]:
    """The file system of a target at place; work: a folder beside it, memory: one on tmpfs."""
    if kind == FUSE:
        staged = _lying_fuse(place, work)
    elif kind == COMPRESSING:
        staged = _image("btrfs", "loop,compress-force=zstd", place, work / "image")
    elif kind == LOOP:
        staged = _image("ext4", "loop", place, memory / "image")
    else:
        staged = _of_memory(kind, place, work, memory)
    with staged:
        yield


@contextmanager
def _lying_fuse(place: Path, work: Path) -> Iterator[None]:
    program = work / "lying-fuse"
    flags = subprocess.run(
        ["pkg-config", "--cflags", "--libs", "fuse3"], capture_output=True, text=True, check=False
    )
    if flags.returncode != 0 or not os.access("/dev/fuse", os.W_OK):
        raise CannotStageError("needs libfuse3-dev and /dev/fuse")
    source = [str(_HERE / "lying_fuse.c"), "-o", str(program)]
    arguments = ["cc", "-std=gnu11", "-Wall", "-Wextra", "-Werror", *source, *flags.stdout.split()]
    subprocess.run(arguments, check=True)
    process = subprocess.Popen([program, place, "-f"], stderr=subprocess.DEVNULL)
    try:
        _wait_for_mount(place)
        yield
    finally:
        subprocess.run(["fusermount3", "-u", place], check=False)
        process.wait(120)


@contextmanager
def _image(kind: str, options: str, place: Path, image: Path) -> Iterator[None]:
    """A file system in a file."""
    path = {**os.environ, "PATH": f"{os.environ['PATH']}:/usr/sbin:/sbin"}
    if shutil.which(f"mkfs.{kind}", path=path["PATH"]) is None:
        raise CannotStageError(f"mkfs.{kind} is not installed")
    with image.open("wb") as stream:
        stream.truncate(_IMAGE_BYTES)
    subprocess.run([f"mkfs.{kind}", "-q", image], check=True, env=path, capture_output=True)
    try:
        with _mount(["-o", options, str(image)], place):
            yield
    finally:
        image.unlink()


@contextmanager
def _of_memory(kind: str, place: Path, work: Path, memory: Path) -> Iterator[None]:
    """Of tmpfs: an overlay over a directory of the disk, or a mount over the target's own directory."""
    upper, other, lower = memory / "upper", memory / "other", work / "lower"
    for folder in (upper, other, lower):
        folder.mkdir()
    overlay = ["-t", "overlay", "-o", f"lowerdir={lower},upperdir={upper},workdir={other}", "overlay"]
    try:
        with _mount({OVERLAY: overlay, BOUND: ["--bind", str(upper)]}[kind], place):
            yield
    finally:
        for folder in (upper, other, lower):
            shutil.rmtree(folder)


@contextmanager
def _mount(arguments: Sequence[str], place: Path) -> Iterator[None]:
    done = subprocess.run(["mount", *arguments, place], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise CannotStageError(f"mount {' '.join(arguments)}: {done.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", place], check=False)


def _wait_for_mount(place: Path) -> None:
    for _ in range(100):
        if os.path.ismount(place):
            return
        time.sleep(0.05)
    raise CannotStageError(f"nothing was mounted at {place} within 5 s")
