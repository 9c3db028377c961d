"""Faults that the emulator had once, each as it showed itself."""

import contextlib
import fcntl
import os
import signal
import struct
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.compiled import shared_library
from tests.ime.conftest import Mounter, Start, StoreMaker, drainer_pid, running_drainer, wait_for
from tests.ime.native import another
from tests.mounting import tmpfs
from tests.programs import ran
from weir.base.processes import started

LOCK_DRAINER = 2  # src/ime/layout/layout.h
MIB = 1 << 20


@pytest.fixture
def small_tmpfs() -> Iterator[Callable[[Path, str], Path]]:
    """Mounts a tmpfs of a given size on a folder."""
    with contextlib.ExitStack() as stack:
        yield lambda folder, size: stack.enter_context(tmpfs(folder, f"size={size}"))


MANY_SMALL_FILES = """
for i in range(int(sys.argv[2])):
    fd = native.ime_native_open(f"ime://f{i}".encode(), os.O_CREAT | os.O_RDWR, 0o600)
    data = bytes([1 + i % 250]) * 4096
    if fd < 0 or native.ime_native_pwrite(fd, data, ctypes.c_size_t(4096), ctypes.c_int64(0)) != 4096:
        sys.exit(f"file {i}: {os.strerror(ctypes.get_errno())}")
    native.ime_native_close(fd)
native.ime_native_finalize()
"""


def test_many_small_files_within_the_capacity(
    programs: Path, make_store: StoreMaker, tmp_path: Path, small_tmpfs: Callable[[Path, str], Path]
) -> None:
    """Index pages take room too: once they filled the tmpfs, and touching the next one was a SIGBUS."""
    fast = small_tmpfs(tmp_path / "small", "5m")
    store = make_store()
    store.imectl("destroy")
    store.config.write_text(
        f"fast = {fast}/store\nbacking = {store.backing}\ncapacity = 4 MiB\ndrain = manual\n"
    )
    store.imectl("create")
    files = 1000
    done = store.run(*another(programs, MANY_SMALL_FILES, files), check=False)
    assert done.returncode == 0, done.stderr
    assert store.status()["used_bytes"] <= 4 * MIB
    store.imectl("destroy")
    for i in range(files):
        assert (store.backing / f"f{i}").read_bytes() == bytes([1 + i % 250]) * 4096


def test_a_killed_drainer_is_started_again(start: Start, make_store: StoreMaker) -> None:
    """A writer goes on, so that its file stays unsettled."""
    store = make_store(drain="auto", drainer_idle_s=600)
    native = start(store)
    fd = native.open(b"ime://a", os.O_CREAT | os.O_RDWR, 0o600)

    def written_with_another_drainer(killed: object) -> bool:
        native.pwrite(fd, bytes([7]) * 65536, 65536, 0)
        return drainer_pid(store) not in {None, killed}

    wait_for(lambda: written_with_another_drainer(None), "the drainer runs")
    pid = drainer_pid(store)
    assert isinstance(pid, int)
    os.kill(pid, signal.SIGKILL)
    wait_for(lambda: written_with_another_drainer(pid), "another drainer runs")
    native.close(fd)


def test_a_drainer_killed_after_the_last_close_is_started_by_the_next_client(
    start: Start, make_store: StoreMaker
) -> None:
    store = make_store(drain="auto", drainer_idle_s=600)
    store.fill("a", MIB, 65536)
    os.kill(running_drainer(store), signal.SIGKILL)
    wait_for(lambda: drainer_pid(store) is None, "it is gone")
    native = start(store)
    native.close(native.open(b"ime://a", os.O_RDONLY, 0))
    running_drainer(store)


def test_an_inode_number_of_another_file_system_is_another_file(
    start: Start, make_store: StoreMaker, small_tmpfs: Callable[[Path, str], Path]
) -> None:
    store = make_store()
    store.imectl("destroy")
    small_tmpfs(store.backing, "4m")
    store.imectl("create")
    native = start(store)
    fd = native.open(b"ime://buffered", os.O_CREAT | os.O_RDWR, 0o600)
    native.pwrite(fd, b"buffered", 8, 0)
    number = (store.backing / "buffered").stat().st_ino
    other = small_tmpfs(store.backing / "other", "4m")
    namesake = None
    for i in range(200):
        (other / f"f{i}").write_bytes(b"separate")
        if (other / f"f{i}").stat().st_ino == number:
            namesake = f"ime://other/f{i}".encode()
    if namesake is None:
        pytest.skip("this kernel numbers the inodes of all tmpfs together")
    other_fd = native.open(namesake, os.O_RDONLY, 0)
    assert native.contents(other_fd, 8) == b"separate"
    native.close(other_fd)
    with pytest.raises(OSError, match="cross-device"):
        native.open(namesake, os.O_RDWR, 0)
    native.close(fd)


def test_a_drainer_that_has_only_begun_has_no_id_yet(make_store: StoreMaker) -> None:
    """Its lock came before its id, and status told 0: a signal to 0 ends all processes of its sender."""
    store = make_store()
    with (store.fast / "control").open("r+b") as control:
        assert lock(control.fileno())
        assert store.status()["drainer_pid"] is None
        assert "a drainer of unknown id" in store.imectl("status").stdout


def test_a_stale_process_id_is_not_signalled(programs: Path, make_store: StoreMaker) -> None:
    """The drainer was killed, and its number belongs to somebody else by now."""
    store = make_store(drain="auto", drainer_idle_s=600)
    store.fill("a", MIB, 16384)
    pid = running_drainer(store)
    noted = struct.pack("<Q", started(pid))
    os.kill(pid, signal.SIGKILL)
    # The bystander starts in a later tick: start times have no more resolution, no kernel reuses ids so soon.
    time.sleep(2 / os.sysconf("SC_CLK_TCK"))
    with subprocess.Popen(["sleep", "600"]) as bystander, (store.fast / "control").open("r+b") as control:
        held_there = control.read(8192)
        before = held_there.index(noted)  # a small id alone may stand for something else
        at = held_there.rindex(struct.pack("<i", pid), before - 8, before)
        control.seek(at)
        control.write(struct.pack("<i", bystander.pid))
        control.flush()
        wait_for(lambda: lock(control.fileno()), "the killed drainer's lock is free")
        with contextlib.suppress(subprocess.TimeoutExpired):
            subprocess.run(
                [programs / "imectl", "drainer", "--stop"], env=store.environment, check=False, timeout=1
            )
        ended = bystander.poll()
        bystander.kill()
    assert ended is None, f"an unrelated process got signal {ended}"


def lock(fd: int) -> bool:
    """Whether the lock of a drainer was free, which is held then."""
    request = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, LOCK_DRAINER, 1, 0)
    with contextlib.suppress(BlockingIOError):
        fcntl.fcntl(fd, fcntl.F_OFD_SETLK, request)
        return True
    return False


WITHOUT_LOCKS = """
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
static int refused(const struct flock *lock) { return lock->l_start >= (off_t)1 << 62; }
int fcntl64(int fd, int command, ...) {
    va_list list;
    va_start(list, command);
    void *argument = va_arg(list, void *);
    va_end(list);
    if ((command == F_OFD_SETLK || command == F_OFD_GETLK) && refused(argument)) {
        errno = EOPNOTSUPP;
        return -1;
    }
    int (*next)(int, int, ...) = (int (*)(int, int, ...))dlsym(RTLD_NEXT, "fcntl64");
    return next(fd, command, argument);
}
int fcntl(int fd, int command, ...) {
    va_list list;
    va_start(list, command);
    void *argument = va_arg(list, void *);
    va_end(list);
    return fcntl64(fd, command, argument);
}
"""
READ_WHAT_IS_REMOVED = """
reader = native.ime_native_open(b"ime://a", os.O_RDONLY, 0)
writer = native.ime_native_open(b"ime://a", os.O_WRONLY, 0)
if reader < 0 or writer < 0:
    sys.exit("cannot be opened")
native.ime_native_pwrite(writer, b"new!", ctypes.c_size_t(4), ctypes.c_int64(0))
native.ime_native_unlink(b"ime://a")
native.ime_native_close(writer)
buffer = ctypes.create_string_buffer(4)
native.ime_native_pread(reader, buffer, ctypes.c_size_t(4), ctypes.c_int64(0))
sys.exit(0 if buffer.raw == b"new!" else f"read {buffer.raw!r}")
"""


def test_reading_from_a_backing_without_locks(programs: Path, make_store: StoreMaker, tmp_path: Path) -> None:
    """Lustre without -o flock, NFS with nolock: F_OFD_SETLK fails on the backing's files."""
    library = shared_library(tmp_path / "locks.so", WITHOUT_LOCKS, "-D_GNU_SOURCE")
    store = make_store()
    (store.backing / "a").write_bytes(b"old!")
    environment = {**store.environment, "LD_PRELOAD": str(library)}
    done = ran(another(programs, READ_WHAT_IS_REMOVED), env=environment)
    assert done.returncode == 0, done.stderr


def test_a_hard_link_outlives_the_name_that_was_learnt_last(make_store: StoreMaker, mounted: Mounter) -> None:
    mount = mounted(make_store(), "--attribute-timeout", 60)
    (mount / "a").write_text("data")
    os.link(mount / "a", mount / "b")
    assert (mount / "b").stat().st_nlink == 2
    (mount / "b").unlink()
    assert (mount / "a").read_text() == "data"
    os.truncate(mount / "a", 2)
    assert (mount / "a").stat().st_size == 2


def test_asking_about_an_unlinked_file_while_others_close_it(
    sanitized: Path, make_store: StoreMaker, mounted: Mounter
) -> None:
    """The address sanitizer ends the mount when it uses a file that was closed."""
    store = make_store(sanitized)
    mount = mounted(store)
    for _ in range(150):
        first = os.open(mount / "a", os.O_CREAT | os.O_RDWR)
        others = [os.open(mount / "a", os.O_RDWR) for _ in range(40)]
        (mount / "a").unlink()
        closer = threading.Thread(target=lambda fds=others: [os.close(fd) for fd in reversed(fds)])
        closer.start()
        while closer.is_alive():
            assert os.fstat(first).st_size == 0
        closer.join()
        os.close(first)
    (mount / "still").write_text("there")
    assert (mount / "still").read_text() == "there"
