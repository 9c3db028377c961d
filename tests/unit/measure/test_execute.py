from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from weir.measure.execute import TOKEN_VARIABLE, execute, processes_with_token, time_limit
from weir.measure.shared_launch import _Watch

ENVIRONMENT = {"PATH": os.environ["PATH"]}


def test_output_and_exit_code_are_kept(tmp_path: Path) -> None:
    outcome = execute(
        ["sh", "-c", "echo out; echo err >&2; exit 3"], ENVIRONMENT, time_limit(10), "t1", tmp_path
    )
    assert (outcome.exit_code, outcome.stdout, outcome.stderr) == (3, b"out\n", b"err\n")
    assert not outcome.ended


def test_missing_program_is_named(tmp_path: Path) -> None:
    outcome = execute(["no-such-program"], ENVIRONMENT, time_limit(10), "t2", tmp_path)
    assert outcome.exit_code is None
    assert outcome.error == "no-such-program: No such file or directory"


def test_time_limit_ends_ranks_in_sessions_of_their_own(tmp_path: Path) -> None:
    script = "setsid sh -c 'trap \"\" TERM; sleep 60' & setsid sleep 60 & wait"
    outcome = execute(["sh", "-c", script], ENVIRONMENT, time_limit(0.5), "t3", tmp_path)
    assert outcome.ended
    assert outcome.error == "ended after its limit of 0.5 s"
    deadline = time.monotonic() + 5
    while processes_with_token("t3") and time.monotonic() < deadline:
        time.sleep(0.05)
    assert processes_with_token("t3") == []


def test_a_step_of_the_clock_ends_no_cell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither of one with a launch of its own nor of one that shares a launch."""
    years = iter(range(0, 10**12, 10**8))
    monkeypatch.setattr(time, "time", lambda: float(next(years)))
    outcome = execute(["sleep", "0.5"], ENVIRONMENT, time_limit(60), "t5", tmp_path)
    assert (outcome.exit_code, outcome.ended) == (0, False)
    assert outcome.elapsed_s < 60
    cell = SimpleNamespace(cell=SimpleNamespace(timeout_s=60))
    watch = _Watch(tmp_path / "status", [cell], lambda *_: None, lambda: None)  # type: ignore[list-item]
    assert watch() is None
    assert watch.elapsed_s() < 60


def test_environment_is_exactly_what_was_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLURM_CPU_BIND", "outer")
    outcome = execute(["env"], ENVIRONMENT, time_limit(10), "t4", tmp_path)
    assert b"SLURM_CPU_BIND" not in outcome.stdout
    assert f"{TOKEN_VARIABLE}=t4".encode() in outcome.stdout


def test_a_killed_harness_takes_its_program_along(tmp_path: Path) -> None:
    code = (
        "import os, pathlib; from weir.measure.execute import execute, time_limit;"
        f"execute(['sleep', '60'], dict(os.environ), time_limit(60), 't5', pathlib.Path({str(tmp_path)!r}))"
    )
    harness = subprocess.Popen([sys.executable, "-c", code])
    deadline = time.monotonic() + 10
    while not processes_with_token("t5") and time.monotonic() < deadline:
        time.sleep(0.05)
    assert processes_with_token("t5")
    harness.send_signal(signal.SIGKILL)
    harness.wait()
    while processes_with_token("t5") and time.monotonic() < deadline:
        time.sleep(0.05)
    assert processes_with_token("t5") == []
