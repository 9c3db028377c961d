"""A short run of each fuzz target under the sanitizers; `make fuzz` runs them longer."""

from pathlib import Path

import pytest

from tests.engine.runs import ROOT
from tests.programs import ran

TARGETS = sorted(path.stem for path in (ROOT / "tests/engine/fuzz").glob("*.c") if path.stem != "driver")
INPUTS, SEED = 20000, 1


@pytest.mark.parametrize("name", TARGETS)
def test_fuzz(sanitized_build: Path, tmp_path: Path, name: str) -> None:
    """What MPI libraries and option texts leave at the end is not a finding."""
    done = ran(
        [sanitized_build / "fuzz" / f"fuzz-{name}", INPUTS, SEED],
        cwd=tmp_path,
        env={"ASAN_OPTIONS": "detect_leaks=0"},
        timeout=60,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout == f"{INPUTS} inputs\n"
