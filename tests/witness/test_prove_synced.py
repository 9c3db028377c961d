"""weir prove: which written bytes count as synchronised, whoever of a process synchronises them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from weir.prove.mounts import mounts_of
from weir.prove.reports import prove_variables, read_reports
from weir.tools.witness import LIBRARY

MIB = 2**20

START = f"""
import os
part = bytes({MIB})
def opened(name="f", flags=os.O_CREAT | os.O_WRONLY):
    return os.open(name, flags)
"""
CASES = {
    "another descriptor": (
        2,
        2,
        "a, b = opened(), opened(); os.write(a, part), os.write(b, part), os.fsync(b)",
    ),
    "a descriptor after the close": (
        1,
        1,
        "a = opened(); os.write(a, part), os.close(a); os.fsync(opened())",
    ),
    "a copy of the descriptor": (1, 1, "a = opened(); os.write(a, part); os.fsync(os.dup(a))"),
    "one for reading": (1, 1, "a = opened(); os.write(a, part); os.fsync(opened(flags=os.O_RDONLY))"),
    "another file": (1, 2, "a, b = opened(), opened('g'); os.write(a, part), os.write(b, part), os.fsync(b)"),
    "a file with the number of one that was removed": (
        1,
        5,
        "for _ in range(4): a = opened(); os.write(a, part), os.close(a), os.unlink('f')\n"
        "a = opened(); os.write(a, part), os.fsync(a)",
    ),
    "twice": (1, 1, "a = opened(); os.write(a, part), os.sync(), os.fsync(a), os.fsync(opened())"),
    "by RWF_DSYNC": (1, 2, "a = opened(); os.pwritev(a, [part], 0, os.RWF_DSYNC), os.write(a, part)"),
    "by RWF_SYNC": (1, 1, "a = opened(); os.pwritev(a, [part], 0, os.RWF_SYNC)"),
    "by RWF_DSYNC and then": (1, 1, "a = opened(); os.pwritev(a, [part], 0, os.RWF_DSYNC); os.fsync(a)"),
    "in a child of a fork": (
        1,
        3,
        "a = opened(); os.write(a, part), os.write(a, part)\n"
        "if os.fork(): os.wait()\nelse: os.write(a, part), os.fsync(a)",
    ),
    "after a pause": (
        1,
        2,
        "import time; a, b = opened(), opened('g'); os.write(a, part); time.sleep(1.1)\n"
        "os.write(b, part); os.fsync(a), os.fsync(b)",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_what_a_synchronisation_covers(tmp_path: Path, case: str) -> None:
    if not LIBRARY.is_file():
        pytest.skip("needs the library: make build")
    synced, written, code = CASES[case]
    data = tmp_path / "data"
    data.mkdir()
    variables = prove_variables(tmp_path, data, "")
    program = [sys.executable, "-S", "-c", START + code]
    subprocess.run(program, cwd=data, env={**os.environ, **variables}, check=True, timeout=60)
    phases = [phase for mount in mounts_of(read_reports(tmp_path)[0]) for phase in mount.phases]
    seen = [sum(one.synced_bytes for one in phases), sum(one.written_bytes for one in phases)]
    assert seen == [synced * MIB, written * MIB]
