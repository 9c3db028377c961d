"""Entries of directories that programs read under `weir prove`."""

from __future__ import annotations

import sys

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
    seen = prove("sh", "-c", f"mkdir many && exec {sys.executable} -c '{_LISTS}' {how}")
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
