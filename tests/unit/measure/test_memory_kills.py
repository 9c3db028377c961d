"""A program that the kernel kills for want of memory, here in a control group that has too little."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from weir.base.processes import wall
from weir.measure.launch import RunEnd, after
from weir.measure.machine.host import held_between, held_so_far

pytestmark = pytest.mark.slow
LIMIT_BYTES, NEEDED_BYTES = 32 << 20, 128 << 20


@pytest.fixture
def small() -> Iterator[Path]:
    """A control group with little memory, as a batch system makes one for a job."""
    top = Path("/sys/fs/cgroup")
    old = (top / "memory" / "memory.limit_in_bytes").exists()
    group = top / ("memory" if old else "") / f"weir-test-{os.getpid()}"
    try:
        group.mkdir()
        limit = group / ("memory.limit_in_bytes" if old else "memory.max")
        limit.write_text(str(LIMIT_BYTES))
    except OSError as error:
        pytest.skip(f"no control group with a limit of memory can be made: {error.strerror}")
    yield group
    group.rmdir()


def test_a_program_that_was_killed_for_want_of_memory_has_that_reason(small: Path, tmp_path: Path) -> None:
    program = f"open('{small}/cgroup.procs', 'w').write('0'); bytearray({NEEDED_BYTES})"
    before = held_so_far()
    done = subprocess.run([sys.executable, "-c", program], check=False)
    held = held_between(before, held_so_far())
    assert done.returncode == -signal.SIGKILL
    assert held["memory_kills"] in range(1, 100)
    (tmp_path / "stderr.txt").write_text("mpirun: process 1 exited on signal 9 (Killed).\n")
    error = after({"host": held}, RunEnd(137, False, wall(), 1.0, None), tmp_path)["error"]
    assert error == (
        "exit code 137: mpirun: process 1 exited on signal 9 (Killed).; "
        "for want of memory the kernel killed a process of this node (oom-kill in its log)"
    )
