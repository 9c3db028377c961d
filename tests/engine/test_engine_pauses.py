"""A rank that does not run at all during a phase is seen, and one that only waits is not."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.engine.runs import QUIET_MPI, Engine, mpirun, open_mpi
from tests.workflow.processes import children, until

STOPPED_S = 1.2


@pytest.mark.row("a pause")
def test_a_stopped_rank_is_seen_in_the_phase_in_which_it_was_stopped(engine: Engine, tmp_path: Path) -> None:
    data, summary = tmp_path / "data", tmp_path / "summary.json"
    # The write lasts 4 s by its schedule, the read no longer than it takes.
    shape = ["-w", "-r", "-t", "4k", "-b", "400k", "--rate=25", "-o", str(data)]
    command = [str(engine.program), "ior", *shape, f"--json={summary}"]
    process = subprocess.Popen(
        [mpirun(), *QUIET_MPI, "-n", "2", *command],
        env={**os.environ, **open_mpi()},
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    assert until(lambda: data.is_file() and data.stat().st_size > 0, 60)
    rank = children(process.pid, str(data))[-1]
    os.kill(rank, signal.SIGSTOP)
    try:
        time.sleep(STOPPED_S)
    finally:
        os.kill(rank, signal.SIGCONT)
    assert process.wait(60) == 0
    paused = {
        one["access"]: one["observed"]["paused_s"] for one in json.loads(summary.read_text())["results"]
    }
    assert paused["write"] > STOPPED_S - 0.1  # the thread had looked 50 ms before, or a little earlier
    assert paused["read"] == 0


def test_a_phase_of_long_operations_has_no_pause(engine: Engine) -> None:
    shape = ["-t", "4k", "-b", "8k", "-w", "-r", "-o", "none"]
    done = engine.good("-a", "NULL", "--null.delay-us=700000", *shape, ranks=2)
    assert [one["observed"]["paused_s"] for one in done.document["results"]] == [0, 0]
