"""The C unit tests, plain and under the sanitizers; and whole runs under the sanitizers."""

from pathlib import Path

import pytest

from tests.engine.cells import Together
from tests.engine.personalities import every_personality
from tests.engine.runs import ROOT, Engine, run_unit

NAMES = sorted(path.stem for path in (ROOT / "tests/engine/unit").glob("*.c"))


@pytest.mark.parametrize("name", NAMES)
def test_unit(build: Path, name: str) -> None:
    assert " 0 failed" in run_unit(build, name)


@pytest.mark.parametrize("name", NAMES)
def test_unit_under_sanitizers(sanitized_build: Path, name: str) -> None:
    assert " 0 failed" in run_unit(sanitized_build, name)


RUNS = {
    f"ior {arguments} -b 64k -t 8k -s 2 -i 2": code
    for arguments, code in {
        "-a POSIX -w -W -r -R -F -u -z -e -g -o CELL/data": 0,
        "-a MPIIO -w -W -r -R -c -l random -o CELL/data": 0,
        "-a NULL -D 0.05 -O stoneWallingWearOut=1 -N 1": 0,
        "-a NULL --null.short-every=3 --null.eintr-every=4 -Z -Z": 0,
        "-a NULL --null.enospc-at=100k": 1,
        "-a MPIIO -w -o absent/data": 1,
        "-a URING -w -W -r -R -l c --dedupe-percentage=9 -o CELL/data": 0,
        "-a URING --uring.interface=libaio -r -o absent": 1,
        "-a HDF5 -w -W -r -R -c --rate=0 -o CELL/data": 0,
        "-a POSIX -w -r --rate=100000 --no-residency -o CELL/data": 0,
        "-a POSIX --unknown": 2,
    }.items()
}


@pytest.mark.parametrize("line", RUNS)
def test_runs_under_sanitizers(sanitized_together: Together, line: str) -> None:
    done = sanitized_together(tuple(RUNS), 2)[line]
    assert done.code == RUNS[line], done.err
    assert "Sanitizer" not in done.err
    assert "runtime error" not in done.err


def test_a_batch_of_all_personalities_under_sanitizers(sanitized: Engine, tmp_path: Path) -> None:
    cells = every_personality(tmp_path)
    done = sanitized.call(["batch", tmp_path / "list", tmp_path / "status"], ranks=2)
    errors = "".join((tmp_path / name / "stderr.txt").read_text() for name in cells) + done.err
    assert done.code == 0, errors
    assert "Sanitizer" not in errors
    assert "runtime error" not in errors
