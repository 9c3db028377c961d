"""weir prove --attach: what a program does that was running before."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

MIB = 2**20
CHILD = f"import os; f = open('g', 'wb'); f.write(bytes({4 * MIB})); f.flush(); os.fsync(f.fileno())"
PROGRAM = f"""
import os, subprocess, sys
f = open('f', 'wb', buffering=0)
print('open', flush=True)
sys.stdin.readline()
f.write(bytes({4 * MIB}))
os.fsync(f.fileno())
subprocess.run([sys.executable, '-c', {CHILD!r}], check=True)
sys.stdin.readline()
"""


@pytest.fixture
def program(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """It has a file open, and writes two of 4 MiB when it gets a line: the second one by a child."""
    data = tmp_path / "data"
    data.mkdir()
    command = [sys.executable, "-c", PROGRAM]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=data, stdin=pipe, stdout=pipe, text=True) as started:
        assert started.stdout is not None
        assert started.stdout.readline() == "open\n"
        yield started
        started.kill()


def prove(*arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "weir", "prove", *arguments]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True)


def test_a_running_program_and_its_children_are_counted(
    program: subprocess.Popen[str], tmp_path: Path
) -> None:
    seen = tmp_path / "seen.json"
    with prove("--attach", str(program.pid), "--json", str(seen)) as watch:
        assert watch.stderr is not None
        assert "is watched" in watch.stderr.readline()
        assert program.stdin is not None
        program.stdin.write("\n\n")  # without a wait: the kernel keeps its counters until somebody does
        program.stdin.flush()
        lines = watch.stderr.read()
        assert watch.wait(timeout=60) == 0, lines
    facts: dict[str, Any] = json.loads(seen.read_text())
    assert facts["ended"]
    if os.geteuid() == 0:
        assert facts["uncounted_s"] == 0
    if facts["uncounted_s"]:  # an ordinary user, by the kernel
        assert "only root sees the counters of a program that ended" in lines
        assert facts["io"]["wchar"] < 9 * MIB
        return
    assert 8 * MIB <= facts["io"]["wchar"] < 9 * MIB
    (files,) = [one for one in facts["files"] if one["folder"] == str(tmp_path / "data")]
    assert (files["opened"] >= 1, files["direct"]) == (True, 0)
    for mount in facts["mounts"]:
        if mount["device"] and mount["counted"] and facts["io"]["write_bytes"]:
            assert mount["whole"]["device"][1] >= 8 * MIB
            assert "requested  not seen" in lines


def test_a_signal_ends_the_watch_and_not_the_program(program: subprocess.Popen[str], tmp_path: Path) -> None:
    with prove("--attach", str(program.pid), "--on", str(tmp_path)) as watch:
        assert watch.stderr is not None
        watch.stderr.readline()
        watch.terminate()
        assert "and it goes on" in watch.stderr.read()
        assert watch.wait(timeout=60) == 0
    assert program.poll() is None


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("--attach", "4194305"), "--attach 4194305: is not a process"),
        (("--attach", "9" * 20), f"--attach {'9' * 20}: is not a process"),
        (("--attach", "1", "--expect", "write 1 GiB/s"), "--expect: does not go with --attach"),
        (("--attach", "1", "--", "true"), "-- COMMAND: does not go with --attach"),
    ],
)
def test_what_is_wrong_is_named(arguments: tuple[str, ...], text: str) -> None:
    done = prove(*arguments)
    assert (text in done.communicate(timeout=60)[1], done.returncode) == (True, 2)
