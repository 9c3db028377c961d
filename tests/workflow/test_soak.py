"""A short soak: something is killed in each round; the next start goes on, nothing is lost or left."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from tests.workflow.conftest import Checkout
from tests.workflow.processes import start
from tests.workflow.soak import KINDS, soak

# 20 rounds in all; `make soak` makes 100 of each kind.
TWICE = ["weir", "weir-everything", "weir-interrupt", "rank", "guardian", "drainer", "mount"]
ONCE = ["group", "snakemake", "reframe", "make-interrupt", "make-terminate", "make-everything"]


@pytest.mark.parametrize(("kinds", "rounds"), [(TWICE, 2), (ONCE, 1)])
def test_whatever_is_killed_nothing_is_lost_and_nothing_left(kinds: list[str], rounds: int) -> None:
    tallies = soak(kinds, rounds, float("inf"), seed=15)
    assert {name: tally.problems for name, tally in tallies.items()} == {name: [] for name in kinds}
    assert {tally.rounds for tally in tallies.values()} == {rounds}
    assert set(kinds) <= set(KINDS)


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
