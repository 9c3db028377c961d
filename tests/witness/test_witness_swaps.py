"""Bytes count where they came to the file that was opened, and into the memory of the program."""

import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.compiled import shared_library
from tests.programs import ran
from tests.witness.watched import Watched, is_built
from weir.witness.document import LIBRARY, preloadable
from weir.witness.spans import called

DUP3 = {"x86_64": 292, "aarch64": 24}.get(platform.machine())

pytestmark = [pytest.mark.quick, is_built]

BLOCK = 1 << 20
BEGIN = f"""
import ctypes, os, sys
file = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)
block = b"x" * {BLOCK}
"""
SWAPPED = f"""
os.pwrite(file, block, 0)
null = os.open("/dev/null", os.O_WRONLY)
ctypes.CDLL(None).syscall({DUP3}, null, file, 0)
os.pwrite(file, block, {BLOCK})
os.close(file)
"""
SPLICED = f"""
os.pwrite(file, block, 0)
ends, null = os.pipe(), os.open("/dev/null", os.O_WRONLY)
left = os.splice(file, ends[1], 65536, offset_src=0)
os.read(ends[0], left)
os.copy_file_range(file, file, 65536, 0, {BLOCK})
os.close(file)
"""
# As where a number is used again for another file by calls that the library does not see.
SMALL = f"""
for i in range(2000):
    os.pwrite(file, b"x", i)
null = os.open("/dev/null", os.O_WRONLY)
ctypes.CDLL(None).syscall({DUP3}, null, file, 0)
for i in range(30_000):
    os.pwrite(file, b"x", 2000 + i)
os.close(file)
"""


READ = f"""
os.pwrite(file, os.urandom({BLOCK}), 0)
os.pwrite(file, os.urandom({BLOCK}), {BLOCK})
os.pread(file, {BLOCK}, 0)
os.read(file, {BLOCK})
os.pread(file, {BLOCK}, {2 * BLOCK})
os.close(file)
"""


def process_of(
    tmp_path: Path, program: str, behind: str = "", before: str = "", audit: str = ""
) -> dict[str, Any]:
    watched = Watched(tmp_path)
    environment = watched.environment(f"{before} {preloadable(LIBRARY, tmp_path)} {behind}")
    argv = [sys.executable, "-c", BEGIN + program, watched.data / "file"]
    subprocess.run(argv, env={**environment, "LD_AUDIT": audit}, check=True)
    return watched.process()


def span_of(tmp_path: Path, program: str, behind: str = "") -> dict[str, Any]:
    (span,) = process_of(tmp_path, program, behind)["spans"]
    return dict(span)


def looks(span: dict[str, Any], access: str) -> tuple[int, int]:
    places = span[f"{access}_places"]
    return places["looked"], places["differing"]


def lookups(folder: Path, *options: str) -> str:
    """A library that leads calls elsewhere."""
    source = Path(__file__).parents[1] / "zoo" / "lookups.c"
    return str(shared_library(folder / "lookups.so", source, *options))


def moved(tmp_path: Path, program: str) -> tuple[int, int]:
    span = span_of(tmp_path, program)
    return span["read_bytes"], span["written_bytes"]


@pytest.mark.skipif(DUP3 is None, reason="the number of dup3(2) is not known here")
def test_what_comes_to_another_file_does_not_count(tmp_path: Path) -> None:
    assert moved(tmp_path, SWAPPED) == (0, BLOCK)


@pytest.mark.skipif(DUP3 is None, reason="the number of dup3(2) is not known here")
def test_of_small_transfers_some_are_looked_at(tmp_path: Path) -> None:
    read, written = moved(tmp_path, SMALL)
    assert read == 0
    assert 2000 <= written < 32_000  # one of 1024 is, by a hash


def test_what_moves_within_the_kernel_does_not_count(tmp_path: Path) -> None:
    assert moved(tmp_path, SPLICED) == (0, BLOCK)


def test_what_is_answered_behind_the_library_is_less_in_the_kernel(tmp_path: Path) -> None:
    """As a filter of system calls with a listener (seccomp) answers it."""
    body = "#include <sys/types.h>\nssize_t %s(int f, const void *b, size_t n, off_t o)"
    body += "{ (void)f, (void)b, (void)o; return (ssize_t)n; }\n"
    text = "".join(body % name for name in ("pwrite", "pwrite64"))
    answers = shared_library(tmp_path / "answers.so", text)
    span = span_of(tmp_path, "os.pwrite(file, block, 0)\nos.close(file)\n", str(answers))
    assert span["written_bytes"] == BLOCK
    assert span["system_written_bytes"] < BLOCK
    assert called([span], "write") == span["system_written_bytes"]
    assert called([{**span, "system_written_bytes": 2 * BLOCK}], "write") == BLOCK


def test_files_in_memory_have_what_was_moved(memory: Path) -> None:
    span = span_of(memory, READ)
    assert looks(span, "write") == (2, 0)
    assert looks(span, "read") == (2, 0)  # the third call read nothing


def test_files_elsewhere_are_not_looked_at(tmp_path: Path) -> None:
    if ran(["stat", "-fc", "%T", tmp_path], check=True).stdout.strip() in ("tmpfs", "ramfs"):
        pytest.skip(f"{tmp_path} is in memory")
    assert looks(span_of(tmp_path, READ), "write") == (0, 0)


def test_a_library_that_answers_lookups_is_seen_by_what_the_files_have(memory: Path) -> None:
    process = process_of(memory, READ, before=lookups(memory))
    (span,) = process["spans"]
    assert span["written_bytes"] == span["system_written_bytes"] == 2 * BLOCK
    assert looks(span, "write") == (2, 2)
    behind = {call["call"] for call in process["calls"] if call["behind"]}
    assert {"read", "pread64", "pwrite64"} <= behind


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the library has the registers of x86-64")
def test_an_audit_library_that_may_change_calls_is_named(memory: Path) -> None:
    library = lookups(memory, "-DAUDITOR", "-DREADS")
    calls = process_of(memory, READ, audit=library)["calls"]
    found = {call["call"] for call in calls if call["object"] == library}
    assert found == {"la_x86_64_gnu_pltenter"}
