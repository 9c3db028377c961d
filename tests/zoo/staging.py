"""What an animal needs around a measurement: load, a quota, a file system. Each is a context that ends it."""

import os
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from pathlib import Path

from tests.compiled import built
from tests.needs import fuse
from tests.programs import ran
from tests.workflow.processes import until
from tests.zoo.animals import (
    BOUND,
    BTRFS,
    CACHED_LOOP,
    CEPH,
    CLIENTS,
    COMPRESSING,
    DIRECT_LOOP,
    DISK_OVERLAY,
    FUSE,
    JOURNAL,
    LIMITED,
    LOOP,
    OVERLAY,
    PAIR,
    PASSING,
    RANKS_GROUPED,
    RANKS_LIMITED,
    RANKS_THROTTLED,
    REDUCING,
    STACKED,
    THROTTLED,
    UNLINKED,
    VOLATILE,
    XFS,
)
from tests.zoo.errors import CannotStageError
from weir.measure.machine.devices import devices_below

_HERE = Path(__file__).parent
_WITH_SBIN = {**os.environ, "PATH": f"{os.environ['PATH']}:/usr/sbin:/sbin"}
_QUOTA_US, _PERIOD_US = 10_000, 100_000
_ALLOWED_BPS = 100 * 2**20
_NOBODY = 65534
_IMAGE_BYTES = 512 * 2**20


@contextmanager
def repeated(arguments: Sequence[str], environment: Mapping[str, str] | None = None) -> Iterator[None]:
    """A command, again and again."""
    loop = ["bash", "-c", f"for n in {{1..1000}}; do {shlex.join(arguments)}; done"]
    process = subprocess.Popen(
        loop,
        env={**os.environ, **(environment or {})},
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
def of_another_user(engine: Path) -> Iterator[None]:
    """A weir-io of user 65534 that moves nothing, with a folder of its own for the files of its MPI."""
    if os.geteuid() != 0:
        raise CannotStageError("only root may start a process of another user")
    folder = Path(tempfile.mkdtemp(prefix="weir-zoo-user-", dir="/var/tmp"))
    os.chown(folder, _NOBODY, _NOBODY)
    arguments = ["ior", "-a", "NULL", "-w", "-t", "1m", "-b", "1t", "--null.delay-us", "100000"]
    process = subprocess.Popen(
        ["setpriv", f"--reuid={_NOBODY}", "--clear-groups", str(engine), *arguments],
        cwd="/",
        # Without a daemon of Open MPI, which would outlive it and write to the folder.
        env={**os.environ, "TMPDIR": str(folder), "OMPI_MCA_ess_singleton_isolated": "1"},
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


def in_group(beside: Sequence[str], name: str, folder: Path) -> AbstractContextManager[Path | None]:
    """The file that takes the processes of the control group that an animal has; None: it has none."""
    if {THROTTLED, RANKS_THROTTLED} & {*beside}:
        return _throttled(name)
    if {LIMITED, RANKS_LIMITED} & {*beside}:
        return _limited(name, folder)
    if RANKS_GROUPED in beside:
        return _control_group(name, "cpu", {}, {})
    return nullcontext()


def _throttled(name: str) -> AbstractContextManager[Path]:
    """A control group with a tenth of a core."""
    old = {"cpu.cfs_period_us": str(_PERIOD_US), "cpu.cfs_quota_us": str(_QUOTA_US)}
    return _control_group(name, "cpu", old, {"cpu.max": f"{_QUOTA_US} {_PERIOD_US}"})


def _limited(name: str, folder: Path) -> AbstractContextManager[Path]:
    """A control group with a limit for the disk of folder."""
    numbers = [number for number in devices_below(folder) if not _is_partition(number)]
    if not numbers:
        raise CannotStageError(f"no block device is known below {folder}")
    rules = {
        f"blkio.throttle.{access}_bps_device": f"{numbers[0]} {_ALLOWED_BPS}" for access in ("read", "write")
    }
    new = {"io.max": f"{numbers[0]} rbps={_ALLOWED_BPS} wbps={_ALLOWED_BPS}"}
    return _control_group(name, "blkio", rules, new)


def _is_partition(number: str) -> bool:
    return Path(f"/sys/dev/block/{number}/partition").exists()


@contextmanager
def _control_group(
    name: str, controller: str, old: Mapping[str, str], new: Mapping[str, str]
) -> Iterator[Path]:
    """Yields the file that takes its processes; old, new: files of version 1 and 2, and what they get."""
    top = Path("/sys/fs/cgroup")
    is_old = (top / controller / "cgroup.procs").is_file()
    group = (top / controller if is_old else top) / name
    try:
        group.mkdir()
        for file, text in (old if is_old else new).items():
            (group / file).write_text(text)
    except OSError as error:
        with suppress(OSError):
            group.rmdir()
        raise CannotStageError(f"no control group with a limit can be made: {error.strerror}") from None
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
    image = work / "image"
    images = {
        COMPRESSING: ("btrfs", "loop,compress-force=zstd", image),
        LOOP: ("ext4", "loop", memory / "image"),
        BTRFS: ("btrfs", "loop", image),
        JOURNAL: ("ext4", "loop,data=journal", image),
        CACHED_LOOP: ("ext4", "loop", image),
        UNLINKED: ("ext4", "loop", image),
        XFS: ("xfs", "loop", image),
        DIRECT_LOOP: ("ext4", "", image),
    }
    with ExitStack() as stack:
        options = {FUSE: "", CEPH: f"subtype={CEPH},fsname={CEPH}", PASSING: f"fsname={work}"}
        if kind in options:
            shown = ["-o", options[kind]] if options[kind] else []
            stack.enter_context(served_by("lying_fuse.c", work, [place, "-f", *shown], place))
        elif kind in CLIENTS:
            stored = work / "stored"
            stored.mkdir(exist_ok=True)
            arguments = [kind, stored, place, "-f", "-o", f"fsname=zoo:{kind}"]
            stack.enter_context(served_by("caching_fuse.c", work, arguments, place))
        elif kind == OVERLAY:
            stack.enter_context(_overlay(place, work, memory))
        elif kind in (VOLATILE, DISK_OVERLAY):
            stack.enter_context(_overlay(place, work, work, *(["volatile"] if kind == VOLATILE else [])))
        elif kind == REDUCING:
            below = work / "below"
            stack.enter_context(_image("btrfs", "loop,compress-force=zstd", below, image))
            stack.enter_context(_overlay(place, work, below))
        elif kind == PAIR:
            other = stack.enter_context(loop(stack.enter_context(blank(memory / "image"))))
            stack.enter_context(_image("btrfs", f"loop,device={other}", place, image, other))
        elif kind == STACKED:
            below = work / "below"
            stack.enter_context(_image("ext4", "loop", below, image))
            image.unlink()
            stack.enter_context(_overlay(place, work, below))
        elif kind == BOUND:
            stack.enter_context(_bound(place, memory))
        else:
            stack.enter_context(_image(*images[kind][:2], place, images[kind][2]))
            if kind == UNLINKED:
                image.unlink()
        yield


@contextmanager
def served_by(source: str, work: Path, arguments: Sequence[str | Path], place: Path) -> Iterator[None]:
    """A FUSE file system of the zoo at place."""
    flags = ran(["pkg-config", "--cflags", "--libs", "fuse3"])
    if flags.returncode != 0:
        raise CannotStageError("needs libfuse3-dev")
    if reason := fuse():
        raise CannotStageError(reason)
    program = work / source.removesuffix(".c").replace("_", "-")
    built(program, _HERE / source, "-std=gnu11", "-Wall", "-Wextra", "-Werror", *flags.stdout.split())
    process = subprocess.Popen([program, *arguments], stderr=subprocess.DEVNULL)
    try:
        if not until(lambda: os.path.ismount(place), 5):
            raise CannotStageError(f"nothing was mounted at {place} within 5 s")
        yield
    finally:
        subprocess.run(["fusermount3", "-u", place], check=False)
        process.terminate()  # a copy of the mount in another namespace would keep it
        process.wait(120)


@contextmanager
def blank(image: Path, size_bytes: int = _IMAGE_BYTES) -> Iterator[Path]:
    """A new file of zeros, which is deleted."""
    with image.open("wb") as stream:
        stream.truncate(size_bytes)
    try:
        yield image
    finally:
        image.unlink(missing_ok=True)


@contextmanager
def loop(image: Path, *options: str) -> Iterator[str]:
    """A loop device of the file."""
    command = ["losetup", *options]
    done = ran([*command, "--show", "--find", image], env=_WITH_SBIN)
    if done.returncode != 0:
        raise CannotStageError(f"{' '.join(command)}: {done.stderr.strip()}")
    try:
        yield done.stdout.strip()
    finally:
        ran(["losetup", "--detach", done.stdout.strip()], env=_WITH_SBIN)


@contextmanager
def _image(kind: str, options: str, place: Path, image: Path, *others: str) -> Iterator[None]:
    """A file system in a file; others: devices that it takes as well."""
    if shutil.which(f"mkfs.{kind}", path=_WITH_SBIN["PATH"]) is None:
        raise CannotStageError(f"mkfs.{kind} is not installed")
    with ExitStack() as stack:
        stack.enter_context(blank(image))
        ran([f"mkfs.{kind}", "-q", image, *others], check=True, env=_WITH_SBIN)
        place.mkdir(exist_ok=True)
        # One that passes the page cache of its file, where the mount makes none.
        source = image if options else stack.enter_context(loop(image, "--direct-io=on"))
        stack.enter_context(_mount(["-o", options or "rw", str(source)], place))
        yield


@contextmanager
def _overlay(place: Path, work: Path, upper: Path, *options: str) -> Iterator[None]:
    """Over a directory of the disk; upper: where what is written goes."""
    folders = {"lowerdir": work / "lower", "upperdir": upper / "upper", "workdir": upper / "other"}
    for folder in folders.values():
        folder.mkdir()
    mount_options = ",".join([*(f"{name}={folder}" for name, folder in folders.items()), *options])
    try:
        with _mount(["-t", "overlay", "-o", mount_options, "overlay"], place):
            yield
    finally:
        for folder in folders.values():
            shutil.rmtree(folder)


@contextmanager
def _bound(place: Path, memory: Path) -> Iterator[None]:
    """A directory of tmpfs over the target's own."""
    upper = memory / "upper"
    upper.mkdir()
    try:
        with _mount(["--bind", str(upper)], place):
            yield
    finally:
        shutil.rmtree(upper)


@contextmanager
def _mount(arguments: Sequence[str], place: Path) -> Iterator[None]:
    done = ran(["mount", *arguments, place])
    if done.returncode != 0:
        raise CannotStageError(f"mount {' '.join(arguments)}: {done.stderr.strip()}")
    try:
        yield
    finally:
        _unmount(place)


def _unmount(place: Path) -> None:
    """A process of the run may hold it some moments longer; then it goes when that ends, and no mount of a
    zoo stays behind."""
    for _ in range(50):
        if ran(["umount", place]).returncode == 0:
            return
        time.sleep(0.1)
    subprocess.run(["umount", "--lazy", place], check=False)
