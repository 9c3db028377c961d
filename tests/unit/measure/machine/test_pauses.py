"""weir's own process notices that it stood still."""

import os
import signal
import subprocess
import sys
import time

PROGRAM = """
import sys
from weir.measure.machine.host import held_between, held_so_far
before = held_so_far()
print("looks", flush=True)
sys.stdin.readline()
print(held_between(before, held_so_far())["paused_ms"])
"""


def paused_ms(stopped_s: float) -> int:
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "looks\n"
        if stopped_s:
            os.kill(process.pid, signal.SIGSTOP)
            time.sleep(stopped_s)
            os.kill(process.pid, signal.SIGCONT)
        return int(process.communicate("end\n")[0])


def test_a_process_that_was_stopped_stood_still_so_long() -> None:
    assert paused_ms(1.5) >= 1400


def test_one_that_waited_for_input_did_not_stand_still() -> None:
    assert paused_ms(0) == 0
