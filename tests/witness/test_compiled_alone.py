"""A checkout of a new user: without a compiler, then with the library that a compiler alone builds."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DD = ("dd", "if=/dev/zero", "of=f", "bs=1M", "count=16", "conv=fsync")
pytestmark = pytest.mark.slow


def test_a_verdict_needs_a_checkout_and_a_compiler(tmp_path: Path) -> None:
    """No site, no suite, no MPI and no CMake."""
    for program in ("cc", "make"):
        if not shutil.which(program):
            pytest.skip(f"{program} is missing")
    for folder in ("src", "weir", "config", "envs/wheel"):
        shutil.copytree(ROOT / folder, tmp_path / folder, symlinks=True)
    shutil.copy(ROOT / "Makefile", tmp_path)
    job = tmp_path / "job"
    job.mkdir()

    def proven() -> str:
        environment = {**os.environ, "PYTHONPATH": str(tmp_path), "PATH": "/usr/bin:/bin"}
        prove = [sys.executable, "-m", "weir", "prove", "--on", str(job), "--", *DD]
        done = subprocess.run(prove, cwd=job, env=environment, check=True, capture_output=True, text=True)
        return done.stderr

    without = proven()
    assert "is not found; hint: make witness in a checkout" in without
    assert "UNPROVEN, no call on any mount was seen" in without
    assert "16 MiB written by calls, in processes that left no report" in without
    subprocess.run(["make", "witness"], cwd=tmp_path, check=True, capture_output=True, timeout=300)
    assert ctypes.CDLL(str(tmp_path / "build/libweir-witness.so")).fsync(-1) == -1
    assert "write 16 MiB in 16 calls" in proven()
