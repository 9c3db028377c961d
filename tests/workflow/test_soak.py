"""A short soak: something is killed in each round; the next start goes on, nothing is lost or left."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from tests.workflow.conftest import Checkout
from tests.workflow.processes import start
from tests.workflow.soak import KINDS, soak


def test_whatever_is_killed_nothing_is_lost_and_nothing_left() -> None:
    """Once each; `make soak` makes 100 of each kind."""
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
