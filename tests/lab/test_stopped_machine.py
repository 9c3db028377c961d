"""A virtual machine that is stopped within a phase, seen from inside: its clocks went on."""

import contextlib
import json
import os
import signal
import threading
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.lab.conftest import started
from tests.lab.filesystem import FileSystem
from tests.lab.guest import KERNEL, Guest
from tests.lab.machine import ROOT
from tests.workflow.processes import until

STOPPED_S = 2.0
GUEST = FileSystem(
    name="guest",
    description="a guest without disks",
    programs=(KERNEL, "modprobe", "busybox"),
    start=lambda machine: None,
    machine=Guest,
)
PARAMETERS = ["-a", "POSIX", "-w", "-t", "4k", "-b", "200k", "--rate=25"]  # 2 s by its schedule


# Of the guest's own file system nothing is seen outside.
MEASURE = """\
"$@" &
until [ -s "$DATA" ]; do sleep 0.05; done
touch "$GROWS"
wait $!
cat "$SUMMARY"
"""


def stop_and_continue(machine: Guest, grows: Path) -> None:
    """Its kernel, once the file grows: what runs in the guest runs by that only."""
    until(grows.exists, 60)
    kernel = [pid for pid in machine.processes() if is_kernel(status_of(pid))]
    # nsenter stops itself with it, and would not see its end.
    starters = {int(status_of(pid)["PPid"]) for pid in kernel}
    try:
        send(kernel, signal.SIGSTOP)
        time.sleep(STOPPED_S)
    finally:
        send([*kernel, *starters], signal.SIGCONT)


def send(pids: list[int], number: signal.Signals) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


def status_of(pid: int) -> dict[str, str]:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def is_kernel(status: Mapping[str, str]) -> bool:
    """Processes of the guest are traced by it."""
    return status["Name"] == KERNEL and status["TracerPid"] == "0"


@pytest.mark.row("a pause")
def test_a_stopped_virtual_machine_sees_how_long_it_stood_still() -> None:
    with started(GUEST) as machine:
        assert isinstance(machine, Guest)
        data, summary = machine.home / "data", machine.home / "summary.json"
        grows = machine.requests / "grows"
        stopper = threading.Thread(target=stop_and_continue, args=(machine, grows))
        stopper.start()
        program = [ROOT / "build/weir-io", "ior", *PARAMETERS, "-o", data]
        program += [f"--json={summary}"]
        variables = {"DATA": str(data), "SUMMARY": str(summary), "GROWS": str(grows)}
        done = machine.run("sh", "-c", MEASURE, "sh", *program, **variables)
        stopper.join()
        assert done.returncode == 0, done.stderr
        (phase,) = json.loads(done.stdout[done.stdout.index("{") :])["results"]
    assert phase["observed"]["paused_s"] > STOPPED_S - 0.1
