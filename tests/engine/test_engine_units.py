"""The C unit tests, plain and under the sanitizers; and whole runs under the sanitizers."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.engine.runs import ROOT, Engine

NAMES = sorted(path.stem for path in (ROOT / "tests/engine/unit").glob("*.c"))
SHAPE = ["-b", "64k", "-t", "8k", "-s", "2", "-i", "2"]


def run(program: Path) -> None:
    done = subprocess.run([str(program)], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert " 0 failed" in done.stdout


@pytest.mark.parametrize("name", NAMES)
def test_unit(build: Path, name: str) -> None:
    run(build / "unit" / f"unit-{name}")


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_unit_under_sanitizers(sanitized_build: Path, name: str) -> None:
    run(sanitized_build / "unit" / f"unit-{name}")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["-a", "POSIX", "-w", "-W", "-r", "-R", "-F", "-u", "-z", "-e", "-g", "-o", "data"], 0),
        (["-a", "MPIIO", "-w", "-W", "-r", "-R", "-c", "-l", "random", "-o", "data"], 0),
        (["-a", "NULL", "-D", "0.05", "-O", "stoneWallingWearOut=1", "-N", "1"], 0),
        (["-a", "NULL", "--null.short-every=3", "--null.eintr-every=4", "-Z", "-Z"], 0),
        (["-a", "NULL", "--null.enospc-at=100k"], 1),
        (["-a", "MPIIO", "-w", "-o", "absent/data"], 1),
        (["-a", "POSIX", "--unknown"], 2),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_runs_under_sanitizers(sanitized: Engine, words: list[str], code: int) -> None:
    done = sanitized.ior(*words, *SHAPE, ranks=2)
    assert done.code == code, done.err
    assert "Sanitizer" not in done.err
    assert "runtime error" not in done.err
