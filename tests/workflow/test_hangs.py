"""A target that hangs already: every command ends with a message, and at once on Ctrl-C."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.workflow.conftest import Checkout
from tests.workflow.processes import children, named_below, processes_below, start, until
from tests.workflow.soak import burst_buffer
from tests.workflow.test_faults import RUN, plan
from weir.cli import EXIT_NO_ANSWER

WEIR = (sys.executable, "-m", "weir")
COMMANDS = {
    "plan": ("plan", "--out", "again.json"),
    "preflight": (*RUN, "--preflight"),
    "run": RUN,
    "clean": ("clean", "--plan", "plan.json", "--results", "results/local"),
}


@dataclass(frozen=True)
class Hanging:
    """A FUSE mount whose process can be stopped."""

    checkout: Checkout
    point: Path
    daemon: int

    def hang(self) -> None:
        os.kill(self.daemon, signal.SIGSTOP)


@pytest.fixture
def hanging(tiny: Checkout, target_folder: Path) -> Iterator[Hanging]:
    if not os.access("/dev/fuse", os.R_OK | os.W_OK):
        pytest.skip("/dev/fuse is not usable here")
    target = burst_buffer(tiny, target_folder)
    up, down = target.pop("prepare"), target.pop("cleanup")
    subprocess.run(up[0], check=True)
    daemons = named_below(target_folder, "ime-fuse")
    try:
        tiny.write("config/sites/local/targets/ram.yaml", target)
        plan(tiny)
        (daemon,) = daemons
        yield Hanging(tiny, Path(target["path"]), daemon)
    finally:
        for each in daemons:
            with contextlib.suppress(ProcessLookupError):
                os.kill(each, signal.SIGCONT)
        subprocess.run(down[0], check=True)
    assert until(lambda: processes_below(tiny.root) == [], 60), processes_below(tiny.root)


@pytest.mark.slow
@pytest.mark.row("a target that hangs already")
def test_each_command_names_the_target_and_the_process_that_waits(hanging: Hanging) -> None:
    hanging.hang()
    commands = {**COMMANDS, "a path that is given": ("import", str(hanging.point))}
    started = {
        name: start(hanging.checkout, *WEIR, *command, keep_output=True) for name, command in commands.items()
    }
    printed = {name: process.communicate(timeout=300)[0] for name, process in started.items()}
    for name, text in printed.items():
        assert f"{hanging.point} does not answer for 30 s: process " in text, (name, text)
        assert "Traceback" not in text
    codes = {name: process.returncode for name, process in started.items()}
    # The 1 of an import is an answer: some logs were refused.
    assert codes == {**dict.fromkeys(COMMANDS, 1), "a path that is given": EXIT_NO_ANSWER}


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.row("a target that hangs already")
def test_ctrl_c_ends_each_command_meanwhile(hanging: Hanging, name: str) -> None:
    hanging.hang()
    process = start(hanging.checkout, *WEIR, *COMMANDS[name], keep_output=True)
    until(lambda: children(process.pid, "-m weir") != [] or process.poll() is not None, 60)
    is_waiting = process.poll() is None
    assert is_waiting, process.communicate()[0]
    os.killpg(process.pid, signal.SIGINT)
    text, _ = process.communicate(timeout=25)
    assert process.returncode == 130, text
    assert "does not answer" not in text


@pytest.mark.slow
def test_a_target_that_hangs_after_it_was_prepared_ends_the_batch_with_a_message(hanging: Hanging) -> None:
    """The commands of the target are the last that it answers."""
    file = hanging.checkout.root / "config/sites/local/targets/ram.yaml"
    file.write_text(file.read_text() + f"prepare: [[kill, -STOP, '{hanging.daemon}']]\n")
    plan(hanging.checkout)
    process = start(hanging.checkout, *WEIR, *RUN, keep_output=True)
    printed, _ = process.communicate(timeout=300)
    assert f"{hanging.point} does not answer for 30 s: process " in printed
    assert process.returncode == 1


@pytest.mark.slow
@pytest.mark.row("a target that hangs already")
def test_ctrl_c_ends_a_scan_of_a_storage_that_hangs_meanwhile(hanging: Hanging) -> None:
    for number in range(60):
        (hanging.point / f"folder{number}").mkdir()
    state = hanging.checkout.root / "state"
    scan = ("scan", str(hanging.point), "--rate", "10", "--state", str(state))
    process = start(hanging.checkout, *WEIR, *scan, keep_output=True)
    assert until(lambda: state.exists() and len(state.read_text().splitlines()) > 3, 60)
    hanging.hang()
    time.sleep(1)  # until each thread waits for the storage
    os.killpg(process.pid, signal.SIGINT)
    text, _ = process.communicate(timeout=10)
    assert process.returncode == 130, text
    assert "folder" in state.read_text()
