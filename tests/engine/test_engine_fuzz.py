"""A short run of each fuzz target under the sanitizers; `make fuzz` runs them longer."""

import subprocess
from pathlib import Path

import pytest

from tests.engine.runs import ROOT

TARGETS = sorted(path.stem for path in (ROOT / "tests/engine/fuzz").glob("*.c") if path.stem != "driver")
INPUTS, SEED = 20000, 1


@pytest.mark.parametrize("name", TARGETS)
def test_fuzz(sanitized_build: Path, tmp_path: Path, name: str) -> None:
    """What MPI libraries and option texts leave at the end is not a finding."""
    done = subprocess.run(
        [str(sanitized_build / "fuzz" / f"fuzz-{name}"), str(INPUTS), str(SEED)],
        cwd=tmp_path,
        env={"ASAN_OPTIONS": "detect_leaks=0"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout == f"{INPUTS} inputs\n"
