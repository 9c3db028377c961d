"""The library of weir prove, compiled without CMake and MPI."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.slow


def test_a_compiler_alone_builds_the_library(tmp_path: Path) -> None:
    for program in ("cc", "make"):
        if not shutil.which(program):
            pytest.skip(f"{program} is missing")
    shutil.copytree(ROOT / "src", tmp_path / "src")
    shutil.copy(ROOT / "Makefile", tmp_path)
    subprocess.run(["make", "witness"], cwd=tmp_path, check=True, capture_output=True, timeout=300)
    library = ctypes.CDLL(str(tmp_path / "build/libweir-witness.so"))
    assert library.fsync(-1) == -1
