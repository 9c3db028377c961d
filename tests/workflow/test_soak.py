"""Round after round something is killed while cells share a launch; the next goes on, and nothing is lost.

`make soak` makes 100 rounds; the tests make 12. WEIR_SOAK_ROUNDS and WEIR_SOAK_SEED choose others.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.workflow.conftest import Checkout
from tests.workflow.test_faults import RUN, grow_blocks, plan, runs_of
from tests.workflow.test_kills import (
    GUARDIAN,
    children,
    kill,
    nothing_is_left,
    processes_below,
    until,
    weir_run,
)

ROUNDS = int(os.environ.get("WEIR_SOAK_ROUNDS", "12"))
SEED = int(os.environ.get("WEIR_SOAK_SEED", "15"))
Process = subprocess.Popen[str]


def everything(process: Process) -> None:
    kill([*children(process.pid, GUARDIAN), process.pid, *children(process.pid, "")])


ATTACKS: dict[str, Callable[[Process], None]] = {
    "weir": lambda process: process.kill(),
    "interrupt": lambda process: process.send_signal(signal.SIGINT),
    "terminate": lambda process: process.terminate(),
    "launcher": lambda process: kill(children(process.pid, "mpirun")),
    "rank": lambda process: kill(children(process.pid, "batch list status")[-1:]),
    "guardian": lambda process: kill(children(process.pid, GUARDIAN)),
    "weir and guardian": lambda process: kill([*children(process.pid, GUARDIAN), process.pid]),
    "everything": everything,
}


def statuses(checkout: Checkout) -> list[str]:
    return [json.loads(file.read_text())["status"] for file in runs_of(checkout)]


@pytest.mark.slow
def test_whatever_is_killed_nothing_is_lost_and_nothing_left(tiny: Checkout, target_folder: Path) -> None:
    suite = tiny.root / "config/suites/tiny.yaml"
    suite.write_text(suite.read_text().replace("rounds: 1", "rounds: 10"))
    grow_blocks(tiny, "8 MiB")
    assert plan(tiny).returncode == 0
    draw = random.Random(SEED)
    for number in range(ROUNDS):
        name = draw.choice(sorted(ATTACKS))
        before = statuses(tiny).count("done")
        process = weir_run(tiny, "--retry-failed")
        time.sleep(draw.uniform(0.3, 2.0))
        ATTACKS[name](process)
        process.wait(120)
        where = f"round {number}: {name}"
        assert statuses(tiny).count("done") >= before, where
        if "guardian" not in name and name != "everything":
            assert until(lambda: nothing_is_left(tiny, target_folder)), (where, processes_below(tiny.root))
        if statuses(tiny).count("done") == 40:
            shutil.rmtree(tiny.root / "results")
    done = tiny.weir(*RUN, "--retry-failed")
    assert done.returncode == 0, done.stderr
    assert until(lambda: nothing_is_left(tiny, target_folder)), processes_below(tiny.root)
    assert statuses(tiny) == ["done"] * 40
    collected = tiny.weir("collect", "--plan", "plan.json", "--results", "results/local", "--out", "r.csv")
    assert collected.returncode == 0, collected.stderr
    assert ",INVALID," not in (tiny.root / "r.csv").read_text()
