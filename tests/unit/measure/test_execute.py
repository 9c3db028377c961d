import os
import secrets
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.workflow.processes import until
from weir.measure.execute import TOKEN_VARIABLE, execute, processes_with_token
from weir.measure.launch import StatusWatch

ENVIRONMENT = {"PATH": os.environ["PATH"]}


@pytest.fixture
def token() -> str:
    """Of this test alone: the same test may run elsewhere on this machine."""
    return secrets.token_hex(8)


def test_output_and_exit_code_are_kept(tmp_path: Path, token: str) -> None:
    outcome = execute(["sh", "-c", "echo out; echo err >&2; exit 3"], ENVIRONMENT, 600, token, tmp_path)
    assert (outcome.exit_code, outcome.stdout, outcome.stderr) == (3, b"out\n", b"err\n")
    assert not outcome.ended


def test_missing_program_is_named(tmp_path: Path, token: str) -> None:
    outcome = execute(["no-such-program"], ENVIRONMENT, 600, token, tmp_path)
    assert outcome.exit_code is None
    assert outcome.error == "no-such-program: No such file or directory"


def test_time_limit_ends_ranks_in_sessions_of_their_own(tmp_path: Path, token: str) -> None:
    rank = "setsid sh -c 'trap \"\" TERM; sleep 600' >/dev/null 2>&1 & setsid sleep 600 >/dev/null 2>&1 &"
    outcome = execute(["sh", "-c", f"{rank} wait"], ENVIRONMENT, 0.5, token, tmp_path)
    assert outcome.ended
    assert outcome.error == "ended after its limit of 0.5 s"
    assert processes_with_token(token) == []


def test_ranks_that_outlive_their_launcher_have_ended_when_it_is_over(tmp_path: Path, token: str) -> None:
    """A killed launcher does not end them: they would write into the files of the next launch."""
    rank = "setsid sh -c 'trap \"\" TERM; sleep 600' >/dev/null 2>&1 & setsid sleep 600 >/dev/null 2>&1 &"
    outcome = execute(["sh", "-c", f"{rank} sleep 0.2; kill -KILL $$"], ENVIRONMENT, 600, token, tmp_path)
    assert outcome.exit_code == -signal.SIGKILL
    assert processes_with_token(token) == []


@pytest.mark.row("a step of the clock")
def test_a_step_of_the_clock_ends_no_cell(
    tmp_path: Path, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither of one with a launch of its own nor of one that shares a launch."""
    years = iter(range(0, 10**12, 10**8))
    monkeypatch.setattr(time, "time", lambda: float(next(years)))
    outcome = execute(["sleep", "0.5"], ENVIRONMENT, 10**6, token, tmp_path)
    assert (outcome.exit_code, outcome.ended) == (0, False)
    assert outcome.elapsed_s < 10**6
    cell = SimpleNamespace(cell=SimpleNamespace(timeout_s=10**6))
    watch = StatusWatch(tmp_path / "status", [cell], lambda *_: None, lambda: None)  # type: ignore[list-item]
    assert watch() is None
    assert watch.elapsed_s() < 10**6


def test_environment_is_exactly_what_was_given(
    tmp_path: Path, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLURM_CPU_BIND", "outer")
    outcome = execute(["env"], ENVIRONMENT, 600, token, tmp_path)
    assert b"SLURM_CPU_BIND" not in outcome.stdout
    assert f"{TOKEN_VARIABLE}={token}".encode() in outcome.stdout


def test_a_killed_harness_takes_its_program_along(tmp_path: Path, token: str) -> None:
    code = (
        "import os, pathlib; from weir.measure.execute import execute;"
        f"folder = pathlib.Path({str(tmp_path)!r});"
        f"execute(['sleep', '600'], dict(os.environ), 600, {token!r}, folder)"
    )
    harness = subprocess.Popen([sys.executable, "-c", code])
    assert until(lambda: processes_with_token(token) != [])
    harness.send_signal(signal.SIGKILL)
    harness.wait()
    assert until(lambda: processes_with_token(token) == [])
