"""The public interface as a program built for it calls it: here through the shared library itself."""

import ctypes
import errno
import os
import re
import subprocess
import threading
import time
from pathlib import Path

import pytest

from tests.ime.conftest import ROOT, Start, StoreMaker
from tests.ime.native import Callback, Request, Vector, another
from tests.programs import ran

HEADER = ROOT / "src/ime/include/ime_native.h"


def test_every_declared_function_is_in_the_library(programs: Path) -> None:
    declared = set(re.findall(r"\b(ime_native_\w+)\(", HEADER.read_text()))
    listed = ran(["nm", "-D", "--defined-only", programs / "libim_client.so"], check=True)
    exported = {line.split()[2] for line in listed.stdout.splitlines() if " T " in line}
    assert exported == declared  # all of them, and nothing of ours beside them


@pytest.mark.parametrize("compiler", [["cc", "-std=c11"], ["c++", "-std=c++17"]])
def test_header_stands_alone(compiler: list[str], tmp_path: Path) -> None:
    source = tmp_path / ("a.c" if compiler[0] == "cc" else "a.cc")
    source.write_text('#include "ime_native.h"\n#if IME_NATIVE_API_VERSION < 132\n#error old\n#endif\n')
    arguments = [*compiler, "-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-I{HEADER.parent}", source]
    subprocess.run(arguments, check=True)


def test_prefixes_and_places_name_the_same_file(start: Start, make_store: StoreMaker) -> None:
    store = make_store(mount="/mnt/somewhere")
    native = start(store)
    backing = str(store.backing)
    fd = native.open(f"ime://{backing}/file".encode(), os.O_CREAT | os.O_RDWR, 0o640)
    native.pwrite(fd, b"hello", 5, 0)
    names = [
        f"{backing}/file",
        f"ime:{backing}/file",
        "ime:///file",
        "ime://file",
        "ime:///mnt/somewhere/file",
    ]
    for name in names:
        other = native.open(name.encode(), os.O_RDONLY, 0)
        assert native.contents(other, 5) == b"hello", name
        native.close(other)
    native.close(fd)
    with pytest.raises(FileNotFoundError):
        native.open(b"ime://.weir-ime/x", os.O_RDONLY, 0)


def test_positions_are_shared_by_duplicates(start: Start, make_store: StoreMaker) -> None:
    native = start(make_store())
    fd = native.open(b"ime://a", os.O_CREAT | os.O_RDWR, 0o600)
    other = native.open(b"ime://b", os.O_CREAT | os.O_RDWR, 0o600)
    native.write(fd, b"abcdef", 6)
    native.dup2(fd, other)
    assert native.lseek(other, 2, os.SEEK_SET) == 2
    native.write(fd, b"XY", 2)
    native.close(fd)
    assert native.lseek(other, 0, os.SEEK_CUR) == 4
    assert native.contents(other, 6) == b"abXYef"
    native.close(other)
    with pytest.raises(OSError, match="Bad file descriptor"):
        native.contents(other, 1)


def test_asynchronous_transfers_call_back(start: Start, make_store: StoreMaker) -> None:
    native = start(make_store())
    fd = native.open(b"ime://a", os.O_CREAT | os.O_RDWR, 0o600)
    done: list[tuple[int, int]] = []
    all_done = threading.Event()

    @Callback
    def completed(request: object, error: int, moved: int) -> None:
        done.append((error, moved))
        if len(done) == 50:
            all_done.set()

    parts = [ctypes.create_string_buffer(bytes([i]) * 1000, 1000) for i in range(50)]
    vectors = [Vector(ctypes.cast(part, ctypes.c_void_p).value, 1000) for part in parts]
    requests = [
        Request(fd, 1, 0, ctypes.pointer(vector), i * 1000, completed, 0) for i, vector in enumerate(vectors)
    ]
    for request in requests:
        native.aio_write(ctypes.byref(request))
    assert all_done.wait(120)
    assert done == [(0, 1000)] * 50
    assert native.contents(fd, 50_000) == b"".join(bytes([i]) * 1000 for i in range(50))
    native.close(fd)


def test_forked_child_is_a_client_of_its_own(start: Start, make_store: StoreMaker) -> None:
    native = start(make_store())
    fd = native.open(b"ime://a", os.O_CREAT | os.O_RDWR, 0o600)
    native.pwrite(fd, b"parent", 6, 0)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            native.pwrite(fd, b"child ", 6, 6)
            native.ftruncate(fd, 20_000)
            code = 0 if native.contents(fd, 6) == b"parent" else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert native.contents(fd, 12) == b"parentchild "
    assert native.lseek(fd, 0, os.SEEK_END) == 20_000
    native.close(fd)


def test_faults_come_when_requested(start: Start, make_store: StoreMaker) -> None:
    native = start(make_store(faults=("write ENOSPC after=2 count=1", "read short after=1 count=1")))
    fd = native.open(b"ime://a", os.O_CREAT | os.O_RDWR, 0o600)
    assert [native.pwrite(fd, b"12345678", 8, 8 * i) for i in range(2)] == [8, 8]
    with pytest.raises(OSError, match="No space") as raised:
        native.pwrite(fd, b"12345678", 8, 16)
    assert raised.value.errno == errno.ENOSPC
    assert native.pwrite(fd, b"12345678", 8, 16) == 8
    assert [len(native.contents(fd, 8)) for _ in range(3)] == [8, 4, 8]
    native.close(fd)


def test_latency_and_bandwidth_hold(start: Start, make_store: StoreMaker) -> None:
    """A transfer never takes less than it was set to."""
    native = start(make_store(write_latency_us=20_000, read_bandwidth="10 MiB/s"))
    fd = native.open(b"ime://a", os.O_CREAT | os.O_RDWR, 0o600)
    data = bytes(1 << 20)
    began = time.monotonic()
    native.pwrite(fd, data, len(data), 0)
    written = time.monotonic()
    native.contents(fd, len(data))
    read = time.monotonic()
    assert written - began >= 0.02
    assert read - written >= 0.1
    native.close(fd)


def test_sync_brings_everything_to_the_backing(start: Start, make_store: StoreMaker) -> None:
    store = make_store()
    native = start(store)
    fd = native.open(b"ime://a", os.O_CREAT | os.O_RDWR, 0o600)
    native.pwrite(fd, b"data", 4, 100_000)
    native.fsync(fd)
    assert (store.backing / "a").stat().st_size == 0
    native.sync(0)
    assert (store.backing / "a").read_bytes() == bytes(100_000) + b"data"
    native.close(fd)


def test_repeated_truncation_is_one(make_store: StoreMaker) -> None:
    store = make_store(capacity="2 MiB")
    done = store.program("ime-stress", "--path", "ime://shared", "--rounds", 5)
    assert "all as written" in done.stdout


def test_many_rounds_of_processes_and_threads(make_store: StoreMaker) -> None:
    for capacity in ("1 MiB", "64 MiB"):
        store = make_store(capacity=capacity)
        arguments = ("--rounds", 60, "--processes", 4, "--threads", 4)
        assert "all as written" in store.program("ime-stress", "--path", "ime://shared", *arguments).stdout


def test_sanitizers_find_nothing_in_threads(sanitized: Path, make_store: StoreMaker) -> None:
    store = make_store(sanitized, capacity="2 MiB")
    assert "all as written" in store.program("ime-stress", "--path", "ime://shared", "--rounds", 10).stdout


TRUNCATE = """
name, flags = b"ime://a", os.O_CREAT | os.O_RDWR
if sys.argv[2] == "later":
    native.ime_native_open(name, flags, 0o600)
fd = native.ime_native_open(name, flags | os.O_TRUNC, 0o600)
if sys.argv[2] == "twice":
    native.ime_native_close(fd)
    fd = native.ime_native_open(name, flags | os.O_TRUNC, 0o600)
sys.exit(0 if fd >= 0 else 1)
"""
RANK_0, RANK_1 = ({"PMIX_NAMESPACE": "job", "PMIX_RANK": rank} for rank in "01")


@pytest.mark.parametrize(
    ("truncate", "how", "variables", "left"),
    [
        ("harmless", "late", RANK_1, b"data"),
        ("strict", "late", RANK_1, b""),
        ("harmless", "late", {**RANK_1, "PMIX_NAMESPACE": "another"}, b""),
        ("harmless", "late", RANK_0, b""),
        ("harmless", "late", {}, b""),
        ("harmless", "later", RANK_1, b""),
        ("harmless", "twice", RANK_1, b""),
    ],
)
def test_only_ranks_of_one_job_that_open_a_file_truncate_it_once(
    truncate: str,
    how: str,
    variables: dict[str, str],
    left: bytes,
    start: Start,
    programs: Path,
    make_store: StoreMaker,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Rank 0 has truncated the file and written; then somebody truncates it."""
    for name, value in RANK_0.items():
        monkeypatch.setenv(name, value)
    store = make_store(truncate=truncate)
    native = start(store)
    fd = native.open(b"ime://a", os.O_CREAT | os.O_RDWR | os.O_TRUNC, 0o600)
    native.pwrite(fd, b"data", 4, 0)
    environment = {key: value for key, value in store.environment.items() if key not in RANK_0} | variables
    ran(another(programs, TRUNCATE, how), check=True, env=environment)
    assert native.contents(fd, 4) == left
    native.ftruncate(fd, 0)  # by one who took part already: meant
    assert native.contents(fd, 4) == b""
    native.close(fd)


@pytest.mark.parametrize("config", [None, "/nonexistent.conf"])
def test_without_a_store_every_call_fails_and_one_line_says_why(config: str | None, programs: Path) -> None:
    environment = {key: value for key, value in os.environ.items() if key != "IM_CLIENT_CFG_FILE"}
    if config:
        environment["IM_CLIENT_CFG_FILE"] = config
    done = ran(another(programs, TRUNCATE, "late"), env=environment)
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert "IM_CLIENT_CFG_FILE" in done.stderr
