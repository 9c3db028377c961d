"""Bytes count where they came to the file that was opened, and into the memory of the program."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from weir.tools.witness import LIBRARY, WITNESS_FILE, gather_witness

DUP3 = {"x86_64": 292, "aarch64": 24}.get(platform.machine())

pytestmark = [
    pytest.mark.quick,
    pytest.mark.skipif(not LIBRARY.is_file(), reason=f"{LIBRARY.name} is not built: make build"),
]

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
for i in range(2000):
    os.pwrite(file, b"x", 2000 + i)
os.close(file)
"""


def moved(tmp_path: Path, program: str) -> tuple[int, int]:
    outputs, data = tmp_path / "outputs", tmp_path / "data"
    for folder in (outputs, data):
        folder.mkdir()
    environment = {
        "LD_PRELOAD": str(LIBRARY),
        "WEIR_WITNESS": str(outputs / "witness"),
        "WEIR_WITNESS_ROOT": str(data),
        "PMIX_RANK": "0",
    }
    argv = [sys.executable, "-c", BEGIN + program, data / "file"]
    subprocess.run(argv, env={**os.environ, **environment}, check=True)
    gather_witness(outputs)
    (process,) = json.loads((outputs / WITNESS_FILE).read_text())["processes"]
    (span,) = process["spans"]
    return span["read_bytes"], span["written_bytes"]


@pytest.mark.skipif(DUP3 is None, reason="the number of dup3(2) is not known here")
def test_what_comes_to_another_file_does_not_count(tmp_path: Path) -> None:
    assert moved(tmp_path, SWAPPED) == (0, BLOCK)


@pytest.mark.skipif(DUP3 is None, reason="the number of dup3(2) is not known here")
def test_of_small_transfers_some_are_looked_at(tmp_path: Path) -> None:
    read, written = moved(tmp_path, SMALL)
    assert read == 0
    assert 2000 <= written < 4000  # one of 256 is, by a hash


def test_what_moves_within_the_kernel_does_not_count(tmp_path: Path) -> None:
    assert moved(tmp_path, SPLICED) == (0, BLOCK)
