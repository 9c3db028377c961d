"""A step of the workflow leaves no temporary file, however it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from weir.base.interrupts import EXIT_INTERRUPTED
from weir.base.processes import children_of, is_the_same, started
from weir.workflow.takeover import take_over_from_a_killed_workflow

pytestmark = [pytest.mark.slow, pytest.mark.quick]
ROOT = Path(__file__).resolve().parents[3]
# Leaves a file, as R does after TERM, and a process in the background.
PROGRAM = 'touch "$TMPDIR/left"; sleep 600 & echo "$TMPDIR"; wait; sleep 600'


def step(folder: Path, *command: str, **environment: str) -> subprocess.Popen[str]:
    (folder / "temporary").mkdir(exist_ok=True)
    clean = {name: value for name, value in os.environ.items() if not name.startswith("WEIR_")}
    clean |= {"PYTHONPATH": str(ROOT), "TMPDIR": str(folder / "temporary"), **environment}
    program = ["env", "--default-signal", sys.executable, "-m", "weir.workflow.step", *command]
    return subprocess.Popen(program, cwd=folder, env=clean, stdout=subprocess.PIPE, text=True)


def line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().rstrip("\n")


def left(folder: Path) -> list[Path]:
    return [*(folder / "temporary").iterdir(), *(folder / ".snakemake").glob("*/*")]


def test_its_exit_code_is_that_of_the_command(tmp_path: Path) -> None:
    with step(tmp_path, "sh", "-c", 'touch "$TMPDIR/left"; exit 7') as process:
        assert process.wait(60) == 7
    assert left(tmp_path) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupt_ends_all_of_it(tmp_path: Path, number: signal.Signals) -> None:
    with step(tmp_path, "sh", "-c", PROGRAM) as process:
        assert Path(line(process), "left").exists()
        process.send_signal(number)
        assert process.wait(60) == EXIT_INTERRUPTED
        assert process.communicate(timeout=60)[0] == ""  # nothing that it started holds the pipe
    assert left(tmp_path) == []


def test_it_ends_with_the_workflow(tmp_path: Path) -> None:
    with (
        subprocess.Popen(["sleep", "600"]) as workflow,
        step(tmp_path, "sh", "-c", PROGRAM, WEIR_STARTER_PROCESS=str(workflow.pid)) as process,
    ):
        line(process)
        workflow.kill()
        workflow.wait()
        assert process.wait(60) == EXIT_INTERRUPTED
    assert left(tmp_path) == []


def test_what_a_kill_leaves_the_next_workflow_removes(tmp_path: Path) -> None:
    with step(tmp_path, "sh", "-c", 'echo "$TMPDIR"; exec sleep 600') as process:
        temporary = Path(line(process))
        (program,) = children_of(process.pid)
        ticks = started(program)
        assert ticks is not None
        process.kill()
        process.wait()
    over = time.monotonic() + 60
    while is_the_same(program, ticks) and time.monotonic() < over:
        time.sleep(0.05)
    assert not is_the_same(program, ticks)
    assert temporary.is_dir()
    take_over_from_a_killed_workflow(tmp_path / ".snakemake")
    assert not temporary.exists()
