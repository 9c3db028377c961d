"""libweir-witness tells how long a program, or the storage under it, stood still."""

import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.witness.watched import Watched, is_built
from weir.witness.document import LIBRARY, preloadable

pytestmark = [pytest.mark.quick, is_built]


def test_a_program_that_was_stopped_stood_still_so_long(tmp_path: Path) -> None:
    watched = Watched(tmp_path)
    environment = watched.environment(preloadable(LIBRARY, tmp_path))
    program = (
        f"stream = open({str(watched.data / 'file')!r}, 'wb'); stream.write(b'x'); print(flush=True); input()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGSTOP)
        time.sleep(1.0)
        process.send_signal(signal.SIGCONT)
        process.communicate(b"\n")
    (span,) = watched.process()["spans"]
    assert 0.9e9 < span["paused_ns"] <= span["ended_ns"] - span["began_ns"]


def test_a_transfer_that_stood_still_is_told_and_other_waits_are_not(tmp_path: Path) -> None:
    """A named pipe instead of a file: a write to it returns when somebody reads."""
    watched = Watched(tmp_path)
    environment = watched.environment(preloadable(LIBRARY, tmp_path))
    pipe, whole = watched.data / "pipe", 1 << 16  # what a pipe holds
    os.mkfifo(pipe)
    program = f"""
import os, time
file = os.open({str(pipe)!r}, os.O_RDWR)
os.write(file, b"x" * 4096)
{{wait}}
os.write(file, b"x" * {whole})
os.close(file)
"""
    halts = []
    for name, wait in (("stands", ""), ("sleeps", "time.sleep(1.5)")):
        reader = os.open(pipe, os.O_RDWR)
        with subprocess.Popen([sys.executable, "-c", program.format(wait=wait)], env=environment) as process:
            while not select.select([reader], [], [], 0.1)[0]:
                assert process.poll() is None
            time.sleep(1.5 if name == "stands" else 1.7)
            left = 4096 + whole
            while left:
                left -= len(os.read(reader, left))
        os.close(reader)
        (span,) = watched.process()["spans"]
        halts.append((span["halt_ns"], span["halt_bytes"]))
    (stood_ns, bytes_after), (slept_ns, _) = halts
    assert stood_ns > 0.5e9
    assert bytes_after == whole
    assert slept_ns < stood_ns
