"""The mount under what people do on a file system; what a plain directory does is what is right."""

import errno
import mmap
import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from tests.ime.conftest import ROOT, Mounter, StoreMaker, has_ended, is_mounted, wait_for
from tests.ime.scenarios import SCENARIOS, Scenario
from tests.programs import ran


def outcome(scenario: Scenario, folder: Path) -> object:
    folder.mkdir()
    try:
        return scenario(folder)
    except OSError as failed:
        return errno.errorcode[failed.errno or 0]


def test_scenarios_are_found() -> None:
    assert len(SCENARIOS) > 30


def test_every_scenario_ends_as_in_a_plain_directory(make_store: StoreMaker, mounted: Mounter) -> None:
    store = make_store(drain="auto")
    mount = mounted(store)
    plain = store.folder / "plain"
    plain.mkdir()
    different = {}
    for name, scenario in SCENARIOS.items():
        ours, theirs = outcome(scenario, mount / name), outcome(scenario, plain / name)
        if ours != theirs:
            different[name] = (ours, theirs)
    assert different == {}


def test_a_file_under_every_access(make_store: StoreMaker, mounted: Mounter) -> None:
    store = make_store()
    done = store.program("ime-fsx", "--path", mounted(store) / "file", "--operations", 1000)
    assert "1000 operations, no difference" in done.stdout


@pytest.mark.parametrize("capacity", ["512 KiB", "64 MiB"])
def test_a_file_under_every_access_for_long(capacity: str, make_store: StoreMaker, mounted: Mounter) -> None:
    store = make_store(capacity=capacity, drain="auto")
    arguments = ("--operations", 20_000, "--seed", 3)
    done = store.program("ime-fsx", "--path", mounted(store) / "file", *arguments)
    assert "20000 operations, no difference" in done.stdout


def test_shared_mappings_of_two_programs_are_one(make_store: StoreMaker, mounted: Mounter) -> None:
    release = tuple(int(part) for part in os.uname().release.split(".")[:2])
    if release < (6, 6):
        pytest.skip(f"kernel {os.uname().release}: shared mappings of direct files came with 6.6")
    file = mounted(make_store()) / "file"
    file.write_bytes(bytes(8192))
    with file.open("r+b") as f, mmap.mmap(f.fileno(), 8192) as map:
        map[5000:5005] = b"hello"
        map.flush()
        assert file.read_bytes()[5000:5005] == b"hello"


def run(*arguments: object, cwd: Path) -> str:
    done = ran(arguments, cwd=cwd)
    assert done.returncode == 0, f"{arguments}: {done.stdout}{done.stderr}"
    return done.stdout


def test_git_works_on_it(make_store: StoreMaker, mounted: Mounter) -> None:
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    mount = mounted(make_store(drain="auto", capacity="64 MiB"))
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


def test_a_compiler_works_on_it(make_store: StoreMaker, mounted: Mounter) -> None:
    """Shared library and program are built there, loaded from there and run there."""
    mount = mounted(make_store())
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


def test_copies_and_archives_are_whole(make_store: StoreMaker, mounted: Mounter) -> None:
    store = make_store(drain="auto", capacity="4 MiB")
    mount = mounted(store)
    run("cp", "-a", ROOT / "src/ime", "one", cwd=mount)
    run("cp", "-a", "--sparse=auto", "one", "two", cwd=mount)
    store.imectl("wait", "--timeout", 60)  # tar objects to a new change time of a file, which a drain makes
    run("tar", "cf", "all.tar", "two", cwd=mount)
    run("mkdir", "three", cwd=mount)
    run("tar", "xf", "all.tar", "-C", "three", cwd=mount)
    run("diff", "-r", ROOT / "src/ime", "three/two", cwd=mount)
    store.imectl("wait", "--timeout", 60)
    run("diff", "-r", ROOT / "src/ime", store.backing / "three/two", cwd=mount)
    newest = (ROOT / "src/ime/CMakeLists.txt").stat().st_mtime_ns
    assert (store.backing / "one/CMakeLists.txt").stat().st_mtime_ns == newest


def test_hdf5_and_netcdf_work_on_it(make_store: StoreMaker, mounted: Mounter) -> None:
    h5py = pytest.importorskip("h5py")
    netcdf = pytest.importorskip("netCDF4")
    mount = mounted(make_store(capacity="4 MiB"))
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
def test_signals_unmount(number: int, make_store: StoreMaker, mounted: Mounter) -> None:
    store = make_store()
    mount = mounted(store)
    (mount / "a").write_text("data")
    os.kill(mounted.last_pid(), number)
    wait_for(lambda: not is_mounted(mount), "it is unmounted")
    wait_for(lambda: has_ended(mounted.last_pid()), "its process has ended")
    status = store.status()
    assert status["clients"] == 0
    assert status["total"]["dirty_bytes"] == 4


def test_a_mount_that_was_started_with_term_ignored_ends_by_it(
    make_store: StoreMaker, mounted: Mounter
) -> None:
    store = make_store()
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        mounted(store)
    finally:
        signal.signal(signal.SIGTERM, before)
    os.kill(mounted.last_pid(), signal.SIGTERM)
    wait_for(lambda: has_ended(mounted.last_pid()), "its process has ended")


def test_unmounting_ends_the_process(make_store: StoreMaker, mounted: Mounter) -> None:
    mount = mounted(make_store())
    subprocess.run(["fusermount3", "-u", mount], check=True)
    wait_for(lambda: has_ended(mounted.last_pid()), "its process has ended")


def test_destroy_refuses_while_mounted(make_store: StoreMaker, mounted: Mounter) -> None:
    store = make_store()
    mounted(store)
    assert "1 clients use the store" in store.refused("destroy", "--timeout", 0.1)
