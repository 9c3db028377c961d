"""Entries of directories that programs read under `weir prove`."""

import json
import sys
import tempfile
from pathlib import Path

import pytest

from tests.programs import ran
from tests.witness.conftest import Prove

_LISTS = """\
import os, sys
for number in range(2500):
    open(f"many/{number}", "w").close()
for name in ("many/below", "few"):
    os.mkdir(name)
open("few/one", "w").close()
if sys.argv[1] == "child":
    entries = os.scandir("many")
    next(entries)
    pid = os.fork()
    if pid == 0:
        os.listdir("few")
        os._exit(0)
    os.waitpid(pid, 0)
    sys.exit(len(list(entries)) - 2500)
for _ in range(2):
    os.listdir("many")
os.listdir("few")
"""


def _entries(prove: Prove, how: str) -> list[tuple[int, float]]:
    seen = prove("sh", "-c", f"mkdir many && exec '{sys.executable}' -c '{_LISTS}' {how}")
    listed = [one for mount in seen["mounts"] for one in mount["listed"].values() if one["entries"]]
    return [(one["entries"], one["busy_s"]) for one in listed]


def test_entries_of_directories_are_counted_without_directories(prove: Prove) -> None:
    ((entries, busy_s),) = _entries(prove, "alone")
    assert entries == 5001
    assert busy_s > 0


def test_a_child_counts_its_own_entries_alone(prove: Prove) -> None:
    """It begins while its parent reads a directory."""
    ((entries, _),) = _entries(prove, "child")
    assert entries == 2501


_CLOSED_BY_ANOTHER = """\
import ctypes, os, sys, threading
libc = ctypes.CDLL(None)
libc.opendir.restype = ctypes.c_void_p
libc.readdir64.restype = ctypes.c_void_p
libc.readdir64.argtypes = libc.closedir.argtypes = [ctypes.c_void_p]
def in_thread(call, *arguments):
    thread = threading.Thread(target=call, args=arguments)
    thread.start(), thread.join()
for folder in sys.argv[1:]:
    for number in range(2000):
        open(f"{folder}/{number}", "w").close()
one, other = (name.encode() for name in sys.argv[1:])
first = libc.opendir(one)
libc.readdir64(first)
for _ in range(20):
    in_thread(libc.closedir, first)
    second = libc.opendir(other)
    if second == first:
        break
    first = libc.opendir(one)
    libc.readdir64(first)
while libc.readdir64(second):
    pass
print("at one address" if second == first else "elsewhere")
"""


def test_entries_after_another_thread_closed_a_directory_are_of_the_next_one(tmp_path: Path) -> None:
    """The next one, of another mount, may begin at the same address."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as memory:
        there, here = Path(memory, "there"), tmp_path / "here"
        there.mkdir()
        here.mkdir()
        seen = tmp_path / "seen.json"
        weir = [sys.executable, "-m", "weir", "prove", "--json", seen, "--", sys.executable, "-c"]
        done = ran([*weir, _CLOSED_BY_ANOTHER, here, there], check=True, timeout=120)
    if "at one address" not in done.stdout:
        pytest.skip("this C library gave the next directory another address")
    listed = {
        mount["point"]: sum(one["entries"] for one in mount["listed"].values())
        for mount in json.loads(seen.read_text())["mounts"]
    }
    assert listed["/dev/shm"] == 2000, listed
