"""A short soak: something is killed in each round; the next start goes on, nothing is lost or left."""

import os
import signal
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.workflow.conftest import ROOT, Checkout
from tests.workflow.processes import start
from tests.workflow.soak import KINDS, own_folders, soak


@pytest.mark.weekly
def test_whatever_is_killed_nothing_is_lost_and_nothing_left() -> None:
    """Once each, in six measurements; `make soak` makes 100 of each kind."""
    tallies = soak([*KINDS], 1, float("inf"), seed=15)
    assert {name: tally.problems for name, tally in tallies.items()} == {name: [] for name in KINDS}
    assert {tally.rounds for tally in tallies.values()} == {1}


def test_ctrl_c_reaches_what_a_background_job_starts(tmp_path: Path) -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        process = start(Checkout(tmp_path), "sh", "-c", "echo ready; exec sleep 600", keep_output=True)
    finally:
        signal.signal(signal.SIGINT, before)
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(60) == -signal.SIGINT


def test_what_a_killed_soak_left_goes_and_a_living_one_keeps_its_folders() -> None:
    script = (
        "import pathlib, time\nfrom tests.workflow.soak import own_folders\n"
        "with own_folders() as folders:\n"
        "    for folder in folders:\n        (folder / 'data').touch()\n"
        "    print(*folders, flush=True)\n    time.sleep(600)\n"
    )
    with ExitStack() as stack:
        dead, living = (
            stack.enter_context(
                subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, cwd=ROOT)
            )
            for _ in range(2)
        )
        stack.callback(living.kill)
        left, kept = ([Path(name) for name in _line(each).split()] for each in (dead, living))
        dead.kill()
        dead.wait()
        assert [folder.is_dir() for folder in left] == [True, True]
        with own_folders():
            assert [folder.exists() for folder in left] == [False, False]
            assert [(folder / "data").exists() for folder in kept] == [True, True]
        living.kill()
        living.wait()
        with own_folders():
            pass
    assert [folder.exists() for folder in kept] == [False, False]


def _line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline()
