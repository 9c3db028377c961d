"""The mount under what people do on a file system; what a plain directory does is what is right."""

from __future__ import annotations

import contextlib
import errno
import json
import mmap
import os
import shutil
import signal
import stat
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.ime.conftest import ROOT, Mounter, Store, StoreMaker, has_ended, is_mounted, wait_for

Scenario = Callable[[Path], object]


def outcome(scenario: Scenario, folder: Path) -> object:
    folder.mkdir()
    try:
        return scenario(folder)
    except OSError as failed:
        return errno.errorcode[failed.errno or 0]


def mode_of(path: Path) -> str:
    return stat.filemode(path.lstat().st_mode)


def tree(folder: Path) -> list[tuple[str, str, int, int]]:
    found = sorted(folder.rglob("*"))
    return [(str(p.relative_to(folder)), mode_of(p), p.lstat().st_size * p.is_file(), 0) for p in found]


def create_exclusively(d: Path) -> object:
    os.close(os.open(d / "a", os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o604))
    first = mode_of(d / "a")
    os.open(d / "a", os.O_CREAT | os.O_EXCL | os.O_WRONLY)
    return first


def open_directory_for_writing(d: Path) -> object:
    return os.open(d, os.O_WRONLY)


def open_below_a_file(d: Path) -> object:
    (d / "a").touch()
    return (d / "a/b").open()


def name_too_long(d: Path) -> object:
    return (d / ("n" * 256)).touch()


def longest_name(d: Path) -> object:
    (d / ("n" * 255)).write_text("x")
    return tree(d)


def symlink_loop(d: Path) -> object:
    (d / "a").symlink_to("b")
    (d / "b").symlink_to("a")
    return (d / "a").open()


def symlinks(d: Path) -> object:
    (d / "a").write_text("hello")
    (d / "b").symlink_to("a")
    (d / "c").symlink_to("nowhere")
    return (d / "b").read_text(), os.readlink(d / "c"), (d / "c").exists(), mode_of(d / "c"), tree(d)


def hard_links(d: Path) -> object:
    (d / "a").write_text("one")
    os.link(d / "a", d / "b")
    (d / "b").write_text("three")
    counts = [(d / name).stat().st_nlink for name in ("a", "b")]
    (d / "a").unlink()
    return counts, (d / "b").read_text(), (d / "b").stat().st_nlink


def link_to_existing(d: Path) -> object:
    (d / "a").touch()
    (d / "b").touch()
    return os.link(d / "a", d / "b")


def link_a_directory(d: Path) -> object:
    (d / "a").mkdir()
    return os.link(d / "a", d / "b")


def remove_a_full_directory(d: Path) -> object:
    (d / "a/b").mkdir(parents=True)
    return (d / "a").rmdir()


def unlink_a_directory(d: Path) -> object:
    (d / "a").mkdir()
    return (d / "a").unlink()


def rmdir_a_file(d: Path) -> object:
    (d / "a").touch()
    return (d / "a").rmdir()


def mkdir_twice(d: Path) -> object:
    (d / "a").mkdir(mode=0o705)
    first = mode_of(d / "a")
    with contextlib.suppress(FileExistsError):
        (d / "a").mkdir()
        first = "no error"
    return first


def rename_over(d: Path) -> object:
    (d / "a").write_text("new")
    (d / "b").write_text("older")
    os.rename(d / "a", d / "b")
    return tree(d), (d / "b").read_text()


def rename_a_directory_with_open_files(d: Path) -> object:
    (d / "x/y").mkdir(parents=True)
    with (d / "x/y/f").open("w+b", buffering=0) as f:
        f.write(b"before")
        os.rename(d / "x", d / "z")
        f.write(b" after")
        f.seek(0)
        read = f.read()
    (d / "z/y/g").write_text("more")
    return read, (d / "z/y/f").read_bytes(), tree(d)


def rename_onto_a_full_directory(d: Path) -> object:
    (d / "a").mkdir()
    (d / "b/c").mkdir(parents=True)
    return os.rename(d / "a", d / "b")


def rename_into_itself(d: Path) -> object:
    (d / "a").mkdir()
    return os.rename(d / "a", d / "a/b")


def rename_file_onto_directory(d: Path) -> object:
    (d / "a").touch()
    (d / "b").mkdir()
    return os.rename(d / "a", d / "b")


def rename_over_an_open_file(d: Path) -> object:
    (d / "old").write_text("old data")
    with (d / "old").open() as f:
        (d / "new").write_text("new data")
        os.rename(d / "new", d / "old")
        return f.read(), (d / "old").read_text(), os.fstat(f.fileno()).st_nlink


def unlink_an_open_file(d: Path) -> object:
    with (d / "a").open("w+b", buffering=0) as f:
        f.write(b"x" * 10_000)
        (d / "a").unlink()
        f.write(b"y" * 10_000)
        f.truncate(15_000)
        status = os.fstat(f.fileno())
        f.seek(9_999)
        return f.read(3), status.st_size, status.st_nlink, tree(d)


def a_new_file_of_an_open_files_name(d: Path) -> object:
    with (d / "a").open("w+b", buffering=0) as old:
        old.write(b"old")
        (d / "a").unlink()
        (d / "a").write_bytes(b"another")
        old.seek(0)
        return old.read(), (d / "a").read_bytes()


def modes(d: Path) -> object:
    (d / "a").touch()
    seen = []
    for mode in (0o000, 0o400, 0o222, 0o4755, 0o1777):
        (d / "a").chmod(mode)
        seen.append(mode_of(d / "a"))
    return seen


def write_to_what_became_read_only(d: Path) -> object:
    with (d / "a").open("wb", buffering=0) as f:
        (d / "a").chmod(0o444)
        f.write(b"still")
    return (d / "a").read_bytes(), mode_of(d / "a")


def times(d: Path) -> object:
    (d / "a").write_text("x")
    os.utime(d / "a", ns=(1_000_000_001, 2_000_000_002))
    first = (d / "a").stat()
    (d / "a").write_text("y")
    second = (d / "a").stat()
    return first.st_atime_ns, first.st_mtime_ns, second.st_mtime_ns > 1_600_000_000_000_000_000


def times_of_later_writes_are_later(d: Path) -> object:
    seen = []
    for i in range(5):
        (d / "a").write_text(str(i))
        seen.append((d / "a").stat().st_mtime_ns)
        time.sleep(0.005)
    return seen == sorted(seen) and len(set(seen)) == 5


def sparse(d: Path) -> object:
    with (d / "a").open("wb") as f:
        f.seek(1 << 30)
        f.write(b"end")
    with (d / "a").open("rb") as f:
        f.seek((1 << 30) - 5)
        return f.read(), (d / "a").stat().st_size


def truncations(d: Path) -> object:
    (d / "a").write_bytes(b"0123456789")
    os.truncate(d / "a", 4)
    os.truncate(d / "a", 8)
    return (d / "a").read_bytes()


def truncate_to_a_negative_size(d: Path) -> object:
    (d / "a").touch()
    return os.truncate(d / "a", -1)


def appends_by_two(d: Path) -> object:
    with (d / "a").open("ab", buffering=0) as one, (d / "a").open("ab", buffering=0) as two:
        for i in range(10):
            (one if i % 2 else two).write(bytes([65 + i]) * 3)
    return (d / "a").read_bytes()


def special_files(d: Path) -> object:
    os.mkfifo(d / "fifo", 0o640)
    return tree(d)


def many_names(d: Path) -> object:
    for i in range(700):
        (d / f"name-{i:04d}").touch()
    with os.scandir(d) as entries:
        for i, entry in enumerate(entries):
            if i % 2:
                os.unlink(entry.path)
    return len(os.listdir(d)), sorted(os.listdir(d)) == os.listdir(d) or len(set(os.listdir(d)))


def file_space(d: Path) -> object:
    with (d / "a").open("wb") as f:
        os.posix_fallocate(f.fileno(), 0, 50_000)
    return (d / "a").stat().st_size, (d / "a").read_bytes() == bytes(50_000)


def locks(d: Path) -> object:
    import fcntl

    with (d / "a").open("w") as one, (d / "a").open("w") as two:
        fcntl.flock(one, fcntl.LOCK_EX)
        return fcntl.flock(two, fcntl.LOCK_EX | fcntl.LOCK_NB)


def read_from_write_only(d: Path) -> object:
    fd = os.open(d / "a", os.O_CREAT | os.O_WRONLY)
    try:
        return os.read(fd, 1)
    finally:
        os.close(fd)


SCENARIOS = [thing for thing in list(globals().values()) if getattr(thing, "__annotations__", {}).get("d")]


def test_scenarios_are_found() -> None:
    assert len(SCENARIOS) > 30


def test_every_scenario_ends_as_in_a_plain_directory(
    programs: Path, make_store: StoreMaker, mounted: Mounter
) -> None:
    store = make_store(programs, drain="auto")
    mount = mounted(store)
    plain = store.folder / "plain"
    plain.mkdir()
    different = {}
    for scenario in SCENARIOS:
        name = scenario.__name__
        ours, theirs = outcome(scenario, mount / name), outcome(scenario, plain / name)
        if ours != theirs:
            different[name] = (ours, theirs)
    assert different == {}


def test_a_file_under_every_access(programs: Path, make_store: StoreMaker, mounted: Mounter) -> None:
    store = make_store(programs)
    done = store.program("ime-fsx", "--path", mounted(store) / "file", "--operations", 1000)
    assert "1000 operations, no difference" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("capacity", ["512 KiB", "64 MiB"])
def test_a_file_under_every_access_for_long(
    capacity: str, programs: Path, make_store: StoreMaker, mounted: Mounter
) -> None:
    store = make_store(programs, capacity=capacity, drain="auto")
    words = ("--operations", 20_000, "--seed", 3)
    done = store.program("ime-fsx", "--path", mounted(store) / "file", *words)
    assert "20000 operations, no difference" in done.stdout


def test_shared_mappings_of_two_programs_are_one(
    programs: Path, make_store: StoreMaker, mounted: Mounter
) -> None:
    release = tuple(int(part) for part in os.uname().release.split(".")[:2])
    if release < (6, 6):
        pytest.skip(f"kernel {os.uname().release}: shared mappings of direct files came with 6.6")
    file = mounted(make_store(programs)) / "file"
    file.write_bytes(bytes(8192))
    with file.open("r+b") as f, mmap.mmap(f.fileno(), 8192) as map:
        map[5000:5005] = b"hello"
        map.flush()
        assert file.read_bytes()[5000:5005] == b"hello"


def run(*words: object, cwd: Path) -> str:
    done = subprocess.run([str(w) for w in words], check=False, cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"
    return done.stdout


@pytest.mark.slow
def test_git_works_on_it(programs: Path, make_store: StoreMaker, mounted: Mounter) -> None:
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    mount = mounted(make_store(programs, drain="auto", capacity="64 MiB"))
    one = mount / "one"
    shutil.copytree(ROOT / "src/ime", one)
    identity = ("-c", "user.name=n", "-c", "user.email=n@example.org")
    run("git", "init", "--quiet", cwd=one)
    run("git", "add", ".", cwd=one)
    run("git", *identity, "commit", "--quiet", "-m", "first", cwd=one)
    assert run("git", "status", "--short", cwd=one) == ""
    (one / "CMakeLists.txt").write_text("changed\n")
    assert run("git", "status", "--short", cwd=one) == " M CMakeLists.txt\n"
    run("git", "gc", "--quiet", cwd=one)
    run("git", "fsck", "--strict", cwd=one)
    run("git", "clone", "--quiet", "one", "two", cwd=mount)
    run("git", "checkout", "--quiet", ".", cwd=one)
    run("diff", "-r", "-x", ".git", "one", "two", cwd=mount)


@pytest.mark.slow
def test_a_compiler_works_on_it(programs: Path, make_store: StoreMaker, mounted: Mounter) -> None:
    """Shared library and program are built there, loaded from there and run there."""
    mount = mounted(make_store(programs))
    (mount / "part.c").write_text("int part(void) { return 42; }\n")
    (mount / "main.c").write_text(
        '#include <stdio.h>\nint part(void);\nint main(void) { printf("%d\\n", part()); return 0; }\n'
    )
    run("cc", "-shared", "-fPIC", "part.c", "-o", "libpart.so", cwd=mount)
    run("cc", "main.c", "-L.", "-lpart", "-Wl,-rpath,$ORIGIN", "-o", "main", cwd=mount)
    assert run("./main", cwd=mount) == "42\n"
    (mount / "part.c").write_text("int part(void) { return 43; }\n")
    run("cc", "-shared", "-fPIC", "part.c", "-o", "libpart.so", cwd=mount)
    assert run("./main", cwd=mount) == "43\n"


@pytest.mark.slow
def test_copies_and_archives_are_whole(programs: Path, make_store: StoreMaker, mounted: Mounter) -> None:
    store = make_store(programs, drain="auto", capacity="4 MiB")
    mount = mounted(store)
    run("cp", "-a", ROOT / "src/ime", "one", cwd=mount)
    run("cp", "-a", "--sparse=auto", "one", "two", cwd=mount)
    run("tar", "cf", "all.tar", "two", cwd=mount)
    run("mkdir", "three", cwd=mount)
    run("tar", "xf", "all.tar", "-C", "three", cwd=mount)
    run("diff", "-r", ROOT / "src/ime", "three/two", cwd=mount)
    store.imectl("wait", "--timeout", 60)
    run("diff", "-r", ROOT / "src/ime", store.backing / "three/two", cwd=mount)
    newest = (ROOT / "src/ime/CMakeLists.txt").stat().st_mtime_ns
    assert (store.backing / "one/CMakeLists.txt").stat().st_mtime_ns == newest


@pytest.mark.slow
def test_hdf5_and_netcdf_work_on_it(programs: Path, make_store: StoreMaker, mounted: Mounter) -> None:
    h5py = pytest.importorskip("h5py")
    netcdf = pytest.importorskip("netCDF4")
    mount = mounted(make_store(programs, capacity="4 MiB"))
    with h5py.File(mount / "a.h5", "w") as f:
        f.create_dataset("x", data=list(range(100_000)), chunks=(1000,), compression="gzip")
    with h5py.File(mount / "a.h5") as f:
        assert list(f["x"][::9999]) == list(range(0, 100_000, 9999))
    with netcdf.Dataset(mount / "a.nc", "w") as f:
        f.createDimension("t", None)
        f.createVariable("v", "i4", ("t",))[:] = range(1000)
    with netcdf.Dataset(mount / "a.nc") as f:
        assert int(f["v"][:].sum()) == sum(range(1000))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_signals_unmount(number: int, programs: Path, make_store: StoreMaker, mounted: Mounter) -> None:
    store = make_store(programs)
    mount = mounted(store)
    (mount / "a").write_text("data")
    os.kill(mounted.last_pid(), number)
    wait_for(lambda: not is_mounted(mount), "it is unmounted")
    wait_for(lambda: has_ended(mounted.last_pid()), "its process has ended")
    status = json.loads(store.imectl("status", "--json").stdout)
    assert status["clients"] == 0
    assert status["total"]["dirty_bytes"] == 4


def test_unmounting_ends_the_process(programs: Path, make_store: StoreMaker, mounted: Mounter) -> None:
    mount = mounted(make_store(programs))
    subprocess.run(["fusermount3", "-u", mount], check=True)
    wait_for(lambda: has_ended(mounted.last_pid()), "its process has ended")


def test_destroy_refuses_while_mounted(programs: Path, make_store: StoreMaker, mounted: Mounter) -> None:
    store: Store = make_store(programs)
    mounted(store)
    done = store.imectl("destroy", "--timeout", 0.1, check=False)
    assert done.returncode == 1
    assert "1 clients use the store" in done.stderr


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--nonsense", "/mnt"], "wrong option"),
        ([], "name one mount point"),
        (["/nonexistent"], "nonexistent"),
    ],
)
def test_wrong_usage(words: list[str], text: str, programs: Path, make_store: StoreMaker) -> None:
    done = make_store(programs).program("ime-fuse", *words, check=False)
    assert done.returncode in {1, 2}
    assert text in done.stderr
